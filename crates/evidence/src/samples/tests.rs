use proptest::collection;
use proptest::prelude::*;

use super::*;

fn sample() -> Vec<u8> {
    let mut out = Vec::new();
    begin(&mut out);
    moment(&mut out, 5_000_000_123, None);
    file(&mut out, "/proc/pressure/io", b"");
    moment(&mut out, 5_100_000_456, Some(2));
    file(&mut out, "/proc/vmstat", b"nr_dirty 46\n@ 1 2\n");
    unread(&mut out, "/proc/411/stack", "Permission denied\n(os error 13)");
    file(&mut out, "/proc/7/stat", b"7 (a\xff) S 1");
    out
}

#[test]
fn the_text_is_as_documented() {
    let text = String::from_utf8_lossy(&sample()).into_owned();
    assert_eq!(
        text,
        "slowpath samples 1\n\
         @ 5000000123 -\n\
         : /proc/pressure/io 0\n\
         \n\
         @ 5100000456 2\n\
         : /proc/vmstat 18\n\
         nr_dirty 46\n\
         @ 1 2\n\
         \n\
         ! /proc/411/stack Permission denied (os error 13)\n\
         : /proc/7/stat 10\n\
         7 (a\u{fffd}) S 1\n"
    );
}

#[test]
fn what_was_written_is_read() {
    let bytes = sample();
    let Parsed { value, notes } = parse(&bytes);
    assert_eq!(notes, [""; 0]);
    let [first, second] = &value[..] else { panic!("{value:?}") };
    assert_eq!((first.at_ns, first.phase), (5_000_000_123, None));
    assert_eq!(first.files, [("/proc/pressure/io", Cow::Borrowed(""))]);
    assert_eq!((second.at_ns, second.phase), (5_100_000_456, Some(2)));
    assert_eq!(second.file("/proc/vmstat"), Some("nr_dirty 46\n@ 1 2\n"));
    assert_eq!(second.file("/proc/7/stat"), Some("7 (a\u{fffd}) S 1"));
    assert_eq!(second.file("/proc/411/stack"), None);
    assert_eq!(second.unread, [("/proc/411/stack", "Permission denied (os error 13)")]);
}

#[test]
fn texts_are_borrowed() {
    let bytes = sample();
    let value = parse(&bytes).value;
    assert!(matches!(value[1].files[0].1, Cow::Borrowed(_)));
    assert!(matches!(value[1].files[1].1, Cow::Owned(_)));
}

#[test]
fn writing_allocates_nothing_where_there_is_room() {
    let mut out = Vec::with_capacity(1 << 12);
    let before = out.as_ptr();
    begin(&mut out);
    for ns in 0..20 {
        moment(&mut out, ns, Some(1));
        file(&mut out, "/proc/a b", &[b'x'; 100]);
    }
    assert_eq!((out.as_ptr(), out.capacity()), (before, 1 << 12));
    assert!(parse(&out).value[19].file("/proc/a_b").is_some());
}

#[test]
fn a_cut_file_gives_what_is_whole() {
    let bytes = sample();
    let whole = parse(&bytes).value;
    let mut silent = Vec::new();
    for length in 0..bytes.len() {
        let Parsed { value, notes } = parse(&bytes[..length]);
        if notes.is_empty() {
            silent.push(length);
        }
        assert!(value.len() <= whole.len());
        for (cut, whole) in value.iter().zip(&whole) {
            assert_eq!((cut.at_ns, cut.phase), (whole.at_ns, whole.phase));
            assert!(whole.files.starts_with(&cut.files), "at {length}");
            assert!(whole.unread.starts_with(&cut.unread), "at {length}");
        }
    }
    // Only between records.
    let text = String::from_utf8_lossy(&bytes);
    let begins = ["@ 5000000123", ": /proc/p", "@ 51", ": /proc/v", "! ", ": /proc/7"];
    assert_eq!(silent, begins.map(|begin| text.find(begin).unwrap()));
}

#[test]
fn what_is_not_understood_is_noted_with_its_place() {
    for (text, note) in [
        ("", "byte 0: it is cut short"),
        ("slowpath samples 1", "byte 0: it is cut short"),
        ("MemTotal: 1 kB\n", "byte 0: these are no samples of slowpath"),
        ("slowpath samples 2\n@ 1 -\n", "byte 0: these samples are of format `2`, 1 is read here"),
        ("slowpath samples 1\n: a 0\n\n", "byte 19: a record stands before the first moment"),
        ("slowpath samples 1\n@ 1 -\nx\n", "byte 25: `x` begins no record"),
        ("slowpath samples 1\n@ 1 -\n? a\n", "byte 25: `? a` begins no record"),
        ("slowpath samples 1\n@ 1 -\n@ 1\n", "byte 25: `1` is no moment"),
        ("slowpath samples 1\n@ 1 -\n@ 1 x\n", "byte 25: `1 x` is no moment"),
        ("slowpath samples 1\n@ 1 -\n: a b\nx\n", "byte 25: `a b` is no file"),
        ("slowpath samples 1\n@ 1 -\n! a\n", "byte 25: `a` gives no reason"),
        (
            "slowpath samples 1\n@ 1 -\n: a 3\nxy",
            "byte 25: the text of a is cut short, 2 of 3 bytes are there",
        ),
        (
            "slowpath samples 1\n@ 1 -\n: a 1\nxy\n",
            "byte 25: the text of a is longer than its 1 bytes",
        ),
    ] {
        let Parsed { value, notes } = parse(text.as_bytes());
        assert_eq!(notes, [format!("{note}; nothing is read from there on")], "{text}");
        assert_eq!(value.len(), usize::from(note.contains("byte 25")), "{text}");
    }
}

proptest! {
    #[test]
    fn anything_is_survived(bytes: Vec<u8>, length: u128) {
        let _ = parse(&bytes);
        let mut out = sample();
        out.extend_from_slice(&bytes);
        prop_assert!(parse(&out).value.len() >= 2);
        out.truncate(19);
        out.extend_from_slice(format!("@ {length} {length}\n: a {length}\n").as_bytes());
        let _ = parse(&out);
    }

    #[test]
    fn any_texts_come_back_as_they_were(
        moments in collection::vec(
            (any::<u64>(), any::<Option<usize>>(), collection::vec(any::<(String, bool)>(), 0..4)),
            0..6,
        ),
    ) {
        let mut out = Vec::new();
        begin(&mut out);
        for (ns, phase, texts) in &moments {
            moment(&mut out, *ns, *phase);
            for (text, read) in texts {
                if *read {
                    file(&mut out, "/proc/meminfo", text.as_bytes());
                } else {
                    unread(&mut out, text, text);
                }
            }
        }
        let Parsed { value, notes } = parse(&out);
        prop_assert_eq!(notes, [""; 0]);
        prop_assert_eq!(value.len(), moments.len());
        for (moment, (ns, phase, texts)) in value.iter().zip(&moments) {
            prop_assert_eq!((moment.at_ns, moment.phase), (*ns, *phase));
            let read: Vec<_> = texts.iter().filter(|text| text.1).map(|text| &*text.0).collect();
            let came: Vec<_> = moment.files.iter().map(|file| &*file.1).collect();
            prop_assert_eq!(came, read);
            prop_assert_eq!(moment.unread.len(), texts.iter().filter(|text| !text.1).count());
        }
    }
}

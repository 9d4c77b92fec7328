//! Whatever the text, parsing ends, and an error shows a line that is there.

use model::ffsb::{Profile, looks_like_one, parse};
use proptest::prelude::*;

/// Pieces of which texts are made that come further than noise does.
const PIECES: [&str; 32] = [
    "[filesystem0]",
    "[filesystem]",
    "[threadgroup0]",
    "[threadgroup]",
    "[stats]",
    "[end]",
    "[end0]",
    "[",
    "]",
    "=",
    "#",
    " ",
    "\n",
    "\n",
    "\n",
    "\t",
    "\r\n",
    "location=/a",
    "clone=/a",
    "bindfs=/a",
    "num_threads=1",
    "create_weight=1",
    "read_weight=1",
    "write_blocksize=4k",
    "time=1",
    "directio=1",
    "size_weight 4k",
    "msec_range 0.5 ",
    "99999999999999999999G",
    "agefs=1",
    "0.0005",
    "é\u{feff}",
];

fn shows_its_line(text: &str) -> Result<(), TestCaseError> {
    let _ = looks_like_one(text);
    let Err(error) = parse(text) else { return Ok(()) };
    let shown =
        error.line.map(|line| line.checked_sub(1).and_then(|index| text.lines().nth(index)));
    match shown {
        None => prop_assert_eq!(&error.source_line, ""),
        Some(line) => prop_assert_eq!(line, Some(error.source_line.as_str())),
    }
    prop_assert!(!error.message.is_empty());
    Ok(())
}

/// What the types say of their fields.
fn keeps_its_word(profile: &Profile) {
    assert!(!profile.filesystems.is_empty());
    assert!(profile.time == 0 || !profile.threadgroups.is_empty());
    for fileset in &profile.filesystems {
        assert!(fileset.create_blocksize > 0 && fileset.min_filesize <= fileset.max_filesize);
        assert!(fileset.num_files == 0 || fileset.init_size.is_none());
    }
    for group in &profile.threadgroups {
        assert!(group.num_threads > 0 && !group.weights.is_empty());
        assert!(group.weights.is_sorted_by(|a, b| a.op < b.op));
        assert!(group.bindfs.is_none_or(|index| index < profile.filesystems.len()));
    }
}

const GOOD: [&str; 4] = [
    include_str!("create_4k.ffsb"),
    include_str!("numbered.ffsb"),
    include_str!("clone.ffsb"),
    include_str!("stats.ffsb"),
];

proptest! {
    #[test]
    fn noise_is_refused_by_line(text in any::<String>()) {
        shows_its_line(&text)?;
    }

    #[test]
    fn pieces_are_read_or_refused_by_line(
        pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40),
    ) {
        shows_its_line(&pieces.concat())?;
        shows_its_line(&pieces.join("\n"))?;
    }

    #[test]
    fn a_spoiled_profile_is_read_or_refused_by_line(
        text in prop::sample::select(&GOOD[..]),
        at in any::<prop::sample::Index>(),
        piece in prop::sample::select(&PIECES[..]),
        drop in any::<bool>(),
    ) {
        let mut lines: Vec<&str> = text.lines().collect();
        let index = at.index(lines.len());
        match drop {
            true => { lines.remove(index); }
            false => lines.insert(index, piece),
        }
        let text = lines.join("\n");
        shows_its_line(&text)?;
        if let Ok(profile) = parse(&text) {
            keeps_its_word(&profile);
        }
    }
}

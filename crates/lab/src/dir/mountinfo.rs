//! `/proc/PID/mountinfo`: what is mounted where.
//!
//! Source: `Documentation/filesystems/proc.rst`, section 3.5.

/// One mount, as far as a trial depends on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mount {
    /// The number by which `/proc/PID/fdinfo` names it.
    pub(crate) id: u64,
    /// `major:minor` of what `stat` tells of files there.
    pub(crate) device: String,
    /// The filesystem's type: `ext4`, `fuse.sshfs`.
    pub(crate) filesystem: String,
    /// What was mounted: `/dev/sda2`, `server:/export`.
    pub(crate) source: String,
    /// The mount's options, then the filesystem's, none twice.
    pub(crate) options: Vec<String>,
}

/// Lines that are none are passed over.
pub(crate) fn parse(text: &str) -> Vec<Mount> {
    text.lines().filter_map(parse_line).collect()
}

// 36 35 98:0 /mnt1 /mnt/my\040disk rw,noatime master:1 - ext3 /dev/root rw,errors=continue
fn parse_line(line: &str) -> Option<Mount> {
    let (mount, filesystem) = line.split_once(" - ")?;
    let mut words = mount.split(' ');
    let (id, device) = (words.next()?.parse().ok()?, words.nth(1)?);
    let own = words.nth(2)?;
    let mut words = filesystem.split(' ');
    let (filesystem, source) = (words.next()?, words.next()?);
    Some(Mount {
        id,
        device: device.to_owned(),
        filesystem: unescaped(filesystem),
        source: unescaped(source),
        options: merged(own, words.next().unwrap_or_default()),
    })
}

/// Where a container's layers lie says where it was started, not how fast it writes.
const LAYERS: [&str; 3] = ["lowerdir", "upperdir", "workdir"];

fn merged(mount: &str, filesystem: &str) -> Vec<String> {
    let mut options: Vec<String> = Vec::new();
    for option in mount.split(',').chain(filesystem.split(',')) {
        let name = option.split(['=', '+']).next().unwrap_or_default();
        let option = unescaped(option);
        if !name.is_empty() && !LAYERS.contains(&name) && !options.contains(&option) {
            options.push(option);
        }
    }
    options
}

/// The kernel writes space, tab, newline, `#` and backslash as `\` and three octal digits.
fn unescaped(word: &str) -> String {
    let mut parts = word.split('\\');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match digits {
            Some(byte) if byte.is_ascii() => {
                text.push(char::from(byte));
                text.push_str(&part[3..]);
            }
            _ => {
                text.push('\\');
                text.push_str(part);
            }
        }
    }
    text
}

/// The mount of an open file, from its `/proc/PID/fdinfo/FD`.
// pos:	0
// flags:	0100000
// mnt_id:	24
pub(crate) fn id_in(fdinfo: &str) -> Option<u64> {
    let id = fdinfo.lines().find_map(|line| line.strip_prefix("mnt_id:"))?;
    id.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_mount_has_its_options_once_and_its_name_as_it_is() {
        let text = "36 35 98:0 /a /b rw,noatime master:1 shared:2 - ext3 /dev/my\\040disk\\134 \
                    rw,errors=continue\n\
                    no mount\n\
                    40 36 0:44 / /c ro - tmpfs  ro,size=4k\n\
                    41 36 0:45 / / rw,relatime - overlay overlay \
                    rw,lowerdir=/x:/y,upperdir=/u,workdir=/w,xino=off\n";
        let [disk, unnamed, overlay] = &parse(text)[..] else { panic!("three") };
        let expected = Mount {
            id: 36,
            device: "98:0".to_owned(),
            filesystem: "ext3".to_owned(),
            source: "/dev/my disk\\".to_owned(),
            options: ["rw", "noatime", "errors=continue"].map(str::to_owned).to_vec(),
        };
        assert_eq!(disk, &expected);
        assert_eq!((unnamed.source.as_str(), &unnamed.options[1][..]), ("", "size=4k"));
        assert_eq!(overlay.options, ["rw", "relatime", "xino=off"]);
    }

    #[test]
    fn an_open_file_names_its_mount() {
        assert_eq!(id_in("pos:\t0\nflags:\t0100000\nmnt_id:\t24\nino:\t3\n"), Some(24));
        assert_eq!(id_in("pos:\t0\n"), None);
    }

    proptest! {
        #[test]
        fn anything_is_survived(text in "[-0-9a-z\\\\, :/é\n]*") {
            let _ = (parse(&text), unescaped(&text), id_in(&text));
        }
    }
}

//! Names that are known by what stands before them or by their shape.

use super::names::Kind;
use super::number_shapes as numbers;

/// A name at the begin of a text, behind `keep` bytes that stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) keep: usize,
    /// In bytes.
    pub(super) length: usize,
    pub(super) kind: Kind,
}

/// Whether a word may begin after this.
pub(super) fn starts_word(before: &str) -> bool {
    !before.ends_with(char::is_alphanumeric)
}

/// Whether a word ends before this.
pub(super) fn ends_word(after: &str) -> bool {
    !after.starts_with(char::is_alphanumeric)
}

/// What a name behind a mark must be like.
#[derive(Clone, Copy, Debug)]
enum Like {
    Any,
    /// Begins with a hexadecimal digit.
    Hex,
    /// Has letters and digits only, as many as two of LVM's ids.
    Lvm,
    /// Has a dot or a colon.
    Address,
}

/// What ends a name, besides white space.
const PATH_ENDS: &str = "\"'`,;:()[]/\\<>";
const VALUE_ENDS: &str = "\"'`,;()[]<>";
const DISK_ENDS: &str = "\"'`,;()[]/<>";

/// What stands before a name, what the name is, what ends it, what it is like.
const MARKS: [(&str, Kind, &str, Like); 25] = [
    ("/home/", Kind::User, PATH_ENDS, Like::Any),
    ("/run/media/", Kind::User, PATH_ENDS, Like::Any),
    ("username=", Kind::User, VALUE_ENDS, Like::Any),
    ("by-id/", Kind::Id, DISK_ENDS, Like::Any),
    ("by-uuid/", Kind::Uuid, DISK_ENDS, Like::Any),
    ("by-partuuid/", Kind::Uuid, DISK_ENDS, Like::Any),
    ("by-label/", Kind::Label, DISK_ENDS, Like::Any),
    ("by-partlabel/", Kind::Label, DISK_ENDS, Like::Any),
    ("UUID=", Kind::Uuid, PATH_ENDS, Like::Any),
    ("PARTUUID=", Kind::Uuid, PATH_ENDS, Like::Any),
    ("LABEL=", Kind::Label, VALUE_ENDS, Like::Any),
    ("PARTLABEL=", Kind::Label, VALUE_ENDS, Like::Any),
    ("hostname=", Kind::Host, VALUE_ENDS, Like::Any),
    ("machine_id=", Kind::Id, VALUE_ENDS, Like::Any),
    ("ip=", Kind::Network, VALUE_ENDS, Like::Address),
    ("nfsroot=", Kind::Network, VALUE_ENDS, Like::Any),
    ("netroot=", Kind::Network, VALUE_ENDS, Like::Any),
    ("BOOTIF=", Kind::Mac, VALUE_ENDS, Like::Any),
    ("wwn-", Kind::Id, PATH_ENDS, Like::Hex),
    ("naa.", Kind::Id, PATH_ENDS, Like::Hex),
    ("eui.", Kind::Id, PATH_ENDS, Like::Hex),
    ("mpath-", Kind::Id, PATH_ENDS, Like::Hex),
    ("iqn.", Kind::Id, VALUE_ENDS, Like::Hex),
    ("nqn.", Kind::Id, VALUE_ENDS, Like::Hex),
    ("LVM-", Kind::Id, PATH_ENDS, Like::Lvm),
];

/// The name at the begin of `rest`, which follows `before` in its line.
pub(super) fn at(before: &str, rest: &str) -> Option<Found> {
    if !starts_word(before) && rest.starts_with(char::is_alphanumeric) {
        return None;
    }
    marked(rest).or_else(|| email(before, rest)).or_else(|| numbers::at(before, rest))
}

fn marked(rest: &str) -> Option<Found> {
    let (mark, kind, ends, like) = MARKS.iter().find(|(mark, ..)| rest.starts_with(mark))?;
    let value = &rest[mark.len()..];
    let (quote, value) = match value.strip_prefix('"') {
        Some(inner) => (1, inner.split('"').next()?),
        None => (0, value.split(|c: char| c.is_whitespace() || ends.contains(c)).next()?),
    };
    let value = without_partition(value);
    let length = value.len();
    (length > 0 && like.fits(value)).then_some(Found {
        keep: mark.len() + quote,
        length,
        kind: *kind,
    })
}

impl Like {
    fn fits(self, value: &str) -> bool {
        match self {
            Like::Any => true,
            Like::Hex => value.starts_with(|c: char| c.is_ascii_hexdigit()),
            Like::Lvm => {
                value.len() >= 64 && value.bytes().take(64).all(|b| b.is_ascii_alphanumeric())
            }
            Like::Address => value.contains(['.', ':']),
        }
    }
}

/// A disk and its partitions have the same name but for `-part1`.
fn without_partition(name: &str) -> &str {
    match name.rsplit_once("-part") {
        Some((disk, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => disk,
        _ => name,
    }
}

/// How units of systemd end, which have an `@` too.
const UNITS: [&str; 8] =
    ["service", "slice", "scope", "socket", "mount", "swap", "target", "timer"];

/// `name@domain.org`; `(name@host)` as the kernel tells who built it.
fn email(before: &str, rest: &str) -> Option<Found> {
    let name = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "._%+-".contains(c)))?;
    let domain = rest[name..].strip_prefix('@').filter(|_| name > 0)?;
    let end = domain.find(|c: char| !(c.is_ascii_alphanumeric() || ".-".contains(c)));
    let (domain, after) = domain.split_at(end.unwrap_or(domain.len()));
    let domain = domain.trim_end_matches(['.', '-']);
    let is_domain = domain.rsplit_once('.').is_some_and(|(_, last)| {
        last.len() > 1 && last.bytes().all(|b| b.is_ascii_alphabetic()) && !UNITS.contains(&last)
    });
    let is_builder = before.ends_with('(') && after.starts_with(')') && !domain.is_empty();
    let length = name + 1 + domain.len();
    (is_domain || is_builder).then_some(Found { keep: 0, length, kind: Kind::Email })
}

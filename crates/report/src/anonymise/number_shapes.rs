//! Numbers that identify: addresses and ids, told from versions and other numbers.

use core::net::{Ipv4Addr, Ipv6Addr};

use super::names::Kind;
use super::shapes::{Found, ends_word, starts_word};

/// The number at the begin of `rest`, which follows `before` in its line.
pub(super) fn at(before: &str, rest: &str) -> Option<Found> {
    if !starts_word(before) {
        return None;
    }
    let shapes = [uuid(rest), pairs(rest), ipv6(rest), ipv4(before, rest), long_hex(rest)];
    let (length, kind) = shapes.into_iter().flatten().next()?;
    Some(Found { keep: 0, length, kind })
}

type Shape = Option<(usize, Kind)>;

/// The begin of the text that has such characters only.
fn run(text: &str, is_part: impl Fn(char) -> bool) -> &str {
    &text[..text.find(|c| !is_part(c)).unwrap_or(text.len())]
}

/// A UUID, or LVM's id of a volume.
fn uuid(rest: &str) -> Shape {
    let word = run(rest, |c| c.is_ascii_alphanumeric() || c == '-');
    [(&[8, 4, 4, 4, 12][..], 16, Kind::Uuid), (&[6, 4, 4, 4, 4, 4, 6], 36, Kind::Id)]
        .into_iter()
        .find_map(|(lengths, radix, kind)| {
            let length = lengths.iter().sum::<usize>() + lengths.len() - 1;
            let digits = word.get(..length)?;
            let mut parts = digits.split('-');
            let fits = lengths.iter().all(|&length| {
                parts
                    .next()
                    .is_some_and(|p| p.len() == length && p.chars().all(|c| c.is_digit(radix)))
            });
            (fits && ends_word(&rest[length..])).then_some((length, kind))
        })
}

/// Pairs of digits: a MAC address (6; 20 with InfiniBand) or a world-wide name (8).
fn pairs(rest: &str) -> Shape {
    let word = run(rest, |c| c.is_ascii_hexdigit() || c == ':').trim_end_matches(':');
    let is_pairs = word.split(':').all(|pair| pair.len() == 2);
    let kind = match word.split(':').count() {
        6 | 20 => Kind::Mac,
        8 => Kind::Id,
        _ => return None,
    };
    (is_pairs && ends_word(&rest[word.len()..])).then_some((word.len(), kind))
}

/// Not `0::`, as in `/proc/self/cgroup`, and not the host itself.
fn ipv6(rest: &str) -> Shape {
    let word = run(rest, |c| c.is_ascii_hexdigit() || ":.".contains(c));
    let word = word.strip_suffix([':', '.']).unwrap_or(word);
    let address: Ipv6Addr = word.parse().ok()?;
    let groups = word.split(':').filter(|group| !group.is_empty());
    let is_long = groups.clone().count() > 1 && groups.clone().any(|group| group.len() > 2);
    let is_whole = !word.contains("::");
    let is_told = (is_long || is_whole) && !address.is_loopback();
    (is_told && ends_word(&rest[word.len()..])).then_some((word.len(), Kind::Ipv6))
}

/// Not a version, nor what is the same on all hosts.
fn ipv4(before: &str, rest: &str) -> Shape {
    let word = run(rest, |c| c.is_ascii_digit() || c == '.').trim_end_matches('.');
    let address: Ipv4Addr = word.parse().ok()?;
    let after = &rest[word.len()..];
    let is_common = matches!(address.octets()[0], 0 | 127 | 255);
    let goes_on = !ends_word(after) || after.starts_with(['-', '+', '~', '_']);
    (!is_common && !goes_on && !is_version(before)).then_some((word.len(), Kind::Ipv4))
}

/// Whether what comes next is a version, by what stands before it.
fn is_version(before: &str) -> bool {
    if before.ends_with(['-', '.', '+', '~', '_']) || before.ends_with("modules/") {
        return true;
    }
    let told = before.trim_end_matches([' ', '\t', ':', '=', '"', '\'', '(']);
    let last = told.rsplit([' ', '\t', ':', '=', '"', '(', '/']).next().unwrap_or_default();
    let last = last.to_lowercase();
    ["version", "release"].iter().any(|word| last.contains(word))
        || ["rev", "kernel", "linux"].iter().any(|word| last.ends_with(word))
        || ["v", "ver"].contains(&last.as_str())
}

/// Ids of machines, containers and disks have 32, 33 or 64 digits; a commit has 40.
fn long_hex(rest: &str) -> Shape {
    let word = run(rest, |c| c.is_ascii_hexdigit());
    let is_id = [32, 33, 64].contains(&word.len()) && ends_word(&rest[word.len()..]);
    is_id.then_some((word.len(), Kind::Id))
}

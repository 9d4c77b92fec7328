//! Placeholders, and which name has which.

use std::collections::HashMap;

/// What a name is the name of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Host,
    Domain,
    User,
    Ipv4,
    Ipv6,
    Mac,
    Network,
    Email,
    Uuid,
    Label,
    /// A serial number, a world-wide name, a machine's id.
    Id,
}

/// What placeholders are called.
const WORDS: [(Kind, &str); 11] = [
    (Kind::Host, "host"),
    (Kind::Domain, "domain"),
    (Kind::User, "user"),
    (Kind::Ipv4, "ipv4"),
    (Kind::Ipv6, "ipv6"),
    (Kind::Mac, "mac"),
    (Kind::Network, "network"),
    (Kind::Email, "email"),
    (Kind::Uuid, "uuid"),
    (Kind::Label, "label"),
    (Kind::Id, "id"),
];

/// The placeholders given so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    given: HashMap<(Kind, String), usize>,
    counts: HashMap<Kind, usize>,
}

impl Names {
    /// The same for the same name, however its letters are written; a placeholder has itself.
    pub(super) fn placeholder(&mut self, kind: Kind, name: &str) -> String {
        if is_placeholder(name) {
            return name.to_owned();
        }
        let number = self.given.entry((kind, known_as(kind, name))).or_insert_with(|| {
            let count = self.counts.entry(kind).or_default();
            *count += 1;
            *count
        });
        let word = WORDS.iter().find(|(known, _)| *known == kind).map_or("", |(_, word)| word);
        format!("{word}-{number}")
    }
}

/// What all ways to write a name have in common: a host may stand with its domain or without, and
/// with its hyphens as LVM and systemd write them.
fn known_as(kind: Kind, name: &str) -> String {
    let name = name.to_lowercase();
    match kind {
        Kind::Host => {
            let alone = name.split('.').next().unwrap_or(&name);
            alone.replace("--", "-").replace("\\x2d", "-")
        }
        _ => name,
    }
}

fn is_placeholder(name: &str) -> bool {
    WORDS.iter().any(|(_, word)| {
        let number = name.strip_prefix(word).and_then(|rest| rest.strip_prefix('-'));
        number.is_some_and(|n| !n.is_empty() && n.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

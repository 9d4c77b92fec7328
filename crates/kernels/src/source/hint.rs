//! What to say of a revision that git does not know.

use super::repository::Repository;

/// How many edits a name may be away from what was asked for.
const NEAR: usize = 2;

/// How many names are told.
const NAMES: usize = 3;

/// What to do about `revision`, after a semicolon; empty where nothing is known.
pub(super) fn for_unknown(repository: &Repository, revision: &str, said: &str) -> String {
    if let Some(hint) = from_words(said) {
        return hint.to_owned();
    }
    if repository.is_shallow() {
        return "; this clone holds only the latest part of its history: git fetch --unshallow --tags"
            .to_owned();
    }
    // Without the names there is no hint; what is wrong is the revision all the same.
    let names = names(repository);
    let near = near(revision, names.lines());
    match near.is_empty() {
        true => "; fetch it: git fetch --tags".to_owned(),
        false => format!("; did you mean {}?", near.join(", ")),
    }
}

/// What git's own words tell.
fn from_words(said: &str) -> Option<&'static str> {
    let known = [
        ("is ambiguous", "; more than one object begins so: give more digits"),
        ("expected commit type", "; there is such an object, but it is no commit"),
    ];
    known.into_iter().find(|(words, _)| said.contains(words)).map(|(_, hint)| hint)
}

fn names(repository: &Repository) -> String {
    let heads = ["refs/tags", "refs/heads", "refs/remotes"];
    let arguments = [&["for-each-ref", "--format=%(refname:short)"], &heads[..]].concat();
    repository.git.ask_line(&arguments).unwrap_or_default()
}

/// The names that are most like `wanted`, the nearest first. `6.12` is as good as `v6.12`, and a branch's own
/// name as good as that with its remote's before it.
fn near<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let distance = |name: &str| {
        let bare = name.split_once('/').map_or(name, |(_, bare)| bare);
        strsim::levenshtein(wanted, name).min(strsim::levenshtein(wanted, bare))
    };
    let mut near: Vec<(usize, &str)> = names
        .map(|name| (distance(name), name))
        .filter(|(distance, _)| *distance <= NEAR)
        .collect();
    near.sort_unstable();
    let nearest = near.first().map_or(0, |(distance, _)| *distance);
    let as_near = near.into_iter().take_while(|(distance, _)| *distance == nearest);
    as_near.map(|(_, name)| name).take(NAMES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_digits_are_asked_for_where_git_wants_them() {
        let said = "error: short object ID 066c is ambiguous\nhint: The candidates are:\n\
            hint:   066cbfe blob\nhint:   066ce60 blob\nfatal: Needed a single revision\n";
        assert!(from_words(said).is_some_and(|hint| hint.contains("more digits")));
        assert_eq!(from_words("fatal: Needed a single revision\n"), None);
    }

    #[test]
    fn the_nearest_names_are_told() {
        let names = ["v6.1", "v6.11", "v6.12", "v6.12-rc1", "origin/slow", "main"];
        let table: [(&str, &[&str]); 5] = [
            ("6.12", &["v6.12"]),
            ("v6.13", &["v6.1", "v6.11", "v6.12"]),
            ("slow", &["origin/slow"]),
            ("master", &[]),
            ("v6.12-rc2", &["v6.12-rc1"]),
        ];
        for (wanted, expected) in table {
            assert_eq!(near(wanted, names.into_iter()), expected, "{wanted}");
        }
    }
}

//! The commands that make a bisection, or the comparison that proves it, again.

use model::place::is_exact;
use model::{Action, Change, ChangeKind, Hunt, Settings, TrialSpec};

/// Settings that name files of the machine on which they were made.
const FILES: [&str; 5] = ["kernel", "kernel.modules", "kernel.config", "patch", "modules"];

/// Where a command is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Names {
    /// On this machine: paths are whole.
    Whole,
    /// Anywhere: files are named without their folders, and the repository is `LINUX`.
    Public,
}

/// The words of `slowpath bisect` for this hunt. A list of changes is named by a placeholder.
pub(super) fn bisect(hunt: &Hunt, spec: Option<&TrialSpec>, names: Names) -> Vec<String> {
    let mut words = begin("bisect", hunt, names);
    let bad = hunt.change(Some(hunt.bad()));
    match hunt.kind {
        ChangeKind::Commit => {
            words.extend(["--good".to_owned(), hunt.good.short(hunt.kind).to_owned()]);
            words.extend(["--bad".to_owned(), bad.short(hunt.kind).to_owned()]);
            words.extend(hunt.paths.iter().flat_map(|path| ["--path".to_owned(), path.clone()]));
        }
        ChangeKind::Package => {
            let range = format!("kernel=debian:{}..{}", hunt.good.name, bad.name);
            words.extend(["--vary".to_owned(), range]);
        }
        ChangeKind::Setting => words.extend(values(hunt)),
    }
    let base = &hunt.settings.patch;
    for (_, files) in hunt.fixes.iter().flat_map(|fix| &fix.set).filter(|(key, _)| key == "patch") {
        let fix = files.split(',').filter(|file| !base.iter().any(|known| known == file));
        words.extend(fix.flat_map(|file| ["--try".to_owned(), path(file, names)]));
    }
    words.extend(set(&hunt.settings, &varied(hunt), names));
    words.extend(judged(hunt));
    for (option, value, usual) in [("--seeds", hunt.seeds, 2), ("--most", hunt.most, 24)] {
        if value != usual {
            words.extend([option.to_owned(), value.to_string()]);
        }
    }
    words.extend(command(hunt, spec));
    words
}

/// The settings that all changes of the hunt set, so that the common ones do not matter.
pub(super) fn varied(hunt: &Hunt) -> Vec<&str> {
    let keys = hunt.good.set.iter().map(|(key, _)| key.as_str());
    let sets = |change: &Change, key: &str| change.set.iter().any(|(other, _)| other == key);
    keys.filter(|key| hunt.candidates.iter().all(|one| sets(&one.change, key))).collect()
}

/// The words of `slowpath compare` for a culprit and what it stands on; `None` where they differ in more
/// than one setting, or in one that a side leaves as it is.
pub(super) fn compare(
    hunt: &Hunt,
    spec: Option<&TrialSpec>,
    (parent, culprit): (Option<usize>, usize),
    names: Names,
) -> Option<Vec<String>> {
    let old = hunt.settings_of(hunt.change(parent)).ok()?;
    let new = hunt.settings_of(hunt.change(Some(culprit))).ok()?;
    let olds = old.pairs();
    let mut different = new.pairs().into_iter().filter(|pair| !olds.contains(pair));
    let (key, value) = different.next().filter(|_| olds.len() == new.pairs().len())?;
    let (_, before) = olds.iter().find(|(other, _)| *other == key)?;
    if different.next().is_some() {
        return None;
    }
    let shown = |value: &str| escaped(&named(hunt.kind, &key, value, names));
    let mut words = begin("compare", hunt, names);
    words.extend(["--vary".to_owned(), format!("{key}={},{}", shown(before), shown(&value))]);
    words.extend(set(&new, &[&key], names));
    words.extend(judged(hunt));
    words.extend(command(hunt, spec));
    Some(words)
}

fn begin(command: &str, hunt: &Hunt, names: Names) -> Vec<String> {
    let mut words = vec!["slowpath".to_owned(), command.to_owned()];
    words.extend(is_name(&hunt.case).then(|| hunt.case.clone()));
    if let Some(repository) = &hunt.settings.kernel_repo {
        let repository = if names == Names::Public { "LINUX" } else { repository };
        words.extend(["--repo".to_owned(), repository.to_owned()]);
    }
    words
}

/// Cases of a command are called as their command is.
fn is_name(case: &str) -> bool {
    !case.contains(char::is_whitespace)
}

/// The command of a case that has no name, behind all else.
fn command(hunt: &Hunt, spec: Option<&TrialSpec>) -> Vec<String> {
    if is_name(&hunt.case) {
        return Vec::new();
    }
    let command = spec.and_then(|spec| {
        spec.phases.iter().find_map(|phase| match &phase.action {
            Action::Command { command } => Some(command.clone()),
            _ => None,
        })
    });
    let command = command.unwrap_or_else(|| vec!["COMMAND".to_owned()]);
    std::iter::once("--".to_owned()).chain(command).collect()
}

/// The values of the one setting that all changes set, or a placeholder for a list.
fn values(hunt: &Hunt) -> Vec<String> {
    let changes = std::iter::once(&hunt.good).chain(hunt.candidates.iter().map(|c| &c.change));
    let pairs: Vec<_> = changes.map(|change| change.set.as_slice()).collect();
    if let Some([(key, _)]) = pairs.first()
        && pairs.iter().all(|set| matches!(set, [(other, _)] if other == key))
    {
        let values: Vec<String> = pairs.iter().map(|set| escaped(&set[0].1)).collect();
        return vec!["--vary".to_owned(), format!("{key}={}", values.join(","))];
    }
    vec!["--list".to_owned(), "LIST".to_owned()]
}

/// The settings that differ from the defaults.
fn set(settings: &Settings, without: &[&str], names: Names) -> Vec<String> {
    let told = |key: &str| key != "kernel.repo" && !without.contains(&key);
    let changed = settings.changed().into_iter().filter(|(key, _)| told(key));
    let pair = |(key, value): (String, String)| {
        let value = match FILES.contains(&key.as_str()) {
            true => value.split(',').map(|file| path(file, names)).collect::<Vec<_>>().join(","),
            false => value,
        };
        ["--set".to_owned(), format!("{key}={value}")]
    };
    changed.flat_map(pair).collect()
}

/// The value of the setting that is varied: commits are short, files as they are named.
fn named(kind: ChangeKind, key: &str, value: &str, names: Names) -> String {
    if kind == ChangeKind::Commit && key == "kernel" {
        return value.get(..12).unwrap_or(value).to_owned();
    }
    match FILES.contains(&key) {
        true => value.split(',').map(|file| path(file, names)).collect::<Vec<_>>().join(","),
        false => value.to_owned(),
    }
}

fn path(file: &str, names: Names) -> String {
    match (names, file.rsplit_once('/')) {
        (Names::Public, Some((_, name))) if file.starts_with('/') && !name.is_empty() => {
            name.to_owned()
        }
        _ => file.to_owned(),
    }
}

/// How it is judged, where that is not as `bisect` and `compare` do by themselves.
fn judged(hunt: &Hunt) -> Vec<String> {
    let mut words = vec!["--headline".to_owned(), hunt.headline.clone()];
    let percent = |share: f64| {
        let text = format!("{:.4}", share * 100.0);
        format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
    };
    for (option, value, usual) in
        [("--threshold", hunt.threshold, "2%"), ("--confidence", hunt.confidence, "95%")]
    {
        let value = percent(value);
        if value != usual {
            words.extend([option.to_owned(), value]);
        }
    }
    if !is_exact(&hunt.place) {
        words.extend(["--on".to_owned(), hunt.place.clone()]);
    }
    words
}

/// A value of `--vary`, in which a comma ends it.
fn escaped(value: &str) -> String {
    value.replace(',', "\\,")
}

#[cfg(test)]
mod tests {
    use model::bisection::chain;

    use super::*;
    use crate::bisection::shell::lines;

    fn change(name: &str, set: &[(&str, &str)]) -> Change {
        let set = set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        Change { name: name.to_owned(), title: String::new(), set: set.collect() }
    }

    fn hunt(kind: ChangeKind, good: Change, candidates: Vec<Change>) -> Hunt {
        Hunt {
            case: "dd-sync".to_owned(),
            headline: "write".to_owned(),
            place: "exact".to_owned(),
            settings: Settings::default(),
            kind,
            good,
            candidates: chain(candidates),
            paths: Vec::new(),
            fixes: Vec::new(),
            threshold: 0.02,
            confidence: 0.95,
            seeds: 2,
            most: 24,
            notes: Vec::new(),
        }
    }

    fn line(words: &[String]) -> String {
        lines(words, 1000).join("\n")
    }

    fn list() -> Hunt {
        let first = [("cpus", "2")];
        let second = [("cpus", "2"), ("mount", "noatime,nodiscard")];
        let changes = vec![change("cpus=2", &first), change("mount=...", &second)];
        hunt(ChangeKind::Setting, change("none of them", &[]), changes)
    }

    #[test]
    fn a_list_is_named_by_a_placeholder_and_its_proof_is_one_setting() {
        let hunt = list();
        let bisect = "slowpath bisect dd-sync --list LIST --headline write";
        assert_eq!(line(&super::bisect(&hunt, None, Names::Public)), bisect);
        let compare = super::compare(&hunt, None, (Some(0), 1), Names::Public).unwrap();
        assert_eq!(
            line(&compare),
            "slowpath compare dd-sync --vary 'mount=,noatime\\,nodiscard' --set cpus=2 --headline write"
        );
    }

    #[test]
    fn what_differs_in_several_settings_or_in_an_unset_one_is_not_compared() {
        assert_eq!(super::compare(&list(), None, (None, 1), Names::Whole), None);
        let sysctl = [("sysctl.vm.dirty_ratio", "10")];
        let good = change("none of them", &[]);
        let hunt = hunt(ChangeKind::Setting, good, vec![change("a", &sysctl)]);
        assert_eq!(super::compare(&hunt, None, (None, 0), Names::Whole), None);
    }

    #[test]
    fn what_is_not_as_usual_is_said() {
        let mut hunt = list();
        (hunt.threshold, hunt.confidence, hunt.seeds, hunt.most) = (0.125, 0.99, 3, 60);
        hunt.place = "dir:/mnt/a b".to_owned();
        hunt.case = "sh -c 'it is'".to_owned();
        assert_eq!(
            line(&super::bisect(&hunt, None, Names::Whole)),
            "slowpath bisect --list LIST --headline write --threshold 12.5% --confidence 99% \
             --on 'dir:/mnt/a b' --seeds 3 --most 60 -- COMMAND"
        );
    }
}

//! From the arguments of `bisect` to a hunt: its ends, its candidates, its fixes.

use std::fs;
use std::path::Path;

use kernels::{Debian, Range, Repository};
use model::bisection::chain;
use model::{Candidate, Case, Change, ChangeKind, Hunt, Settings};
use slowpath::arguments::Bisect;

use crate::case_source;
use crate::exit::Failure;
use crate::sources;
use crate::variants;

/// A range of Debian's kernels: `debian:A..B`.
const DEBIAN: &str = "debian:";

/// Settings that hold several files or commits: a later change adds to them.
const ADDING: [&str; 4] = ["patch", "revert", "modules", "kernel.config"];

/// What stands between the ends, and the good one itself.
struct Candidates {
    kind: ChangeKind,
    good: Change,
    candidates: Vec<Candidate>,
    notes: Vec<String>,
}

/// The hunt that the arguments ask for.
///
/// # Errors
/// Nothing to search, or a setting that cannot be taken.
pub(crate) fn hunt(
    bisect: &Bisect,
    case: &Case,
    place: String,
    debian: &Debian,
) -> Result<Hunt, Failure> {
    let mut set = bisect.set.clone();
    set.extend(sources::settings(&bisect.sources)?);
    let base = variants::baseline(case, &set, &place)?;
    let found = candidates(bisect, &base.settings, debian)?;
    let mut hunt = Hunt {
        case: case.name.clone(),
        headline: case.headline.clone(),
        place,
        fixes: fixes(bisect, &base.settings)?,
        settings: base.settings,
        kind: found.kind,
        good: found.good,
        candidates: found.candidates,
        paths: bisect.paths.clone(),
        threshold: bisect.judging.threshold.0,
        confidence: bisect.judging.confidence.0,
        seeds: bisect.seeds,
        most: bisect.most.max(bisect.seeds),
        notes: found.notes,
    };
    check(case, &hunt)?;
    resolve(&mut hunt)?;
    let (good, bad) =
        (hunt.settings_of(&hunt.good), hunt.settings_of(hunt.change(Some(hunt.bad()))));
    if good == bad {
        return Err(Failure::usage(format!(
            "the good and the bad end are the same: {}; name two that differ",
            hunt.good.short(hunt.kind)
        )));
    }
    Ok(hunt)
}

/// Names revisions and files in the changes wholly, as in all settings that are kept. Those of commits are whole
/// already.
fn resolve(hunt: &mut Hunt) -> Result<(), Failure> {
    sources::resolve(&mut hunt.settings)?;
    if hunt.kind != ChangeKind::Setting {
        return Ok(());
    }
    let common = hunt.clone();
    let candidates = hunt.candidates.iter_mut().map(|candidate| &mut candidate.change);
    for change in candidates.chain([&mut hunt.good]).chain(&mut hunt.fixes) {
        let mut settings = common.settings_of(change).map_err(Failure::usage)?;
        sources::resolve(&mut settings)?;
        for (key, value) in &mut change.set {
            if let Some(whole) = value_of(&settings, key) {
                *value = whole;
            }
        }
    }
    Ok(())
}

/// Checks that every change can be set.
fn check(case: &Case, hunt: &Hunt) -> Result<(), Failure> {
    let changes = hunt.candidates.iter().map(|candidate| &candidate.change);
    for change in changes.chain([&hunt.good]).chain(&hunt.fixes) {
        let wrong = |error| Failure::usage(format!("{}: {error}", change.name));
        let settings = hunt.settings_of(change).map_err(wrong)?;
        let variant =
            model::Variant { name: change.name.clone(), place: hunt.place.clone(), settings };
        variants::check(case, &variant)?;
    }
    Ok(())
}

fn candidates(bisect: &Bisect, base: &Settings, debian: &Debian) -> Result<Candidates, Failure> {
    match (&bisect.good, &bisect.bad, &bisect.vary, &bisect.list) {
        (Some(good), Some(bad), None, None) => commits(bisect, base, good, bad),
        (None, None, Some(vary), None) => values(vary, debian),
        (None, None, None, Some(list)) => listed(list, base),
        _ => Err(Failure::usage(
            "nothing to search: name two revisions (--repo DIR --good REV --bad REV), the values of a setting \
             (--vary kernel=debian:6.1..6.12), or a list of changes (--list FILE)",
        )),
    }
}

fn commits(bisect: &Bisect, base: &Settings, good: &str, bad: &str) -> Result<Candidates, Failure> {
    let repository = base.kernel_repo.as_deref().unwrap_or_default();
    if let Some(kernel) = bisect.set.iter().find(|pair| pair.trim_start().starts_with("kernel=")) {
        return Err(Failure::usage(format!(
            "{kernel} is set, and the kernel is what --good and --bad search; leave one of them out"
        )));
    }
    let Range { good: end, instead_of, commits } =
        Repository::open(Path::new(repository))?.range(good, bad, &bisect.paths)?;
    let change = |commit: kernels::Commit| Change {
        set: vec![("kernel".to_owned(), commit.id.clone())],
        name: commit.id,
        title: commit.subject,
    };
    let stand_in = instead_of.map(|asked| {
        let (here, asked) = (end.id.get(..12).unwrap_or(&end.id), asked.id.get(..12).unwrap_or_default());
        format!(
            "{good} ({asked}) is no ancestor of {bad}: where their histories part, {here}, stands for it; what \
             only {good} has is not searched"
        )
    });
    Ok(Candidates {
        kind: ChangeKind::Commit,
        good: change(end),
        candidates: commits
            .into_iter()
            .map(|commit| Candidate { change: change(commit.commit), parents: commit.parents })
            .collect(),
        notes: stand_in.into_iter().collect(),
    })
}

/// The values of a setting, each in the place of the one before.
fn values(vary: &str, debian: &Debian) -> Result<Candidates, Failure> {
    let (key, text) = vary.split_once('=').ok_or_else(|| {
        Failure::usage(format!(
            "--vary {vary} names no values; write KEY=VALUE,VALUE,..., or kernel=debian:A..B"
        ))
    })?;
    let key = key.trim();
    let series =
        text.trim().strip_prefix(DEBIAN).filter(|range| key == "kernel" && !range.contains(','));
    let (kind, names) = match series {
        Some(range) => (ChangeKind::Package, packages(range, debian)?),
        None => (ChangeKind::Setting, variants::split(text)),
    };
    let change = |value: &String| match kind {
        ChangeKind::Package => Change {
            name: value.clone(),
            title: String::new(),
            set: vec![("kernel".to_owned(), format!("{DEBIAN}{value}"))],
        },
        _ => Change {
            name: format!("{key}={value}"),
            title: String::new(),
            set: vec![(key.to_owned(), value.clone())],
        },
    };
    let mut changes = names.iter().map(change);
    let good = changes.next().filter(|_| names.len() > 1).ok_or_else(|| {
        Failure::usage(format!(
            "--vary {vary} names one value; a search needs a good and a bad end"
        ))
    })?;
    Ok(Candidates { kind, good, candidates: chain(changes), notes: Vec::new() })
}

fn packages(range: &str, debian: &Debian) -> Result<Vec<String>, Failure> {
    let (from, to) = range.split_once("..").unwrap_or((range, range));
    let refused = |error: kernels::KernelError| match error.cannot_be_fetched() {
        true => Failure::missing(error),
        false => Failure::usage(error),
    };
    let found = debian.between(from.trim(), to.trim()).map_err(refused)?;
    match found.len() {
        0 | 1 => Err(Failure::usage(format!(
            "kernel=debian:{range}: {} of these can be had; a search needs two (slowpath kernels lists them)",
            found.len()
        ))),
        _ => Ok(found),
    }
}

/// A file with a change in each line, each on top of those before it.
fn listed(list: &Path, base: &Settings) -> Result<Candidates, Failure> {
    let text = fs::read_to_string(list)
        .map_err(|error| Failure::usage(format!("--list {}: {error}", list.display())))?;
    let folder = list.parent().unwrap_or(Path::new("."));
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut standing = Vec::<(String, String)>::new();
    let mut changes = Vec::new();
    for line in lines {
        let (key, value) = line_setting(line, folder)?;
        let before =
            standing.iter().find(|(known, _)| *known == key).map(|(_, value)| value.clone());
        let before = before.or_else(|| value_of(base, &key));
        let value =
            match before.filter(|before| !before.is_empty() && ADDING.contains(&key.as_str())) {
                Some(before) => format!("{before},{value}"),
                None => value,
            };
        standing.retain(|(known, _)| *known != key);
        standing.push((key, value));
        changes.push(Change { name: line.to_owned(), title: String::new(), set: standing.clone() });
    }
    if changes.is_empty() {
        return Err(Failure::usage(format!("--list {}: no change stands in it", list.display())));
    }
    let good = Change { name: "none of them".to_owned(), title: String::new(), set: Vec::new() };
    let kind = ChangeKind::Setting;
    Ok(Candidates { kind, good, candidates: chain(changes), notes: Vec::new() })
}

/// The setting of a line; a line without `=` is a patch, as in a series of quilt.
fn line_setting(line: &str, folder: &Path) -> Result<(String, String), Failure> {
    let (key, value) = line.split_once('=').unwrap_or(("patch", line));
    let (key, value) = (key.trim(), value.trim());
    let value = match key {
        "patch" | "kernel.config" => sources::whole("the list's", &folder.join(value))?,
        _ => value.to_owned(),
    };
    Ok((key.to_owned(), value))
}

fn value_of(settings: &Settings, key: &str) -> Option<String> {
    settings.pairs().into_iter().find(|(known, _)| known == key).map(|(_, value)| value)
}

/// The fixes to try, each on top of what patches there are.
fn fixes(bisect: &Bisect, base: &Settings) -> Result<Vec<Change>, Failure> {
    let fix = |file: &std::path::PathBuf| {
        let path = sources::whole("--try", file)?;
        let patches: Vec<String> = base.patch.iter().cloned().chain([path]).collect();
        let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
        let set = vec![("patch".to_owned(), patches.join(","))];
        Ok(Change { name, title: String::new(), set })
    };
    bisect.fixes.iter().map(fix).collect()
}

/// The case, judged by another phase where one is named.
pub(crate) fn case(bisect: &Bisect) -> Result<Case, Failure> {
    let case = case_source::wanted(bisect.case.as_deref(), &bisect.commands)?;
    case_source::judged_by(case, bisect.judging.headline.as_deref())
}

//! Case files: TOML in, a [`Case`] or an error that shows the line out.

use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::FORMAT;
use crate::case::{Action, Case, Step};
use crate::case_order::{misplaced, twin};
use crate::ffsb;
use crate::settings::Settings;

/// The file's own form; `case.schema.json` is made from it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "A case of slowpath"))]
pub struct CaseFile {
    /// The format's number: 1.
    format: u32,
    /// The case's name.
    name: String,
    /// What the case is for, in a sentence.
    #[serde(default)]
    about: String,
    /// The name of the phase by which the case is judged; `round` is a whole round.
    headline: String,
    /// The case's own settings.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(schema_with = "settings_schema"))]
    #[expect(dead_code, reason = "read again by `settings`, with the places of its keys")]
    settings: toml::Table,
    /// Steps before the rounds.
    #[serde(default)]
    before: Vec<StepFile>,
    /// The steps of a round; the setting `rounds` says how often they are done.
    #[serde(default)]
    round: Vec<StepFile>,
    /// Steps after the rounds.
    #[serde(default)]
    after: Vec<StepFile>,
    /// The text of an ffsb profile, which the steps `ffsb-build` and `ffsb-run` follow.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    ffsb: Option<Spanned<String>>,
    /// Files and folders that travel along with the case's commands.
    #[serde(default)]
    include: Vec<String>,
}

/// One step: a phase, or a phase of each round.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct StepFile {
    /// The phase's name in results.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    name: Spanned<String>,
    /// What is done.
    r#do: Do,
    /// With `write`: the file's name on each disk.
    file: Option<String>,
    /// With `command`: the program and its arguments.
    command: Option<Vec<String>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
enum Do {
    /// Makes the filesystem on every disk.
    Mkfs,
    /// Mounts every disk.
    Mount,
    /// Streams `size` bytes in writes of `block` bytes into a file on each disk.
    Write,
    /// Calls sync(2).
    Sync,
    /// Unmounts every disk.
    Umount,
    /// Writes `size` bytes in direct requests of `block` bytes to each bare disk, all at once.
    DiskWrite,
    /// Brings the memory to the condition of the settings `age.*`, and checks it.
    Age,
    /// Builds the filesets of the ffsb profile.
    FfsbBuild,
    /// Has the ffsb profile's threads work until its time is over.
    FfsbRun,
    /// Runs a program in the first disk's folder.
    Command,
}

/// A case file that cannot be used: where, why, and what would be valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseError {
    /// Line from 1, where the place is known.
    pub line: Option<usize>,
    /// The text of that line.
    pub source_line: String,
    /// What is wrong and what would be valid.
    pub message: String,
}

impl fmt::Display for CaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => {
                write!(f, "line {line}: {}\n  {line} | {}", self.message, self.source_line)
            }
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for CaseError {}

const DEFAULT_FILE: &str = "stream";

/// Reads a case file.
///
/// # Errors
/// Text that is no TOML, an unknown or missing field, a setting that cannot be taken, a step that
/// does not fit, or a case without a headline phase; with the line.
pub fn parse(text: &str) -> Result<Case, CaseError> {
    let file: CaseFile =
        toml::from_str(text).map_err(|error| at(text, error.span(), error.message().to_owned()))?;
    if file.format != FORMAT {
        let message =
            format!("format = {} is not known; this version reads format = 1", file.format);
        return Err(at(text, find(text, "format"), message));
    }
    let case = Case {
        settings: settings(text)?,
        before: steps(text, file.before)?,
        round: steps(text, file.round)?,
        after: steps(text, file.after)?,
        name: file.name,
        about: file.about,
        headline: file.headline,
        ffsb: file.ffsb.map(|profile| embedded(text, &profile)).transpose()?,
        include: file.include,
    };
    check(text, &case)?;
    Ok(case)
}

fn check(text: &str, case: &Case) -> Result<(), CaseError> {
    let names = case.headlines();
    if names.is_empty() {
        let message = "the case has no phase; add [[before]], [[round]] or [[after]] steps";
        return Err(at(text, None, message.to_owned()));
    }
    if !names.contains(&case.headline.as_str()) {
        let message =
            format!("no phase is named `{}`; there are {}", case.headline, names.join(", "));
        return Err(at(text, find(text, "headline"), message));
    }
    if let Some(what) = without_profile(case) {
        let message = format!("{what}: write the profile as ffsb = \"\"\"…\"\"\"");
        return Err(at(text, None, message));
    }
    let quoted = |name: &str| find(text, &format!("name = \"{name}\""));
    if let Some(name) = twin(case) {
        let message = format!("two steps are named `{name}`; each phase wants a name of its own");
        return Err(at(text, quoted(name), message));
    }
    if let Some((name, why)) = misplaced(case) {
        let message = format!("step `{name}` cannot be where it is: {why}");
        return Err(at(text, quoted(&name), message));
    }
    case.settings
        .check(case.streams())
        .map_err(|error| at(text, find(text, "[settings]"), error.to_string()))
}

fn steps(text: &str, steps: Vec<StepFile>) -> Result<Vec<Step>, CaseError> {
    steps.into_iter().map(|step| step_of(text, step)).collect()
}

fn step_of(text: &str, step: StepFile) -> Result<Step, CaseError> {
    let span = step.name.span();
    let name = step.name.into_inner();
    let fail = |message: String| Err(at(text, Some(span.clone()), message));
    if name.trim().is_empty() {
        return fail("a step wants a name".to_owned());
    }
    if step.command.is_some() != (step.r#do == Do::Command) {
        return fail(format!(
            "step `{name}`: do = \"command\" wants command = [\"PROGRAM\", \"ARGUMENT\"], and nothing else does"
        ));
    }
    if step.file.is_some() && step.r#do != Do::Write {
        return fail(format!("step `{name}`: `file` goes with do = \"write\" alone"));
    }
    let file = step.file.unwrap_or_else(|| DEFAULT_FILE.to_owned());
    if file.is_empty() || file.contains(['/', '\0']) || file == "." || file == ".." {
        return fail(format!("step `{name}`: `{file}` is no plain file name"));
    }
    let action = match step.r#do {
        Do::Mkfs => Action::Mkfs,
        Do::Mount => Action::Mount,
        Do::Write => Action::Write { file },
        Do::Sync => Action::Sync,
        Do::Umount => Action::Umount,
        Do::DiskWrite => Action::DiskWrite,
        Do::Age => Action::Age,
        Do::FfsbBuild => Action::FfsbBuild,
        Do::FfsbRun => Action::FfsbRun,
        Do::Command => {
            let command = step.command.unwrap_or_default();
            if command.first().is_none_or(|program| program.trim().is_empty()) {
                return fail(format!("step `{name}`: command names no program"));
            }
            Action::Command { command }
        }
    };
    Ok(Step { name, action })
}

/// Reads an embedded profile; an error has the line of the case file.
fn embedded(text: &str, profile: &Spanned<String>) -> Result<ffsb::Profile, CaseError> {
    ffsb::parse(profile.get_ref()).map_err(|error| {
        // TOML drops the line break behind the opening quotes.
        let opening = line_of(text, profile.span().start);
        let first = text[profile.span().start..].trim_start_matches('"').starts_with(['\n', '\r']);
        let line = error.line.map(|line| opening + line - usize::from(!first));
        let message = format!("ffsb profile: {}", error.message);
        CaseError { line: line.or(Some(opening)), source_line: error.source_line, message }
    })
}

/// What is said of ffsb steps without a profile, or a profile without them.
fn without_profile(case: &Case) -> Option<&'static str> {
    let steps = case.before.iter().chain(&case.round).chain(&case.after);
    let uses = |step: &Step| matches!(step.action, Action::FfsbBuild | Action::FfsbRun);
    match (steps.into_iter().any(uses), case.ffsb.is_some()) {
        (true, false) => Some("a step follows an ffsb profile, and there is none"),
        (false, true) => {
            Some("no step follows the ffsb profile (do = \"ffsb-build\", \"ffsb-run\")")
        }
        _ => None,
    }
}

/// Reads the settings table again with the places of its keys, so that an error can show its line.
fn settings(text: &str) -> Result<Settings, CaseError> {
    let mut settings = Settings::default();
    let table =
        DeTable::parse(text).map_err(|error| at(text, error.span(), error.message().to_owned()))?;
    let Some(value) = table.get_ref().get("settings") else {
        return Ok(settings);
    };
    if let DeValue::Table(knobs) = value.get_ref() {
        set_all(text, "", knobs, &mut settings)?;
    }
    Ok(settings)
}

fn set_all(
    text: &str,
    prefix: &str,
    table: &DeTable<'_>,
    settings: &mut Settings,
) -> Result<(), CaseError> {
    for (name, value) in table {
        let key = format!("{prefix}{}", name.get_ref());
        let set = |settings: &mut Settings, value: &str| {
            settings
                .set(&key, value)
                .map_err(|error| at(text, Some(name.span()), error.to_string()))
        };
        match value.get_ref() {
            DeValue::Table(inner) => set_all(text, &format!("{key}."), inner, settings)?,
            DeValue::String(value) => set(settings, value)?,
            DeValue::Integer(value) => set(settings, &value.to_string())?,
            DeValue::Boolean(value) => set(settings, if *value { "yes" } else { "no" })?,
            DeValue::Array(values) => set(settings, &joined(values))?,
            DeValue::Float(_) | DeValue::Datetime(_) => {
                let message = format!("{key}: write the value in quotes");
                return Err(at(text, Some(value.span()), message));
            }
        }
    }
    Ok(())
}

fn joined(values: &toml::de::DeArray<'_>) -> String {
    let texts: Vec<_> = values.iter().filter_map(|value| value.get_ref().as_str()).collect();
    texts.join(",")
}

fn find(text: &str, needle: &str) -> Option<Range<usize>> {
    text.find(needle).map(|start| start..start + needle.len())
}

/// The line, from 1, on which the byte `at` lies.
fn line_of(text: &str, at: usize) -> usize {
    text[..at.min(text.len())].matches('\n').count() + 1
}

fn at(text: &str, span: Option<Range<usize>>, message: String) -> CaseError {
    let line = span.map(|span| line_of(text, span.start));
    let source_line = line.and_then(|line| text.lines().nth(line - 1)).unwrap_or_default();
    CaseError { line, source_line: source_line.to_owned(), message }
}

/// The JSON schema of case files.
#[cfg(feature = "schema")]
#[must_use]
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(CaseFile)
}

/// The schema of `[settings]`: dotted names are nested tables in TOML.
#[cfg(feature = "schema")]
fn settings_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    use serde_json::{Map, Value, json};

    fn place(table: &mut Map<String, Value>, key: &str, about: &str) {
        let types = ["string", "integer", "boolean", "array"];
        match key.split_once('.') {
            None => {
                let entry = table.entry(key).or_insert_with(|| json!({}));
                // `fill` is both a value and the table that holds `fill.style`.
                entry["description"] = json!(about);
                entry["type"] = match entry.get("properties") {
                    Some(_) => json!(["string", "integer", "boolean", "array", "object"]),
                    None => json!(types),
                };
            }
            Some((head, rest)) => {
                let entry = table.entry(head).or_insert_with(|| json!({ "type": "object" }));
                let inner = entry
                    .as_object_mut()
                    .map(|entry| entry.entry("properties").or_insert_with(|| json!({})));
                if let Some(inner) = inner.and_then(Value::as_object_mut) {
                    place(inner, rest, about);
                }
            }
        }
    }

    let mut properties = Map::new();
    for knob in crate::setting_table::KNOBS {
        place(&mut properties, knob.key, knob.about);
    }
    properties.insert(
        "sysctl".to_owned(),
        json!({ "type": "object", "description": "values for files under /proc/sys" }),
    );
    let mut schema = schemars::json_schema!({ "type": "object" });
    schema.insert("properties".to_owned(), Value::Object(properties));
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"
format = 1
name = "mine"
headline = "write"

[settings]
fs = "xfs"
rounds = 4
disk.mbps = 100
disk.fresh = false
sysctl.vm.dirty_ratio = 10

[[before]]
name = "mkfs"
do = "mkfs"

[[before]]
name = "mount"
do = "mount"

[[round]]
name = "write"
do = "write"
file = "toto"
"#;

    #[test]
    fn a_case_file_becomes_a_case() {
        let case = parse(GOOD).unwrap();
        assert_eq!(case.settings.disk_mbps, 100);
        assert!(!case.settings.disk_fresh);
        assert_eq!(case.settings.sysctl["vm.dirty_ratio"], "10");
        let phases = case.phases(case.settings.rounds);
        assert_eq!(phases.len(), 6);
        assert_eq!(phases[5].round, Some(4));
        assert_eq!(phases[5].action, Action::Write { file: "toto".to_owned() });
    }

    #[test]
    fn a_wrong_case_file_shows_the_line_and_what_would_be_valid() {
        for (from, to, line, said) in [
            ("format = 1", "format = 9", 2, "format = 1"),
            ("fs = \"xfs\"", "fs = \"zfs\"", 7, "reiserfs"),
            ("disk.mbps", "disk.mbs", 9, "did you mean `disk.mbps`"),
            ("do = \"mkfs\"", "do = \"format\"", 15, "`umount`"),
            ("name = \"mine\"", "nmae = \"mine\"", 3, "unknown field `nmae`"),
            ("headline = \"write\"", "headline = \"sync\"", 4, "there are mkfs, mount, write"),
            ("file = \"toto\"", "file = \"../x\"", 22, "plain file name"),
            ("rounds = 4", "rounds = 4 4", 8, ""),
            ("do = \"mount\"", "do = \"sync\"", 22, "nothing is mounted"),
            ("name = \"mount\"", "name = \"mkfs\"", 14, "two steps"),
            ("rounds = 4", "rounds = 4.5", 8, "quotes"),
            ("do = \"mkfs\"", "do = \"mkfs\"\nfile = \"x\"", 14, "goes with"),
        ] {
            let error = parse(&GOOD.replace(from, to)).unwrap_err();
            assert_eq!(error.line, Some(line), "{to}: {error}");
            assert!(error.message.contains(said), "{to}: {error}");
        }
    }
}

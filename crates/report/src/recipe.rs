//! A trial as a text that repeats it elsewhere and tells whether it came out the same.

use std::fmt::Write;

use model::{FORMAT, Fingerprint, Measurements, Trial, TrialSpec};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use crate::heading::release;
use crate::values::{labels, values};

/// The fingerprint's items that may hold the kernel's hash, the best first.
const HASH_ITEMS: [&str; 3] = ["kernel.sha256", "kernel.hash", "kernel.image"];

/// What a recipe holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// What is to be run.
    pub spec: TrialSpec,
    /// What it depended on where it ran.
    pub fingerprint: Fingerprint,
    /// What must come out again; `None` where the trial was broken.
    pub expected: Option<Measurements>,
}

/// A text that is no recipe, or none that can be trusted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecipeError {
    /// The text is no TOML, or lacks something.
    #[error("the recipe cannot be read: {0}; take it whole from `slowpath show --recipe`")]
    Text(String),
    /// It was made by a newer slowpath.
    #[error(
        "the recipe has format {found}, and this slowpath reads up to format {FORMAT}; use the \
         newer slowpath that made it"
    )]
    Newer {
        /// Its format.
        found: u32,
    },
    /// It is something else.
    #[error("the file says kind = \"{0}\", and a recipe says kind = \"recipe\"; give another file")]
    Kind(String),
    /// A part of it is not what it should be.
    #[error("the recipe's `{part}` cannot be read: {why}; take the recipe anew from its trial")]
    Part {
        /// Which.
        part: &'static str,
        /// Why.
        why: String,
    },
    /// The measured values are not those of which the digest was made.
    #[error(
        "the recipe's `expected` has digest {found}, but the recipe says {stated}: it was changed; \
         take it anew from its trial"
    )]
    Digest {
        /// Of the values in the recipe.
        found: String,
        /// As the recipe says.
        stated: String,
    },
}

#[derive(Deserialize)]
struct Header {
    format: u32,
    kind: String,
}

#[derive(Deserialize)]
struct Document {
    spec: String,
    fingerprint: Fingerprint,
    expected: Option<String>,
    digest: Option<String>,
}

/// SHA-256 over the names and texts of all measured values, in hexadecimal.
#[must_use]
pub fn digest(measurements: &Measurements) -> String {
    let mut hash = Sha256::new();
    for (name, value) in values(measurements) {
        hash.update(format!("{name}={value}\n"));
    }
    let mut text = String::new();
    for byte in hash.finalize() {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The trial as TOML. What a program reads back (`spec`, `expected`) is JSON inside it; kernel and
/// phases stand there for people.
#[must_use]
pub fn recipe(trial: &Trial) -> String {
    let mut text = format!(
        "# A trial of slowpath. With the same spec and fingerprint every value of `expected` comes\n\
         # out again, to the nanosecond.\n\
         format = {FORMAT}\nkind = \"recipe\"\n"
    );
    line(&mut text, "trial", &trial.id);
    if let Some(measurements) = trial.measured() {
        line(&mut text, "digest", &digest(measurements));
    }
    json(&mut text, "spec", &trial.spec);
    if let Some(measurements) = trial.measured() {
        json(&mut text, "expected", measurements);
    }
    kernel(&mut text, &trial.fingerprint);
    text += "\n[fingerprint]\n";
    for (item, value) in trial.fingerprint.items() {
        line(&mut text, item, value);
    }
    if let Some(measurements) = trial.measured() {
        text += "\n[phases]\n";
        for (label, phase) in labels(measurements).iter().zip(&measurements.phases) {
            line(&mut text, label, &format!("{} ns", phase.wall_ns));
        }
    }
    text
}

fn kernel(text: &mut String, fingerprint: &Fingerprint) {
    text.push_str("\n[kernel]\n");
    if let Some(release) = release(fingerprint) {
        line(text, "release", release);
    }
    if let Some(hash) = HASH_ITEMS.into_iter().find_map(|item| fingerprint.get(item)) {
        line(text, "hash", hash);
    }
}

/// `key = "value"`, the key in quotes where it is no bare one.
fn line(text: &mut String, key: &str, value: &str) {
    let bare = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    let key = match !key.is_empty() && key.chars().all(bare) {
        true => key.to_owned(),
        false => format!("\"{}\"", escaped(key)),
    };
    let _ = writeln!(text, "{key} = \"{}\"", escaped(value));
}

/// The value as JSON in a multi-line string. JSON never has three quotes in a row.
fn json(text: &mut String, key: &str, value: &impl serde::Serialize) {
    // Only maps with keys that are no text fail, and the model has none.
    let json = serde_json::to_string_pretty(value).unwrap_or_default();
    let lines: Vec<_> = json.lines().map(|line| controls(&line.replace('\\', "\\\\"))).collect();
    let _ = writeln!(text, "{key} = \"\"\"\n{}\n\"\"\"", lines.join("\n"));
}

fn escaped(value: &str) -> String {
    controls(&value.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Control characters in TOML's notation.
fn controls(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for c in value.chars() {
        match c {
            '\u{0}'..='\u{1f}' | '\u{7f}' => {
                let _ = write!(text, "\\u{:04X}", u32::from(c));
            }
            c => text.push(c),
        }
    }
    text
}

/// Whether a file says of itself that it is a recipe, and not a case.
#[must_use]
pub fn is_recipe(text: &str) -> bool {
    text.lines().any(|line| line.trim() == "kind = \"recipe\"")
}

/// Reads what [`recipe`] wrote.
///
/// # Errors
/// The text is no recipe, of a newer format, or its values were changed.
pub fn parse_recipe(text: &str) -> Result<Recipe, RecipeError> {
    let header: Header = read_toml(text)?;
    if header.format > FORMAT {
        return Err(RecipeError::Newer { found: header.format });
    }
    if header.kind != "recipe" {
        return Err(RecipeError::Kind(header.kind));
    }
    let document: Document = read_toml(text)?;
    let expected = document.expected.as_deref().map(|text| part("expected", text));
    let expected: Option<Measurements> = expected.transpose()?;
    check_digest(expected.as_ref(), document.digest)?;
    Ok(Recipe { spec: part("spec", &document.spec)?, fingerprint: document.fingerprint, expected })
}

fn read_toml<T: DeserializeOwned>(text: &str) -> Result<T, RecipeError> {
    toml::from_str(text).map_err(|error| RecipeError::Text(error.message().to_owned()))
}

fn part<T: DeserializeOwned>(part: &'static str, text: &str) -> Result<T, RecipeError> {
    serde_json::from_str(text).map_err(|error| RecipeError::Part { part, why: error.to_string() })
}

fn check_digest(
    expected: Option<&Measurements>,
    stated: Option<String>,
) -> Result<(), RecipeError> {
    let found = expected.map(digest);
    if found == stated {
        return Ok(());
    }
    let or_none = |digest: Option<String>| digest.unwrap_or_else(|| "none".to_owned());
    Err(RecipeError::Digest { found: or_none(found), stated: or_none(stated) })
}

//! Built-in cases and case files.

use std::fs;
use std::path::Path;

use model::{Case, case_file};

use crate::exit::Failure;

/// The built-in cases' files, by name.
pub(crate) const BUILT_IN: [(&str, &str); 2] = [
    ("dd-sync", include_str!("../cases/dd-sync.toml")),
    ("disk-rate", include_str!("../cases/disk-rate.toml")),
];

/// The file of a built-in case.
pub(crate) fn built_in(name: &str) -> Option<&'static str> {
    BUILT_IN.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// Finds a case by its name or reads it from a file.
pub(crate) fn find(name: &str) -> Result<Case, Failure> {
    match built_in(name) {
        Some(text) => parse(name, text),
        None => parse(name, &text(name)?),
    }
}

/// The text of a case file or recipe.
pub(crate) fn text(name: &str) -> Result<String, Failure> {
    let looks_like_a_file = name.contains(['/', '.']) || Path::new(name).exists();
    if !looks_like_a_file {
        let names: Vec<_> = BUILT_IN.iter().map(|(name, _)| *name).collect();
        return Err(Failure::usage(format!(
            "there is no case `{name}`; built in are {}; or name a case file (TOML)",
            names.join(" and ")
        )));
    }
    fs::read_to_string(name)
        .map_err(|error| Failure::usage(format!("the case file {name} cannot be read: {error}")))
}

fn parse(name: &str, text: &str) -> Result<Case, Failure> {
    case_file::parse(text).map_err(|error| Failure::usage(format!("{name}: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_case_can_be_read_and_bears_its_name() {
        for (name, text) in BUILT_IN {
            assert_eq!(case_file::parse(text).unwrap().name, name);
        }
    }
}

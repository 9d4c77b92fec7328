//! `slowpath cases`.

use std::io::{self, Write};

use model::case_file;
use slowpath::arguments::Cases;

use crate::case_source::{self, BUILT_IN};
use crate::exit::{Exit, Failure};

/// Lists the built-in cases, shows one, or prints the schema of case files.
pub(crate) fn cases(cases: &Cases) -> Result<Exit, Failure> {
    let mut out = io::stdout().lock();
    if cases.schema {
        let schema =
            serde_json::to_string_pretty(&case_file::schema()).map_err(Failure::missing)?;
        writeln!(out, "{schema}")?;
        return Ok(Exit::Done);
    }
    if let Some(name) = &cases.name {
        let file = match case_source::built_in(name) {
            Some(text) => text.to_owned(),
            None => case_source::text(name)?,
        };
        write!(out, "{file}")?;
        return Ok(Exit::Done);
    }
    let wide = BUILT_IN.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    for (name, _) in BUILT_IN {
        let case = case_source::find(name)?;
        writeln!(out, "{name:wide$}  {}", case.about)?;
    }
    Ok(Exit::Done)
}

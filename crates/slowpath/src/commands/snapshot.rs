//! `slowpath snapshot`.

use std::io::{self, Write};
use std::path::Path;

use agent::environment::{Programs, collect};
use slowpath::arguments::Snapshot;

use crate::exit::{Exit, Failure};

/// Prints this machine's environment.
pub(crate) fn snapshot(snapshot: &Snapshot) -> Result<Exit, Failure> {
    if let Some(path) = &snapshot.path {
        path.metadata().map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
    }
    let environment = collect(Path::new("/"), snapshot.path.as_deref(), Programs::Ask);
    let mut text = Vec::new();
    environment.write(&mut text)?;
    let text = String::from_utf8_lossy(&text);
    let mut out = io::stdout().lock();
    match snapshot.anonymise {
        true => out.write_all(report::anonymise::anonymise(&text).as_bytes())?,
        false => out.write_all(text.as_bytes())?,
    }
    Ok(Exit::Done)
}

//! `slowpath trials`.

use std::io::{self, Write};

use slowpath::arguments::{Arguments, Trials};

use crate::commands::style;
use crate::exit::{Exit, Failure};
use crate::places;

/// Lists the trials of the archive; those that cannot be read are named on standard error.
pub(crate) fn list(arguments: &Arguments, trials: &Trials) -> Result<Exit, Failure> {
    let listing = match places::existing_archive(arguments)? {
        Some(archive) => archive.list()?,
        None => Default::default(),
    };
    let mut out = io::stdout().lock();
    if trials.json {
        report::list::json(&mut out, &listing.trials)?;
    } else if listing.trials.is_empty() {
        writeln!(out, "No trial was kept yet; begin with: slowpath run dd-sync")?;
    } else {
        report::list::trials(&mut out, &listing.trials, style())?;
    }
    for (_, reason) in &listing.unreadable {
        writeln!(io::stderr(), "slowpath: {reason}")?;
    }
    Ok(Exit::Done)
}

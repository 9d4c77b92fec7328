//! `slowpath comparisons`.

use std::io::{self, Write};

use slowpath::arguments::Arguments;

use crate::commands::style;
use crate::exit::{Exit, Failure};
use crate::places;

/// Lists the comparisons of the archive; those that cannot be read are named on standard error.
pub(crate) fn list(arguments: &Arguments) -> Result<Exit, Failure> {
    let listing = match places::existing_archive(arguments)? {
        Some(archive) => archive.comparisons()?,
        None => Default::default(),
    };
    let mut out = io::stdout().lock();
    if listing.ended.is_empty() && listing.unfinished.is_empty() {
        writeln!(
            out,
            "No comparison was made yet; begin with: slowpath compare dd-sync --vary fs=ext4,xfs"
        )?;
    } else {
        report::list::comparisons(&mut out, &listing.ended, style())?;
    }
    for (id, question) in &listing.unfinished {
        let names: Vec<&str> = question.variants.iter().map(|v| v.name.as_str()).collect();
        let (case, names) = (&question.case, names.join(", "));
        writeln!(
            out,
            "{id}  not finished: {case}, {names}; the command that made it goes on with it"
        )?;
    }
    for (_, reason) in &listing.unreadable {
        writeln!(io::stderr(), "slowpath: {reason}")?;
    }
    Ok(Exit::Done)
}

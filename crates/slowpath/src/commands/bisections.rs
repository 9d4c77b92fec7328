//! `slowpath bisections`.

use std::io::{self, Write};

use slowpath::arguments::Arguments;

use crate::commands::style;
use crate::exit::{Exit, Failure};
use crate::places;

/// Lists the bisections of the archive; those that cannot be read are named on standard error.
pub(crate) fn list(arguments: &Arguments) -> Result<Exit, Failure> {
    let listing = match places::existing_archive(arguments)? {
        Some(archive) => archive.bisections()?,
        None => Default::default(),
    };
    let mut out = io::stdout().lock();
    if !listing.ended.is_empty() || listing.unfinished.is_empty() {
        report::list::bisections(&mut out, &listing.ended, style())?;
    }
    for (id, hunt) in &listing.unfinished {
        let (case, bad) = (&hunt.case, hunt.change(Some(hunt.bad())));
        let (good, bad) = (hunt.good.short(hunt.kind), bad.short(hunt.kind));
        writeln!(
            out,
            "{id}  not finished: {case}, {good} to {bad}; the command that made it goes on with it"
        )?;
    }
    for (_, reason) in &listing.unreadable {
        writeln!(io::stderr(), "slowpath: {reason}")?;
    }
    Ok(Exit::Done)
}

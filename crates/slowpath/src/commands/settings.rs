//! `slowpath settings`.

use std::io::{self, Write};

use model::Settings;
use model::setting_table::KNOBS;

use crate::exit::{Exit, Failure};

/// Lists every setting with its default and meaning.
pub(crate) fn list() -> Result<Exit, Failure> {
    let defaults = Settings::default();
    let mut out = io::stdout().lock();
    writeln!(out, "{:16} {:14} meaning", "setting", "default")?;
    for knob in KNOBS {
        writeln!(out, "{:16} {:14} {}", knob.key, (knob.get)(&defaults), knob.about)?;
    }
    writeln!(out, "{:16} {:14} a value for the file NAME under /proc/sys", "sysctl.NAME", "")?;
    writeln!(out, "\nA case has values of its own: slowpath cases NAME")?;
    Ok(Exit::Done)
}

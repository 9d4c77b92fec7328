//! `slowpath show`.

use std::io::{self, Write};

use model::{Profile, Trial};
use slowpath::arguments::{Arguments, Show};
use store::Archive;

use crate::commands::style;
use crate::exit::{Exit, Failure};
use crate::places;

/// Shows one trial.
pub(crate) fn show(arguments: &Arguments, show: &Show) -> Result<Exit, Failure> {
    let archive = places::archive(arguments)?;
    let trial = archive.find(&show.id).map_err(Failure::usage)?;
    let mut out = io::stdout().lock();
    if show.recipe {
        write!(out, "{}", report::recipe::recipe(&trial))?;
    } else if show.json {
        report::json::trial(&mut out, &trial)?;
    } else {
        let profile = profile(&archive, &trial)?;
        report::show::show(&mut out, &trial, style())?;
        if let Some(profile) = &profile {
            report::profile::write(&mut out, profile, style())?;
        }
        writeln!(out, "kept in {}", archive.folder(&trial.id).display())?;
    }
    Ok(Exit::Done)
}

fn profile(archive: &Archive, trial: &Trial) -> Result<Option<Profile>, Failure> {
    let bytes = archive.attachment(&trial.id, "profile.json")?;
    bytes
        .map(|bytes| serde_json::from_slice(&bytes))
        .transpose()
        .map_err(|error| Failure::missing(format!("the trial's profile is damaged: {error}")))
}

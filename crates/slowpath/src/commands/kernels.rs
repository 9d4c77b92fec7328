//! `slowpath kernels`.

use std::io::{self, Write};
use std::path::Path;

use kernels::{Debian, Kernel};
use slowpath::arguments::{self, Arguments};

use crate::exit::{Exit, Failure};
use crate::places;

/// Lists the kernels that are here, and those that can be had; newest first.
pub(crate) fn list(arguments: &Arguments, kernels: &arguments::Kernels) -> Result<Exit, Failure> {
    let mut out = io::stdout().lock();
    installed(&mut out)?;
    let debian = places::debian(arguments)?;
    let cached = debian.cached();
    for release in &cached {
        writeln!(out, "debian:{release}  (in the cache)")?;
    }
    if !kernels.local {
        out.flush()?;
        offers(&mut out, &debian, &cached)?;
    }
    writeln!(out, "or name an image or the folder of an unpacked package: --set kernel=PATH")?;
    Ok(Exit::Done)
}

fn installed(out: &mut dyn Write) -> Result<(), Failure> {
    let root = Path::new("/");
    for version in Kernel::list_installed(root) {
        match Kernel::installed(root, &version) {
            Ok(_) => writeln!(out, "installed:{version}")?,
            Err(error) => writeln!(out, "installed:{version}  (cannot be used: {error})")?,
        }
    }
    Ok(())
}

fn offers(out: &mut dyn Write, debian: &Debian, cached: &[String]) -> Result<(), Failure> {
    match debian.available() {
        Ok(offers) => {
            let (plain, others): (Vec<_>, Vec<_>) =
                offers.iter().partition(|offer| offer.is_plain());
            for offer in plain.iter().filter(|offer| !cached.contains(&offer.release)) {
                writeln!(out, "debian:{}  (can be had from {})", offer.release, offer.suite)?;
            }
            if !others.is_empty() {
                writeln!(
                    out,
                    "and {} cloud and rt kernels of these versions, as debian:RELEASE",
                    others.len()
                )?;
            }
        }
        // What is here was listed; that nothing more can be had is no failure of a list.
        Err(error) => writeln!(io::stderr(), "slowpath: what can be had is not known: {error}")?,
    }
    Ok(())
}

//! `slowpath doctor`.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;

use kernels::Kernel;
use lab::{find_program, recipe};
use model::Filesystem;
use slowpath::arguments::Arguments;

use crate::exit::{Exit, Failure};
use crate::places::{self, beside};

/// Says what is there, what is missing, and the command that installs it.
pub(crate) fn doctor(arguments: &Arguments) -> Result<Exit, Failure> {
    let mut out = io::stdout().lock();
    let emulator = places::exact(arguments, false)?.emulator();
    let mut complete = emulator.is_ok();
    match &emulator {
        Ok(emulator) => {
            writeln!(out, "QEMU      {} {}", emulator.program().display(), emulator.version())?;
            for note in emulator.notes(1) {
                writeln!(out, "          falls back: {note}")?;
            }
        }
        Err(error) => writeln!(out, "QEMU      missing: {error}")?,
    }
    for (what, file) in [("agent", "slowpath-agent"), ("plugin", "libslowpath_plugin.so")] {
        match beside(file) {
            Some(path) => writeln!(out, "{what:9} {}", path.display())?,
            None => {
                complete = false;
                writeln!(out, "{what:9} missing: {file} belongs beside the program; make build")?;
            }
        }
    }
    complete &= filesystems(&mut out)?;
    match Kernel::list_installed(Path::new("/")).first() {
        Some(newest) => writeln!(out, "kernel    installed:{newest}")?,
        None => writeln!(out, "kernel    none is installed; name one with --set kernel=PATH")?,
    }
    Ok(if complete { Exit::Done } else { Exit::Missing })
}

fn filesystems(out: &mut impl Write) -> Result<bool, Failure> {
    let mut packages = BTreeSet::new();
    for fs in Filesystem::ALL {
        let recipe = recipe(fs);
        match find_program(recipe.program) {
            Some(path) => writeln!(out, "{fs:9} {}", path.display())?,
            None => {
                packages.insert(recipe.package);
                writeln!(out, "{fs:9} missing: {}", recipe.program)?;
            }
        }
    }
    if !packages.is_empty() {
        let packages: Vec<_> = packages.iter().copied().collect();
        writeln!(out, "to install: apt-get install {}", packages.join(" "))?;
    }
    Ok(packages.is_empty())
}

//! `slowpath kernels`.

use std::io::{self, Write};
use std::path::Path;

use kernels::Kernel;

use crate::exit::{Exit, Failure};

/// Lists the installed kernels, newest first.
pub(crate) fn list() -> Result<Exit, Failure> {
    let root = Path::new("/");
    let versions = Kernel::list_installed(root);
    let mut out = io::stdout().lock();
    if versions.is_empty() {
        writeln!(out, "No kernel is installed here; name one with --set kernel=PATH")?;
    }
    for version in versions {
        match Kernel::installed(root, &version) {
            Ok(_) => writeln!(out, "installed:{version}")?,
            Err(error) => writeln!(out, "installed:{version}  (cannot be used: {error})")?,
        }
    }
    Ok(Exit::Done)
}

//! Writing what a command found where the user wants it.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use report::Style;

use crate::commands::style;
use crate::exit::Failure;

/// Writes tables to standard output and JSON to `json`; to `-` means JSON instead of tables.
pub(crate) fn write(
    json: Option<&Path>,
    tables: impl FnOnce(&mut dyn Write, Style) -> io::Result<()>,
    document: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match json {
        Some(path) if path == Path::new("-") => document(&mut out)?,
        Some(path) => {
            tables(&mut out, style())?;
            file(path, document)?;
        }
        None => tables(&mut out, style())?,
    }
    Ok(out.flush()?)
}

/// Finds out before anything runs that a file could not be written: its folder is not there.
pub(crate) fn check(json: Option<&Path>) -> Result<(), Failure> {
    let Some(file) = json else { return Ok(()) };
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder.filter(|folder| !folder.is_dir()) {
        Some(folder) => {
            let (file, folder) = (file.display(), folder.display());
            Err(Failure::usage(format!("--json {file}: there is no folder {folder}")))
        }
        None => Ok(()),
    }
}

/// Writes a file that the user named.
pub(crate) fn file(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let written = File::create(path).and_then(|mut file| {
        content(&mut file)?;
        file.flush()
    });
    written.map_err(|error| {
        let path = path.display();
        Failure::missing(format!("cannot write {path}: {error}; the trials are kept"))
    })
}

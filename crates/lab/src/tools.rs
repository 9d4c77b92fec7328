//! Programs that travel into the guest: where they are, and which libraries they need.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use object::elf::{DT_NEEDED, DT_RPATH, DT_RUNPATH, FileHeader64, PT_DYNAMIC, PT_INTERP};
use object::read::elf::{Dyn, FileHeader, ProgramHeader};
use object::{Endianness, StringTable};

/// Where administrators' programs lie; they are in no ordinary user's PATH.
const SYSTEM_DIRS: [&str; 4] = ["/usr/sbin", "/sbin", "/usr/local/sbin", "/usr/bin"];

/// Where the dynamic loader looks when nothing else is said.
const LIBRARY_DIRS: [&str; 8] = [
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
    "/lib64",
    "/usr/lib64",
    "/lib",
    "/usr/lib",
    "/usr/local/lib/x86_64-linux-gnu",
    "/usr/local/lib",
];

/// A program that cannot travel.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ToolError {
    #[error("{program} cannot be read: {error}")]
    Read { program: String, error: io::Error },
    #[error("{program} is no 64-bit ELF program and no script: {reason}")]
    NotAProgram { program: String, reason: String },
    #[error("{needed_by} needs {library}, which is in no library folder; install it")]
    NoLibrary { needed_by: String, library: String },
}

/// The program of that name in PATH or among the administrators' programs.
#[must_use]
pub fn find_program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let dirs = env::split_paths(&path).chain(SYSTEM_DIRS.iter().map(PathBuf::from));
    dirs.map(|dir| dir.join(name)).find(|file| is_executable(file))
}

fn is_executable(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

/// A program with its interpreter and libraries: path in the guest → bytes.
///
/// # Errors
/// See [`ToolError`].
pub(crate) fn closure(program: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>, ToolError> {
    let mut files = BTreeMap::new();
    let mut wanted = vec![program.to_owned()];
    while let Some(path) = wanted.pop() {
        if files.contains_key(&path) {
            continue;
        }
        let bytes = fs::read(&path)
            .map_err(|error| ToolError::Read { program: path.display().to_string(), error })?;
        wanted.extend(needs(&path, &bytes)?);
        files.insert(path, bytes);
    }
    Ok(files)
}

/// The files that `path` needs in order to run.
fn needs(path: &Path, bytes: &[u8]) -> Result<Vec<PathBuf>, ToolError> {
    if let Some(script) = bytes.strip_prefix(b"#!") {
        let line = script.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let line = String::from_utf8_lossy(line);
        return Ok(interpreters(&line));
    }
    let dynamic = dynamic(bytes).map_err(|error| ToolError::NotAProgram {
        program: path.display().to_string(),
        reason: error.to_string(),
    })?;
    let mut files: Vec<PathBuf> = dynamic.interpreter.into_iter().map(PathBuf::from).collect();
    for library in &dynamic.needed {
        let found = library_file(path, library, &dynamic.search).ok_or_else(|| {
            let needed_by = path.display().to_string();
            ToolError::NoLibrary { needed_by, library: library.clone() }
        })?;
        files.push(found);
    }
    Ok(files)
}

/// A script's interpreter, and the program that `env` would find.
fn interpreters(line: &str) -> Vec<PathBuf> {
    let mut words = line.split_ascii_whitespace();
    let first = words.next().map(PathBuf::from);
    let by_env = first.as_ref().is_some_and(|first| first.ends_with("env"));
    let named = by_env.then(|| words.find(|word| !word.starts_with('-'))).flatten();
    first.into_iter().chain(named.and_then(find_program)).collect()
}

/// Whether an ELF program is started by a dynamic loader.
///
/// # Errors
/// Bytes that are no 64-bit ELF.
pub(crate) fn needs_loader(bytes: &[u8]) -> object::Result<bool> {
    dynamic(bytes).map(|dynamic| dynamic.interpreter.is_some())
}

#[derive(Default)]
struct Dynamic {
    interpreter: Option<String>,
    needed: Vec<String>,
    search: Vec<String>,
}

fn dynamic(bytes: &[u8]) -> object::Result<Dynamic> {
    let header = FileHeader64::<Endianness>::parse(bytes)?;
    let endian = header.endian()?;
    let mut out = Dynamic::default();
    for segment in header.program_headers(endian, bytes)? {
        if segment.p_type(endian) == PT_INTERP {
            let raw = segment.data(endian, bytes).unwrap_or_default();
            let text = String::from_utf8_lossy(raw);
            out.interpreter = Some(text.trim_end_matches('\0').to_owned());
        }
    }
    let strings = dynamic_strings(header, endian, bytes)?;
    for segment in header.program_headers(endian, bytes)? {
        if segment.p_type(endian) != PT_DYNAMIC {
            continue;
        }
        for entry in segment.dynamic(endian, bytes)?.into_iter().flatten() {
            let text = || {
                let raw = entry.string(endian, strings).unwrap_or_default();
                String::from_utf8_lossy(raw).into_owned()
            };
            match entry.d_tag(endian) {
                DT_NEEDED => out.needed.push(text()),
                DT_RUNPATH | DT_RPATH => out.search.extend(text().split(':').map(str::to_owned)),
                _ => {}
            }
        }
    }
    Ok(out)
}

fn dynamic_strings<'data>(
    header: &FileHeader64<Endianness>,
    endian: Endianness,
    bytes: &'data [u8],
) -> object::Result<StringTable<'data>> {
    let sections = header.sections(endian, bytes)?;
    let found = sections.dynamic(endian, bytes)?;
    match found {
        None => Ok(StringTable::default()),
        Some((_, link)) => sections.strings(endian, bytes, link),
    }
}

fn library_file(program: &Path, library: &str, search: &[String]) -> Option<PathBuf> {
    if library.contains('/') {
        return Some(PathBuf::from(library));
    }
    let origin = program.parent()?.to_string_lossy();
    let named =
        search.iter().map(|dir| dir.replace("$ORIGIN", &origin).replace("${ORIGIN}", &origin));
    let dirs = named.chain(LIBRARY_DIRS.iter().map(|dir| (*dir).to_owned()));
    dirs.map(|dir| Path::new(&dir).join(library)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_programs_loader_and_libraries_travel_with_it() {
        let shell = find_program("sh").unwrap();
        let files = closure(&shell).unwrap();
        let names: Vec<_> = files.keys().map(|path| path.display().to_string()).collect();
        assert!(names.iter().any(|name| name.contains("ld-linux")), "{names:?}");
        assert!(names.iter().any(|name| name.ends_with("libc.so.6")), "{names:?}");
    }

    #[test]
    fn a_scripts_interpreter_travels_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("mkfs.mine");
        fs::write(&script, "#!/bin/sh -e\ntrue\n").unwrap();
        let files = closure(&script).unwrap();
        assert!(files.contains_key(Path::new("/bin/sh")));
    }

    #[test]
    fn what_is_no_program_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("text");
        fs::write(&file, "just text").unwrap();
        let error = closure(&file).unwrap_err().to_string();
        assert!(error.contains("no 64-bit ELF program"), "{error}");
    }
}

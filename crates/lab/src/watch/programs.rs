//! The programs and libraries in an archive for the guest.

use std::io::Read as _;

use cpio::newc::Reader;
use kernels::Program;

/// A program or library, and how it is called.
pub(crate) struct NamedProgram {
    /// Its file's name, without folders.
    pub(crate) name: String,
    /// Its functions and code.
    pub(crate) program: Program,
}

/// All files of the archive that hold code which a process can run, in the archive's order. `called` gives the path
/// under which one is named.
pub(crate) fn programs(archive: &[u8], called: impl Fn(&str) -> &str) -> Vec<NamedProgram> {
    let mut programs = Vec::new();
    let mut rest = archive;
    // An archive that ends early has no more files.
    while let Ok(mut reader) = Reader::new(rest) {
        if reader.entry().is_trailer() {
            break;
        }
        let name = base(called(reader.entry().name())).to_owned();
        let mut bytes = Vec::new();
        if reader.read_to_end(&mut bytes).is_err() {
            break;
        }
        let program = Program::read(&bytes).filter(has_code);
        programs.extend(program.map(|program| NamedProgram { name, program }));
        match reader.finish() {
            Ok(after) => rest = after,
            Err(_) => break,
        }
    }
    programs
}

/// The code that a kernel lends to every process, so that asking for the time takes no system call
/// (vdso(7)). It is a library of its own, which stands somewhere in the uncompressed image, from the
/// begin of a page on.
pub(crate) fn vdso(vmlinux: &[u8]) -> Option<NamedProgram> {
    const PAGE: usize = 4096;
    let later = (PAGE..vmlinux.len()).step_by(PAGE).map(|at| &vmlinux[at..]);
    let library = |bytes: &[u8]| {
        // One for 32-bit processes stands beside it, which nothing reads.
        bytes.starts_with(b"\x7fELF").then(|| Program::read(bytes)).flatten().filter(has_code)
    };
    let program = later.filter_map(library).next()?;
    Some(NamedProgram { name: "vdso".to_owned(), program })
}

fn has_code(program: &Program) -> bool {
    program.code().next().is_some()
}

fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::payload::Archive;
    use crate::tools::{closure, find_program};

    #[test]
    fn programs_and_libraries_are_found_by_their_files_names() {
        let mut archive = Archive::default();
        archive.file(Path::new("init"), b"#!/bin/sh\n").unwrap();
        for (path, bytes) in closure(&find_program("sh").unwrap()).unwrap() {
            archive.file(&path, &bytes).unwrap();
        }
        let bytes = archive.finish().unwrap();
        let found = programs(&bytes, |path| if path.ends_with("/sh") { "x/shell" } else { path });
        let names: Vec<_> = found.iter().map(|program| program.name.as_str()).collect();
        assert!(names.contains(&"shell") && names.contains(&"libc.so.6"), "{names:?}");
        assert!(!names.contains(&"init"), "{names:?}");
        let cut = programs(&bytes[..bytes.len() / 2], |path| path);
        assert!(cut.len() < found.len());
    }

    #[test]
    fn a_library_within_a_kernel_is_its_vdso() {
        let library = std::fs::read("/proc/self/exe").unwrap();
        let within = [&library[..4], &[0; 8188], &library].concat();
        assert_eq!(vdso(&within).unwrap().program, Program::read(&library).unwrap());
        assert!(vdso(&library[..4096]).is_none());
        assert!(vdso(&within[1..]).is_none());
    }
}

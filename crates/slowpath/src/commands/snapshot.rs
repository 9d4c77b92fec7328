//! `slowpath snapshot`.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use agent::environment::{Programs, Section, collect};
use flate2::read::GzDecoder;
use slowpath::arguments::Snapshot;

use crate::exit::{Exit, Failure};

/// Prints this machine's environment.
pub(crate) fn snapshot(snapshot: &Snapshot) -> Result<Exit, Failure> {
    if let Some(path) = &snapshot.path {
        path.metadata().map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
    }
    let mut environment = collect(Path::new("/"), snapshot.path.as_deref(), Programs::Ask);
    environment.sections.iter_mut().filter(|section| section.text.is_err()).for_each(unpack);
    let mut text = Vec::new();
    environment.write(&mut text)?;
    let text = String::from_utf8_lossy(&text);
    let mut out = io::stdout().lock();
    match snapshot.anonymise {
        true => out.write_all(report::anonymise::anonymise(&text).as_bytes())?,
        false => out.write_all(text.as_bytes())?,
    }
    Ok(Exit::Done)
}

/// Where a kernel with `CONFIG_IKCONFIG_PROC` keeps its configuration, packed.
const PACKED_CONFIG: &str = "/proc/config.gz";

/// No configuration is longer, bytes.
const LONGEST: u64 = 4 << 20;

/// Reads the kernel's configuration where it is only packed: the agent, which collects, has no
/// decompressor.
fn unpack(section: &mut Section) {
    if section.title != "kernel config" {
        return;
    }
    let mut text = String::new();
    let read = File::open(PACKED_CONFIG)
        .and_then(|file| GzDecoder::new(file).take(LONGEST).read_to_string(&mut text));
    if read.is_ok() && !text.is_empty() {
        PACKED_CONFIG.clone_into(&mut section.source);
        section.text = Ok(text);
    }
}

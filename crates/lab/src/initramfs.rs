//! The guest's first root: the agent and nothing else. All that a trial needs besides comes as
//! payload after the machine was restored, so that one booted state serves every trial.

use std::io;
use std::path::Path;

use crate::payload::Archive;

/// The initramfs around the agent's bytes, with a file of `padding` bytes that nobody reads where
/// that is not 0. It stays uncompressed: unpacking costs guest time.
pub(crate) fn with_agent(agent: &[u8], padding: u64) -> io::Result<Vec<u8>> {
    let mut archive = Archive::default();
    for folder in ["dev", "proc", "sys", "tmp", "mnt"] {
        archive.folder(folder)?;
    }
    archive.device("dev/console", 5, 1)?;
    archive.device("dev/null", 1, 3)?;
    archive.file(Path::new("init"), agent)?;
    if padding > 0 {
        let nothing = vec![0; usize::try_from(padding).unwrap_or_default()];
        archive.file(Path::new("padding"), &nothing)?;
    }
    archive.finish()
}

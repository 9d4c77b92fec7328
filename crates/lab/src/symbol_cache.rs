//! The guest's symbols, kept beside the saved state: a guest takes half a second to print them.
//!
//! The same state, payload and job load the same modules at the same addresses. That is not taken on trust:
//! every trial sends `/proc/modules`, and symbols serve only a trial whose modules lie where theirs did.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::images::write_whole;
use crate::profile::needed;

/// The symbols of trials with one saved state, payload and job.
pub(crate) struct SymbolCache {
    file: PathBuf,
    /// How the files of all jobs with this payload begin.
    siblings: String,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    modules: Vec<String>,
    kallsyms: String,
}

impl SymbolCache {
    /// In the state's folder, for trials whose payload and job have those hashes.
    pub(crate) fn new(folder: &Path, payload: &str, job: &str) -> Self {
        let short = |sha256: &str| sha256[..sha256.len().min(16)].to_owned();
        let siblings = format!("symbols-{}-", short(payload));
        SymbolCache { file: folder.join(format!("{siblings}{}.json", short(job))), siblings }
    }

    /// Whether there are symbols at all.
    pub(crate) fn is_filled(&self) -> bool {
        self.file.is_file()
    }

    /// Keeps symbols with the modules of the same trial. A full disk costs only the next profile.
    pub(crate) fn fill(&self, modules: &str, kallsyms: &str) {
        let kept = Kept { modules: places(modules), kallsyms: needed(kallsyms) };
        if let Ok(json) = serde_json::to_vec(&kept) {
            let _ = write_whole(&self.file, &json);
        }
    }

    /// The symbols as they were kept, for a trial that will have the same modules.
    pub(crate) fn kept(&self) -> Option<String> {
        read(&self.file).map(|kept| kept.kallsyms)
    }

    /// Symbols that were kept for the same state and payload with another job. Modules mostly lie in the
    /// same places then; whoever takes these sees afterwards whether they did.
    pub(crate) fn sibling(&self) -> Option<String> {
        let files = fs::read_dir(self.file.parent()?).ok()?.filter_map(Result::ok);
        let named = |path: &PathBuf| {
            path.file_name().is_some_and(|name| {
                name.to_str()
                    .is_some_and(|name| name.starts_with(&self.siblings) && name.ends_with(".json"))
            })
        };
        let found = files.map(|file| file.path()).filter(named).min();
        found.and_then(|file| read(&file)).map(|kept| kept.kallsyms)
    }

    /// The symbols, if they are those of a trial with these modules; others are thrown away.
    pub(crate) fn get(&self, modules: &str) -> Option<String> {
        let fitting = read(&self.file).filter(|kept| kept.modules == places(modules));
        if fitting.is_none() {
            let _ = fs::remove_file(&self.file);
        }
        fitting.map(|kept| kept.kallsyms)
    }
}

fn read(file: &Path) -> Option<Kept> {
    fs::read(file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok())
}

/// Name, size and address of each module: of `ext4 1048576 1 - Live 0xffffffffc0200000` all but the
/// use count, the users and the state.
fn places(modules: &str) -> Vec<String> {
    let at = |word: &&&str| word.starts_with("0x");
    let place = |line: &str| {
        let words: Vec<_> = line.split_ascii_whitespace().collect();
        Some(format!("{} {} {}", words.first()?, words.get(1)?, words.iter().find(at)?))
    };
    modules.lines().filter_map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_serve_only_where_the_modules_lie_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let cache = SymbolCache::new(folder.path(), "0123456789abcdef0123", "aa");
        assert!(!cache.is_filled());
        let here = "ext4 1048576 1 - Live 0xffffffffc0200000\n";
        let symbols = "ffffffff81000100 t vfs_write\n";
        let symbols = &format!("{symbols}ffffffff81000300 D vm_node_stat\n");
        cache.fill(here, &format!("{symbols}ffffffff81000200 D data\n"));
        let in_use = here.replace(" 1 - Live", " 2 jbd2, Live");
        assert_eq!(cache.get(&in_use).as_deref(), Some(symbols.as_str()));
        assert_eq!(cache.get(&here.replace("c0200000", "c0300000")), None);
        assert!(!cache.is_filled(), "what did not serve is gone");
    }

    #[test]
    fn symbols_of_another_job_are_at_hand() {
        let folder = tempfile::tempdir().unwrap();
        let symbols = "ffffffff81000100 t vfs_write\n";
        SymbolCache::new(folder.path(), "payload", "one").fill("", symbols);
        for (payload, expected) in [("payload", Some(symbols)), ("other", None)] {
            let cache = SymbolCache::new(folder.path(), payload, "two");
            assert_eq!(cache.kept(), None);
            assert_eq!(cache.sibling().as_deref(), expected, "{payload}");
        }
    }
}

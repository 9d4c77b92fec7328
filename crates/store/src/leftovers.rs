//! What killed writes left behind.

use std::fs::{self, DirEntry};
use std::path::Path;
use std::time::Duration;

use crate::staging::PREFIX;

/// No write takes this long; whatever is older belongs to nobody. (Its process's number would say
/// nothing where several machines or containers share the archive.)
const ABANDONED: Duration = Duration::from_secs(86_400);

/// Removes the unfinished folders of writes that were killed long ago, as far as that is possible.
pub(crate) fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten().filter(is_abandoned) {
        let _ = fs::remove_dir_all(entry.path());
    }
}

fn is_abandoned(entry: &DirEntry) -> bool {
    let ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
    ours && entry
        .metadata()
        .and_then(|data| data.modified())
        .is_ok_and(|moment| moment.elapsed().is_ok_and(|age| age > ABANDONED))
}

//! Sets kernel settings below `/proc/sys`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, While as _};

/// Sets all of them in the order of their names.
///
/// # Errors
/// There is no such setting, or the kernel refuses the value.
pub(crate) fn apply(settings: &BTreeMap<String, String>, root: &Path) -> Result<(), Failure> {
    for (name, value) in settings {
        File::options()
            .write(true)
            .open(root.join(file_of(name)))
            .and_then(|mut file| file.write_all(value.as_bytes()))
            .in_setup(format!("setting sysctl {name}={value}"))?;
    }
    Ok(())
}

fn file_of(name: &str) -> PathBuf {
    name.split('.').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_paths_and_errors_name_the_setting() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("vm")).unwrap();
        let file = root.path().join("vm/dirty_bytes");
        std::fs::write(&file, "").unwrap();
        let set = |name: &str| apply(&[(name.into(), "7".into())].into(), root.path());
        set("vm.dirty_bytes").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "7");
        let reason = set("vm.dirty_bites").unwrap_err().reason;
        assert_eq!(
            reason,
            "setting sysctl vm.dirty_bites=7: No such file or directory (os error 2)"
        );
    }
}

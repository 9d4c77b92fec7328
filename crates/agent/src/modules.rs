//! Loads kernel modules.

use std::ffi::CString;
use std::fs::File;
use std::path::Path;

use protocol::{ModuleLoad, PAYLOAD_ROOT};
use rustix::io::Errno;

use crate::failure::{Failure, While as _};

/// Loads one; one that is loaded or built in already is fine, and so is a refusal of an optional one.
///
/// # Errors
/// The file is missing, or the kernel refuses it.
pub(crate) fn load(module: &ModuleLoad) -> Result<(), Failure> {
    let path = Path::new(PAYLOAD_ROOT).join(module.path.trim_start_matches('/'));
    let what = || format!("loading module {}", module.path);
    let file = File::open(&path).in_setup(what())?;
    let parameters = CString::new(module.parameters.as_str())
        .map_err(|_| Failure::setup(format!("{}: a parameter holds a zero byte", what())))?;
    match rustix::system::finit_module(&file, &parameters, 0) {
        Err(Errno::EXIST) => Ok(()),
        Err(_) if module.optional => Ok(()),
        // A variant for a CPU that this machine is not.
        Err(_) if module.optional => Ok(()),
        Err(Errno::NOENT) => Err(Failure::setup(format!(
            "{}: it needs a symbol that no loaded module has; the kernel's log names it",
            what()
        ))),
        Err(Errno::NOEXEC) => Err(Failure::setup(format!(
            "{}: it was built for another kernel; the kernel's log says how they differ",
            what()
        ))),
        other => other.in_setup(what()),
    }
}

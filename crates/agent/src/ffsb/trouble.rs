//! Why an operation cannot go on.

use std::io;

use rustix::io::Errno;

use super::catalogue::Denied;

/// What went wrong in an operation; its path is added when it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// A system call failed.
    Call {
        /// For example `write`.
        call: &'static str,
        /// Where in the file, for reads and writes.
        offset: Option<u64>,
        errno: Errno,
    },
    /// A read came to the end of the file too early.
    Ended { offset: u64 },
    /// A file is smaller than the profile needs.
    TooSmall {
        size: u64,
        needed: u64,
        /// What needs it, for example `read_size`.
        setting: &'static str,
    },
    /// There is no file to work on, or the run ends.
    NoFile(Denied),
    /// The engine does not do this operation.
    Unsupported,
}

impl From<Denied> for Trouble {
    fn from(denied: Denied) -> Self {
        Trouble::NoFile(denied)
    }
}

impl Trouble {
    /// What happened, on what, and why. With `direct`, what `O_DIRECT` asks for is mentioned.
    pub(super) fn describe(&self, path: &str, direct: bool) -> String {
        match self {
            Trouble::Call { call, offset, errno } => {
                let at = offset.map(|offset| format!(" at offset {offset}")).unwrap_or_default();
                let hint = match direct && *errno == Errno::INVAL {
                    true => "; with directio sizes must be multiples of the disk's block",
                    false => "",
                };
                format!("{call} of {path} failed{at}: {}{hint}", io::Error::from(*errno))
            }
            Trouble::Ended { offset } => {
                format!("{path} ended at offset {offset} while it was read")
            }
            Trouble::TooSmall { size, needed, setting } => {
                format!("{path} has {size} bytes, {setting} needs {needed}: make files larger")
            }
            Trouble::NoFile(_) => {
                "no file is left: let the profile make more at the start, or delete fewer"
                    .to_owned()
            }
            Trouble::Unsupported => "this operation is not supported".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_on_what_and_why_is_told() {
        let full = Trouble::Call { call: "write", offset: Some(4096), errno: Errno::NOSPC };
        assert_eq!(
            full.describe("/r/datafile7", false),
            "write of /r/datafile7 failed at offset 4096: No space left on device (os error 28)"
        );
        let unaligned = Trouble::Call { call: "write", offset: Some(0), errno: Errno::INVAL };
        assert!(unaligned.describe("f", true).contains("directio"));
        assert!(!unaligned.describe("f", false).contains("directio"));
        let small = Trouble::TooSmall { size: 5, needed: 9, setting: "read_size" };
        assert!(small.describe("f", false).starts_with("f has 5 bytes, read_size needs 9"));
    }
}

//! Mounts and unmounts the disks' filesystems.

use std::ffi::CString;
use std::fs;
use std::path::PathBuf;

use protocol::PAYLOAD_ROOT;
use rustix::mount::{UnmountFlags, mount, unmount};

use crate::disks;
use crate::failure::{Failure, While as _};
use crate::mount_options;

/// Where the first disk is mounted, `/mnt/0` to programs of the payload, who see it too.
#[must_use]
pub(crate) fn point(index: usize) -> PathBuf {
    PathBuf::from(format!("{PAYLOAD_ROOT}/mnt/{index}"))
}

/// How filesystems are mounted.
#[derive(Clone, Debug)]
pub(crate) struct Mounter {
    kind: String,
    flags: rustix::mount::MountFlags,
    options: String,
    data: CString,
}

impl Mounter {
    /// Mounts as `kind` with comma-separated `options`, for `disks` disks whose mount points are made.
    ///
    /// # Errors
    /// The options hold a zero byte, or a mount point cannot be made.
    pub(crate) fn new(kind: &str, options: &str, disks: usize) -> Result<Self, Failure> {
        for index in 0..disks {
            let point = point(index);
            fs::create_dir_all(&point).in_setup(format!("making {}", point.display()))?;
        }
        let (flags, data) = mount_options::split(options);
        Ok(Mounter {
            kind: kind.to_owned(),
            flags,
            options: options.to_owned(),
            data: CString::new(data)
                .map_err(|_| Failure::setup("a mount option holds a zero byte"))?,
        })
    }

    /// Mounts disk `index`.
    ///
    /// # Errors
    /// As mount(2).
    pub(crate) fn mount(&self, index: usize) -> Result<(), Failure> {
        let data = (!self.data.is_empty()).then_some(self.data.as_c_str());
        let (device, point) = (disks::device(index), point(index));
        mount(&device, &point, self.kind.as_str(), self.flags, data).in_workload(format!(
            "mounting {} as {} with options `{}`",
            device.display(),
            self.kind,
            self.options
        ))
    }
}

/// Unmounts disk `index`.
///
/// # Errors
/// As umount(2).
pub(crate) fn detach(index: usize) -> Result<(), Failure> {
    let point = point(index);
    let what = format!("unmounting {} ({})", point.display(), disks::name(index));
    unmount(point, UnmountFlags::empty()).in_workload(what).map_err(|failure| {
        let busy = failure.reason.contains("Device or resource busy");
        let hint = if busy { ": a process of an earlier phase still uses it" } else { "" };
        Failure { reason: failure.reason + hint, ..failure }
    })
}

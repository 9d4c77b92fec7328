//! System calls that rustix lacks, each in a safe wrapper.

use std::io;
use std::mem::MaybeUninit;

fn check(result: i64) -> io::Result<i64> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Sets which I/O ports this thread may use: 3 is all, 0 none.
///
/// # Errors
/// As iopl(2): without the right, or on a kernel without `CONFIG_X86_IOPL_IOPERM`.
pub(crate) fn iopl(level: i32) -> io::Result<()> {
    // SAFETY: passes an integer.
    check(unsafe { libc::syscall(libc::SYS_iopl, level) }).map(drop)
}

/// Whose use [`usage`] tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    /// This process with all its threads.
    Own,
    /// Its children that were waited for.
    Children,
}

/// getrusage(2); all zero where the kernel refuses, which it never does.
#[must_use]
pub(crate) fn usage(whose: Whose) -> libc::rusage {
    let who = match whose {
        Whose::Own => libc::RUSAGE_SELF,
        Whose::Children => libc::RUSAGE_CHILDREN,
    };
    let mut usage = MaybeUninit::zeroed();
    // SAFETY: the kernel fills the struct, whose all-zero form is valid as well.
    unsafe {
        libc::getrusage(who, usage.as_mut_ptr());
        usage.assume_init()
    }
}

/// Credits `bytes` to the kernel's entropy pool, 8 bits a byte.
///
/// # Errors
/// As random(4): without `CAP_SYS_ADMIN`.
pub(crate) fn add_entropy(random: &std::fs::File, bytes: &[u8]) -> io::Result<()> {
    use std::os::fd::AsRawFd as _;
    const RNDADDENTROPY: libc::Ioctl = 0x4008_5203;
    let length = i32::try_from(bytes.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
    // struct rand_pool_info: int entropy_count; int buf_size; __u32 buf[].
    let mut pool = Vec::with_capacity(8 + bytes.len());
    pool.extend((length * 8).to_ne_bytes());
    pool.extend(length.to_ne_bytes());
    pool.extend(bytes);
    // SAFETY: the kernel reads the header and `buf_size` bytes behind it, all within `pool`.
    check(unsafe { libc::ioctl(random.as_raw_fd(), RNDADDENTROPY, pool.as_ptr()) }.into()).map(drop)
}

/// The kernel's log, as much as it still holds.
///
/// # Errors
/// As syslog(2): without the right, or on a kernel without `CONFIG_PRINTK`.
pub(crate) fn kernel_log() -> io::Result<Vec<u8>> {
    const READ_ALL: i32 = 3;
    const SIZE_BUFFER: i32 = 10;
    // SAFETY: asks for a number; no memory is passed.
    let size = check(unsafe { libc::klogctl(SIZE_BUFFER, std::ptr::null_mut(), 0) }.into())?;
    let mut log = vec![0u8; usize::try_from(size).unwrap_or(0)];
    let room = i32::try_from(log.len()).unwrap_or(i32::MAX);
    // SAFETY: the kernel writes at most `room` bytes into `log`.
    let got = check(unsafe { libc::klogctl(READ_ALL, log.as_mut_ptr().cast(), room) }.into())?;
    log.truncate(usize::try_from(got).unwrap_or(0));
    Ok(log)
}

/// Lets `command` run below `root`, in the folder of that name there.
pub(crate) fn run_below(
    command: &mut std::process::Command,
    root: &std::ffi::CStr,
    folder: &std::ffi::CStr,
) {
    use std::os::unix::process::CommandExt as _;
    let (root, folder) = (root.to_owned(), folder.to_owned());
    let enter = move || {
        rustix::process::chroot(root.as_c_str())?;
        rustix::process::chdir(folder.as_c_str())?;
        Ok(())
    };
    // SAFETY: between fork and exec `enter` makes two system calls and allocates nothing.
    unsafe { command.pre_exec(enter) };
}

//! Gives the kernel its entropy, so that no step waits for it and each seed differs.

use std::fs::File;

use protocol::serial::parse_hex;

use crate::failure::{Failure, While as _};
use crate::syscalls;

/// Credits the hexadecimal bytes, 8 bits a byte.
///
/// # Errors
/// The text is not hexadecimal, or the kernel refuses.
pub(crate) fn credit(hex: &str) -> Result<(), Failure> {
    let bytes =
        parse_hex(hex).ok_or_else(|| Failure::setup("the job's entropy is not hexadecimal"))?;
    let random = File::options().write(true).open("/dev/random").in_setup("opening /dev/random")?;
    syscalls::add_entropy(&random, &bytes).in_setup("crediting entropy")
}

//! Runs programs of the payload.

use std::ffi::CString;
use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::process::{Command, ExitStatus, Stdio};

use protocol::PAYLOAD_ROOT;

use crate::boot::mount_once;
use crate::failure::{Failure, While as _};
use crate::syscalls;
use crate::whereabouts::Whereabouts;

/// Where all programs' output is collected. A file, not a pipe: nobody has to wake up for it.
pub(crate) const OUTPUT_FILE: &str = "/output";

/// Of a longer output the first line, which tends to say what is wrong, and the last ones.
const LINES: usize = 3;

/// Gives the payload's programs the kernel's filesystems and a place for temporary files.
///
/// # Errors
/// A mount fails.
pub(crate) fn prepare_root() -> Result<(), Failure> {
    for (kind, place) in [("devtmpfs", "dev"), ("proc", "proc"), ("sysfs", "sys"), ("tmpfs", "tmp")]
    {
        let target = format!("{PAYLOAD_ROOT}/{place}");
        match mount_once(kind, &target) {
            // A kernel without tmpfs still has the folder.
            Err(_) if kind == "tmpfs" => {}
            other => other.in_setup(format!("mounting {target}"))?,
        }
    }
    Ok(())
}

/// Runs `program` with `arguments`, rooted in the payload, to its successful end. Its environment is
/// padded by `padding` bytes.
///
/// # Errors
/// It cannot be started, or fails; the reason holds its first line and its last ones.
pub(crate) fn run(
    program: &str,
    arguments: &[&str],
    padding: u64,
    whereabouts: &Whereabouts,
) -> Result<(), Failure> {
    let name = program.rsplit('/').next().unwrap_or(program);
    let mut output = File::options()
        .create(true)
        .append(true)
        .read(true)
        .open(OUTPUT_FILE)
        .in_workload(format!("opening {OUTPUT_FILE}"))?;
    let _ = writeln!(output, "$ {program} {}", arguments.join(" "));
    let start = fs::metadata(OUTPUT_FILE).map_or(0, |m| m.len());
    let status = status(program, arguments, padding, &output, whereabouts)
        .in_workload(format!("{name} could not be run"))?;
    if status.success() {
        return Ok(());
    }
    let mut text = Vec::new();
    let _ = output.seek(SeekFrom::Start(start));
    let _ = output.read_to_end(&mut text);
    Err(Failure::workload(failed(name, arguments, status, &text)))
}

fn status(
    program: &str,
    arguments: &[&str],
    padding: u64,
    output: &File,
    whereabouts: &Whereabouts,
) -> std::io::Result<ExitStatus> {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env_clear()
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output.try_clone()?);
    if padding > 0 {
        let nothing = "x".repeat(usize::try_from(padding).unwrap_or_default());
        command.env("SLOWPATH_PADDING", nothing);
    }
    syscalls::run_below(&mut command, &CString::new(PAYLOAD_ROOT)?);
    let mut child = command.spawn()?;
    whereabouts.set_child(Some(child.id()));
    let status = child.wait();
    whereabouts.set_child(None);
    status
}

fn failed(name: &str, arguments: &[&str], status: ExitStatus, output: &[u8]) -> String {
    use std::os::unix::process::ExitStatusExt as _;
    let on = arguments.last().map(|last| format!(" on {last}")).unwrap_or_default();
    let how = match (status.code(), status.signal()) {
        (Some(code), _) => format!("failed with status {code}"),
        (None, Some(signal)) => format!("was killed by signal {signal}"),
        (None, None) => "ended in an unknown way".to_owned(),
    };
    let text = String::from_utf8_lossy(output);
    let mut lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines.retain(|line| !line.is_empty());
    if lines.len() > LINES {
        lines.splice(1..=lines.len() - LINES, ["…"]);
    }
    match lines.is_empty() {
        true => format!("{name} {how}{on}"),
        false => format!("{name} {how}{on}: {}", lines.join("; ")),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;

    use super::*;

    #[test]
    fn a_failure_names_program_disk_status_and_what_was_said() {
        let status = |raw| ExitStatus::from_raw(raw);
        let output = b"one\ntwo\n\nthree \nfour\n";
        let arguments = ["-f", "/dev/nullb0"];
        assert_eq!(
            failed("mkfs.xfs", &arguments, status(1 << 8), output),
            "mkfs.xfs failed with status 1 on /dev/nullb0: one; …; three; four"
        );
        assert_eq!(failed("mkfs.xfs", &[], status(9), b""), "mkfs.xfs was killed by signal 9");
    }
}

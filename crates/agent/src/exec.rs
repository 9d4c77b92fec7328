//! Runs programs: in a guest those of the payload, on a host its own.

use std::ffi::{CString, OsStr, OsString};
use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
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
        // What travelled to /tmp must not vanish below a mount; it lies in memory as it is.
        let occupied = fs::read_dir(&target).is_ok_and(|mut entries| entries.next().is_some());
        if kind == "tmpfs" && occupied {
            continue;
        }
        match mount_once(kind, &target) {
            // A kernel without tmpfs still has the folder.
            Err(_) if kind == "tmpfs" => {}
            other => other.in_setup(format!("mounting {target}"))?,
        }
    }
    Ok(())
}

/// How programs are run at a site.
pub(crate) struct Programs<'a> {
    /// Where they run.
    pub(crate) home: Home<'a>,
    /// Where they begin; in a guest as they see it.
    pub(crate) folder: Option<PathBuf>,
    /// What their environment holds besides.
    pub(crate) variables: Vec<(&'static str, OsString)>,
    /// What they work on, for the reason of a failure.
    pub(crate) subject: Option<String>,
}

/// Where programs run.
pub(crate) enum Home<'a> {
    /// In the payload of a guest, which is their root; their environment is padded by so many bytes.
    Payload(u64),
    /// On the machine itself, in its environment; what they print goes to a file.
    Machine(&'a File),
}

impl Programs<'_> {
    /// Runs `command`, a program and its arguments, to its successful end.
    ///
    /// # Errors
    /// It cannot be started, or fails; the reason holds its first line and its last ones.
    pub(crate) fn run(&self, command: &[String], whereabouts: &Whereabouts) -> Result<(), Failure> {
        let Some((program, arguments)) = command.split_first() else {
            return Err(Failure::setup("a command names no program"));
        };
        let name = program.rsplit('/').next().unwrap_or(program);
        let mut output = self.output().in_workload("opening the file for what programs print")?;
        let _ = writeln!(output, "$ {}", command.join(" "));
        let start = output.metadata().map_or(0, |m| m.len());
        let status = self
            .status(program, arguments, &output, whereabouts)
            .in_workload(format!("{name} could not be run"))?;
        if status.success() {
            return Ok(());
        }
        let mut text = Vec::new();
        // Run by hand, what was printed is on a terminal.
        if output.metadata().is_ok_and(|m| m.is_file()) {
            let _ = output.seek(SeekFrom::Start(start));
            let _ = output.read_to_end(&mut text);
        }
        Err(Failure::workload(failed(name, self.subject.as_deref(), status, &text)))
    }

    fn output(&self) -> std::io::Result<File> {
        match self.home {
            Home::Payload(_) => {
                File::options().create(true).append(true).read(true).open(OUTPUT_FILE)
            }
            Home::Machine(file) => file.try_clone(),
        }
    }

    fn status(
        &self,
        program: &str,
        arguments: &[String],
        output: &File,
        whereabouts: &Whereabouts,
    ) -> std::io::Result<ExitStatus> {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null());
        command.stdout(output.try_clone()?).stderr(output.try_clone()?);
        match self.home {
            Home::Payload(padding) => {
                command
                    .env_clear()
                    .envs([("PATH", "/usr/sbin:/usr/bin:/sbin:/bin"), ("LC_ALL", "C")]);
                if padding > 0 {
                    let nothing = "x".repeat(usize::try_from(padding).unwrap_or_default());
                    command.env("SLOWPATH_PADDING", nothing);
                }
                let folder = self.folder.as_deref().unwrap_or(Path::new("/"));
                let folder = CString::new(folder.as_os_str().as_bytes())?;
                syscalls::run_below(&mut command, &CString::new(PAYLOAD_ROOT)?, &folder);
            }
            Home::Machine(_) => {
                if let Some(folder) = &self.folder {
                    command.current_dir(folder);
                }
            }
        }
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        let mut child = command.spawn()?;
        whereabouts.set_child(Some(child.id()));
        let status = child.wait();
        whereabouts.set_child(None);
        status
    }
}

/// What a command's environment says of the folders in which it may work.
pub(crate) fn folders(folders: &[PathBuf]) -> Vec<(&'static str, OsString)> {
    let Some(first) = folders.first() else { return Vec::new() };
    let all: Vec<&OsStr> = folders.iter().map(|folder| folder.as_os_str()).collect();
    vec![("SLOWPATH_DIR", first.clone().into()), ("SLOWPATH_DIRS", all.join(OsStr::new(":")))]
}

fn failed(name: &str, subject: Option<&str>, status: ExitStatus, output: &[u8]) -> String {
    use std::os::unix::process::ExitStatusExt as _;
    let on = subject.map(|subject| format!(" on {subject}")).unwrap_or_default();
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
        let on = Some("/dev/nullb0");
        assert_eq!(
            failed("mkfs.xfs", on, status(1 << 8), output),
            "mkfs.xfs failed with status 1 on /dev/nullb0: one; …; three; four"
        );
        assert_eq!(failed("mkfs.xfs", None, status(9), b""), "mkfs.xfs was killed by signal 9");
    }
}

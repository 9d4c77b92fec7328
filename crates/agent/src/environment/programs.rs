//! Which versions the programs are that make filesystems, compile and emulate.

use std::env;
use std::fs;
use std::io::{self, PipeReader, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

use super::Programs;
use super::attributes::push;
use super::patience::{self, within};
use super::plan::Plan;
use super::tree::Tree;

/// Programs and how they are asked; none of these touches a disk.
const ASKED: [(&str, &str); 19] = [
    ("mke2fs", "-V"),
    ("mkfs.xfs", "-V"),
    ("mkfs.btrfs", "-V"),
    ("mkfs.reiserfs", "-V"),
    ("mkfs.f2fs", "-V"),
    ("mkfs.jfs", "-V"),
    ("mkfs.nilfs2", "-V"),
    ("bcachefs", "version"),
    ("mount", "--version"),
    ("mdadm", "--version"),
    ("dd", "--version"),
    ("fio", "--version"),
    ("gcc", "--version"),
    ("clang", "--version"),
    ("ld", "-v"),
    ("make", "--version"),
    ("qemu-system-x86_64", "--version"),
    ("qemu-system-aarch64", "--version"),
    ("qemu-img", "--version"),
];

/// Where programs lie that an ordinary user's PATH may not name.
const MORE_FOLDERS: [&str; 5] = ["/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/bin", "/bin"];

/// For one program.
const LIMIT: Duration = Duration::from_secs(2);

/// Of an answer no more bytes than these are read.
const LONGEST: u64 = 4096;

pub(super) fn plan(tree: &Tree, programs: Programs) -> Plan {
    let source = "the programs of PATH and of the sbin folders";
    let plan = Plan::new(tree, "programs", source, move |tree| match programs {
        Programs::Leave => Err("programs were not to be started".to_owned()),
        Programs::Ask if !tree.is_own() => Err("these files are of another machine".to_owned()),
        Programs::Ask => versions(&folders(env::var_os("PATH").as_deref())),
    });
    plan.patient(patience::LONG)
}

/// Relative ones are left out: they would start what lies in the working directory.
fn folders(path: Option<&std::ffi::OsStr>) -> Vec<PathBuf> {
    let named = path.into_iter().flat_map(env::split_paths).filter(|folder| folder.is_absolute());
    named.chain(MORE_FOLDERS.map(PathBuf::from)).collect()
}

fn versions(folders: &[PathBuf]) -> Result<String, String> {
    let mut text = String::new();
    for (name, argument) in ASKED {
        if let Some(program) = find(name, folders) {
            let answer = ask(&program, &[argument], LIMIT);
            let answer = answer.unwrap_or_else(|why| format!("not available: {why}"));
            push(&mut text, &format!("{name} {argument}"), &answer);
        }
    }
    if text.is_empty() { Err("none of them is installed".to_owned()) } else { Ok(text) }
}

fn find(name: &str, folders: &[PathBuf]) -> Option<PathBuf> {
    let is_program = |path: &PathBuf| {
        fs::metadata(path)
            .is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    };
    folders.iter().map(|folder| folder.join(name)).find(is_program)
}

/// The first line that is not empty of what the program says, to whichever stream.
fn ask(program: &Path, arguments: &[&str], limit: Duration) -> Result<String, String> {
    let (mut child, reader) = start(program, arguments).map_err(|error| error.to_string())?;
    let answer = within(limit, move || read(reader));
    end(&mut child);
    let answer = answer.map_err(|_| format!("it gave no answer within {limit:?}"))?;
    let answer = answer.map_err(|error| error.to_string())?;
    let mut lines = answer.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.next().map(str::to_owned).ok_or_else(|| "it said nothing".to_owned())
}

fn start(program: &Path, arguments: &[&str]) -> io::Result<(Child, PipeReader)> {
    let (reader, writer) = io::pipe()?;
    let mut command = Command::new(program);
    command.args(arguments).env("LC_ALL", "C").current_dir("/").process_group(0);
    command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
    let child = command.spawn()?;
    // The command holds the pipe's other end too.
    drop(command);
    Ok((child, reader))
}

fn read(reader: PipeReader) -> io::Result<String> {
    let mut bytes = Vec::new();
    reader.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Ends the program and what it started; one that has ended is only taken note of.
fn end(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // Nothing is left to do where it has ended already.
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::time::Instant;

    use super::*;

    fn shell(script: &str, limit: Duration) -> Result<String, String> {
        ask(Path::new("/bin/sh"), &["-c", script], limit)
    }

    #[test]
    fn the_first_line_of_either_stream_is_the_answer() {
        let long = Duration::from_secs(60);
        assert_eq!(shell("echo; echo one 1.2 >&2; echo two", long).as_deref(), Ok("one 1.2"));
        assert_eq!(shell("echo $LC_ALL", long).as_deref(), Ok("C"));
        assert_eq!(shell(":", long), Err("it said nothing".to_owned()));
        assert!(ask(Path::new("/gone"), &["-V"], long).unwrap_err().contains("os error 2"));
    }

    #[test]
    fn a_program_that_hangs_is_ended() {
        let began = Instant::now();
        let answer = shell("sleep 600 & sleep 600", Duration::from_millis(100));
        assert_eq!(answer, Err("it gave no answer within 100ms".to_owned()));
        assert!(began.elapsed() < Duration::from_secs(300));
    }

    #[test]
    fn a_long_answer_is_cut() {
        let answer = shell("while echo abc; do :; done", Duration::from_secs(60));
        assert_eq!(answer.as_deref(), Ok("abc"));
    }

    #[test]
    fn only_whole_paths_are_looked_in() {
        let folders = folders(Some(OsStr::new("/a:.:bin::/b")));
        let begin: Vec<_> = folders.iter().take(2).map(|f| f.to_str().unwrap()).collect();
        assert_eq!(begin, ["/a", "/b"]);
        assert_eq!(folders.len(), 2 + MORE_FOLDERS.len());
        assert_eq!(find("sh", &["/gone".into(), "/bin".into()]), Some("/bin/sh".into()));
        assert_eq!(find("bin", &["/".into()]), None);
        assert!(versions(&["/gone".into()]).is_err());
    }
}

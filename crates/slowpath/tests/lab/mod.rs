//! Runs the program as its user does: with a store, a home and kernels of the test's own.
//!
//! `SLOWPATH_LAB` names the folder that `scripts/fetch-lab` fills (default: `target/lab`). A piece that
//! is not in it fails the tests that need it, unless `SLOWPATH_LAB_OPTIONAL=1` leaves them out.
#![allow(dead_code, reason = "no test file needs every helper")]
#![allow(clippy::print_stderr, reason = "what is left out is told")]

pub(crate) mod comparison;
pub(crate) mod profiles;
pub(crate) mod running;
pub(crate) mod trial;

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// How long processes may take to go away, on however busy a machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// A store, a home and a cache; when it is dropped, no process that was started in it may be left.
pub(crate) struct Bench {
    folder: TempDir,
    cache: PathBuf,
    keeps_ccache: bool,
}

impl Bench {
    /// With the cache that all tests share, so that few of them wait for a boot.
    pub(crate) fn new() -> Self {
        let mut bench = Bench::apart();
        bench.cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache");
        bench
    }

    /// With this cache, which stays, and in it the compiler's, which would lie in the home.
    pub(crate) fn with_cache(cache: PathBuf) -> Self {
        let mut bench = Bench::apart();
        bench.cache = cache;
        bench.keeps_ccache = true;
        bench
    }

    /// With an empty cache of its own.
    pub(crate) fn apart() -> Self {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let cache = folder.path().join("cache");
        Bench { folder, cache, keeps_ccache: false }
    }

    /// A file of that name in the test's folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A new, empty folder of that name in the test's folder.
    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir(&path).expect("a folder");
        path
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.path("store")
    }

    pub(crate) fn cache(&self) -> &Path {
        &self.cache
    }

    /// The program with these arguments; it sees nothing of the caller's settings.
    pub(crate) fn command<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = Command::new(program());
        self.quarantine(&mut command);
        command.args(arguments).args(["--cache-limit", "4G", "--store"]).arg(self.store());
        command.arg("--cache").arg(&self.cache);
        command
    }

    /// Gives a command the environment that every program of a test has.
    pub(crate) fn quarantine(&self, command: &mut Command) {
        command.current_dir(self.folder.path()).env("HOME", self.folder.path());
        if self.keeps_ccache {
            command.env("CCACHE_DIR", self.cache.join("ccache"));
        }
        for name in ["XDG_STATE_HOME", "XDG_CACHE_HOME", "SLOWPATH_QEMU", "NO_COLOR", "COLUMNS"] {
            command.env_remove(name);
        }
    }

    pub(crate) fn run<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Ran {
        Ran::of(self.command(arguments))
    }

    /// Runs `script` with `zero` as its `$0` and the inner command as its arguments, in mounts of the
    /// test's own; `None`, after a word about it, where no user may have such, or the script ends
    /// with 99.
    pub(crate) fn unshared(
        &self,
        script: &str,
        zero: impl AsRef<OsStr>,
        inner: &Command,
    ) -> Option<Ran> {
        let mut command = Command::new("unshare");
        command.args(["-rm", "sh", "-c", script]).arg(zero);
        command.arg(inner.get_program()).args(inner.get_args());
        self.quarantine(&mut command);
        let ran = Ran::of(command);
        if ran.code == Some(99) || ran.err.contains("unshare") {
            eprintln!("left out: nothing can be mounted here ({})", ran.err.trim());
            return None;
        }
        Some(ran)
    }

    /// The trials of the store, as `trials` summarises them; all can be read.
    #[track_caller]
    pub(crate) fn trials(&self) -> Vec<Value> {
        let ran = self.run(&["trials", "--json"]).exits(0);
        assert_eq!(ran.err, "", "every trial in the store can be read");
        ran.trials()
    }

    /// Everything that the store has of a trial.
    #[track_caller]
    pub(crate) fn trial(&self, id: &str) -> Value {
        self.run(&["show", id, "--json"]).exits(0).json()
    }

    /// Fails the test unless the store has exactly these trials.
    #[track_caller]
    pub(crate) fn assert_kept(&self, trials: &[Value]) {
        assert_eq!(ids(&self.trials()), ids(trials));
    }

    /// Processes that were started in this bench, by number and command line: all inherit its HOME.
    pub(crate) fn processes(&self) -> Vec<(i32, String)> {
        let home = [b"HOME=", self.folder.path().as_os_str().as_bytes()].concat();
        let in_bench = |process: &Path| {
            let environment = fs::read(process.join("environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|variable| variable == home)
        };
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        let processes = processes.map(|entry| entry.path()).filter(|path| in_bench(path));
        processes.filter_map(|path| Some((number(&path)?, command_line(&path)?))).collect()
    }

    /// Waits until no process of this bench is left.
    pub(crate) fn assert_nothing_runs(&self) {
        let began = Instant::now();
        loop {
            let left = self.processes();
            if left.is_empty() {
                return;
            }
            assert!(began.elapsed() < PATIENCE, "still running: {left:?}");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        if !thread::panicking() {
            self.assert_nothing_runs();
        }
    }
}

fn number(process: &Path) -> Option<i32> {
    process.file_name()?.to_str()?.parse().ok()
}

/// `None` for a process that has ended and waits to be reaped.
fn command_line(process: &Path) -> Option<String> {
    let bytes = fs::read(process.join("cmdline")).ok().filter(|bytes| !bytes.is_empty())?;
    Some(String::from_utf8_lossy(&bytes).replace('\0', " "))
}

/// The program under test, in a folder with the agent and the plugin, which it looks for beside itself.
/// Those come from the release build: `cargo test` puts an agent of its own, which no guest can
/// start, beside the debug program.
pub(crate) fn program() -> PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(install).clone()
}

fn install() -> PathBuf {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_slowpath"));
    let release = program.with_file_name("../release");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs");
    fs::create_dir_all(&folder).expect("a folder for the programs");
    let put = |from: &Path| {
        assert!(from.is_file(), "{} is missing; build it: make build", from.display());
        let name = from.file_name().expect("a file");
        // Whole at once: another test binary may be starting it.
        let draft = folder.join(format!(".{}-{}", name.to_string_lossy(), std::process::id()));
        fs::copy(from, &draft).expect("room for the programs");
        fs::rename(&draft, folder.join(name)).expect("a rename");
    };
    put(&program);
    ["slowpath-agent", "libslowpath_plugin.so"].iter().for_each(|file| put(&release.join(file)));
    folder.join("slowpath")
}

/// What the program did.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn of(mut command: Command) -> Ran {
        Ran::from(command.output().expect("the program starts"))
    }

    /// Fails the test unless the program ended with this code.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Ran {
        let (out, err) = (&self.out, &self.err);
        assert_eq!(self.code, Some(code), "standard output:\n{out}\nstandard error:\n{err}");
        self
    }

    /// Fails the test unless standard error has all of these texts.
    #[track_caller]
    pub(crate) fn complains(self, texts: &[&str]) -> Ran {
        let said = one_line(&self.err);
        for text in texts {
            assert!(said.contains(text), "`{text}` is not in: {said}");
        }
        self
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).expect("standard output is one JSON document")
    }

    #[track_caller]
    pub(crate) fn trials(&self) -> Vec<Value> {
        self.json()["trials"].as_array().expect("a list of trials").clone()
    }

    /// The only trial of a run.
    #[track_caller]
    pub(crate) fn trial(&self) -> Value {
        let [trial] = <[Value; 1]>::try_from(self.trials()).expect("one trial");
        trial
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Ran {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ran { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }
}

/// The JSON document in a file.
#[track_caller]
pub(crate) fn document(file: &Path) -> Value {
    serde_json::from_slice(&fs::read(file).expect("the file")).expect("one JSON document")
}

/// The value under a key of JSON that must be text there.
#[track_caller]
pub(crate) fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_else(|| panic!("no text `{key}` in {value:#}"))
}

/// The trials' IDs in the archive's order.
pub(crate) fn ids(trials: &[Value]) -> Vec<String> {
    let id = |trial: &Value| trial["id"].as_str().expect("an ID").to_owned();
    let mut ids: Vec<_> = trials.iter().map(id).collect();
    ids.sort();
    ids
}

/// The text with every run of white space as one space, so that line breaks do not matter.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Arguments that run `dd-sync` on a kernel: a JSON document, one trial at a time.
pub(crate) fn dd_sync(kernel: &Path, settings: &[&str]) -> Vec<String> {
    case("dd-sync", kernel, settings)
}

/// Arguments that run a case on a kernel.
pub(crate) fn case(case: &str, kernel: &Path, settings: &[&str]) -> Vec<String> {
    let fixed = ["run", case, "--json", "-", "--jobs", "1"].map(str::to_owned);
    let kernel = format!("kernel={}", kernel.display());
    let settings = std::iter::once(kernel).chain(settings.iter().map(|s| (*s).to_owned()));
    fixed.into_iter().chain(settings.flat_map(|setting| ["--set".to_owned(), setting])).collect()
}

/// The kernel in that folder of the lab; `None`, after a word about it, where it may be missing.
pub(crate) fn kernel(name: &str) -> Option<PathBuf> {
    let folder = lab_folder().join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    let build =
        if name.starts_with("small") { "scripts/small-kernel" } else { "scripts/fetch-lab" };
    // The small kernel takes minutes to build, so nobody has to.
    let optional =
        name.starts_with("small") || env::var("SLOWPATH_LAB_OPTIONAL").is_ok_and(|v| v == "1");
    let lab = lab_folder();
    let (folder, lab) = (folder.display(), lab.display());
    assert!(optional, "{folder} is missing; get it: {build} {lab}");
    eprintln!("left out: {name}, which `{build} {lab}` brings");
    None
}

/// The kernel of the tests to which all kernels are alike.
pub(crate) fn main_kernel() -> Option<PathBuf> {
    // The Ubuntu kernel is there only where Debian's could not be had.
    match lab_folder().join("ubuntu") {
        ubuntu if ubuntu.is_dir() => Some(ubuntu),
        _ => kernel("debian-6.1"),
    }
}

/// The lab's own QEMU; `None`, after a word about it, where it does not fit this machine.
pub(crate) fn qemu10() -> Option<PathBuf> {
    let folder = lab_folder().join("qemu10");
    let found = ["qemu", "usr/bin/qemu-system-x86_64"].map(|file| folder.join(file));
    let found = found.into_iter().find(|file| file.is_file());
    if found.is_none() {
        eprintln!("left out: QEMU 10, which scripts/fetch-lab brings where it fits");
    }
    found
}

/// The folder that the scripts fill.
pub(crate) fn lab_folder() -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    match env::var_os("SLOWPATH_LAB") {
        Some(lab) => workspace.join(lab),
        None => workspace.join("target/lab"),
    }
}

//! What the exact lab costs on this machine, as ratios and host times measured in one run:
//! `make bench`, or `cargo bench -p slowpath` with SLOWPATH_LAB set. Nothing here passes or fails.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Runs of each side.
const RUNS: usize = 5;

fn main() {
    let programs = Programs::find();
    let scratch = tempfile::tempdir().expect("a temporary folder");
    streaming(&programs);
    let Some(kernel) = lab_kernel("debian-6.12").or_else(|| lab_kernel("debian-6.1")) else {
        println!("no kernel in SLOWPATH_LAB: the rest is left out (scripts/fetch-lab)");
        return;
    };
    let lab = Lab { programs, kernel, scratch: scratch.path().to_owned() };
    let ready = lab.ready();
    let many = ["disks=12", "size=8M", "block=4k", "disk.size=64M", "rounds=1"];
    println!("12 disks, 96 MiB, restored      {}", lab.trial(&many, &[]));
    println!("dd-sync, 100 MiB, 1 round       {}", lab.trial(&["rounds=1"], &[]));
    println!("dd-sync, 100 MiB, 4 rounds      {}", lab.trial(&["rounds=4"], &[]));
    lab.profile();
    virtme(&lab, ready);
}

/// The programs under test: the release build beside which agent and plugin lie.
struct Programs {
    slowpath: PathBuf,
    agent: PathBuf,
}

impl Programs {
    fn find() -> Programs {
        let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/release");
        let folder = env::var_os("SLOWPATH_PROGRAMS").map_or(target, PathBuf::from);
        Programs { slowpath: folder.join("slowpath"), agent: folder.join("slowpath-agent") }
    }
}

/// Times of several runs.
struct Times(Vec<Duration>);

impl Times {
    fn of(mut run: impl FnMut()) -> Times {
        let mut times: Vec<_> = (0..RUNS).map(|_| timed(&mut run)).collect();
        times.sort();
        Times(times)
    }

    fn median(&self) -> f64 {
        self.0[self.0.len() / 2].as_secs_f64()
    }
}

impl std::fmt::Display for Times {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (least, most) = (self.0[0], self.0[self.0.len() - 1]);
        write!(
            f,
            "{:.2} s ({:.2} to {:.2})",
            self.median(),
            least.as_secs_f64(),
            most.as_secs_f64()
        )
    }
}

fn timed(run: &mut impl FnMut()) -> Duration {
    let began = Instant::now();
    run();
    began.elapsed()
}

fn quietly(command: &mut Command) {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    assert!(status.is_ok_and(|status| status.success()), "{command:?} failed");
}

/// The streaming engine against coreutils' dd, on a tmpfs, pair by pair.
fn streaming(programs: &Programs) {
    let file = Path::new("/dev/shm").join(format!("slowpath-bench-{}", std::process::id()));
    let (size, count) = ("400M", "409600");
    let mut dd = || {
        let of = format!("of={}", file.display());
        let count = format!("count={count}");
        quietly(Command::new("dd").args(["if=/dev/zero", &of, "bs=1k", &count]));
    };
    let mut ours = || {
        let mut command = Command::new(&programs.agent);
        quietly(command.arg("stream").arg(&file).args(["--size", size, "--block", "1k"]));
    };
    let mut ratios: Vec<f64> =
        (0..RUNS).map(|_| timed(&mut dd).as_secs_f64() / timed(&mut ours).as_secs_f64()).collect();
    let _ = fs::remove_file(&file);
    ratios.sort_by(f64::total_cmp);
    println!("streaming 1 KiB writes, rate of ours / rate of dd   {:.3}", ratios[RUNS / 2]);
}

fn lab_kernel(name: &str) -> Option<PathBuf> {
    let lab = env::var_os("SLOWPATH_LAB").map(PathBuf::from)?;
    Some(lab.join(name)).filter(|folder| folder.is_dir())
}

struct Lab {
    programs: Programs,
    kernel: PathBuf,
    scratch: PathBuf,
}

impl Lab {
    fn command(&self, cache: &Path, settings: &[&str], options: &[&str]) -> Command {
        let mut command = Command::new(&self.programs.slowpath);
        command.args(["run", "dd-sync", "--store"]).arg(self.scratch.join("store"));
        command.arg("--cache").arg(cache).args(options);
        command.arg("--set").arg(format!("kernel={}", self.kernel.display()));
        for setting in settings {
            command.args(["--set", setting]);
        }
        command
    }

    /// From the program's start until the booted machine is kept, the cache being empty.
    fn ready(&self) -> f64 {
        let boots = (1..=RUNS).map(|run| self.boot(&self.scratch.join(format!("boot-{run}"))));
        let mut times: Vec<_> = boots.collect();
        times.sort();
        let times = Times(times);
        println!("start to a saved ready machine  {times}");
        times.median()
    }

    /// With the profile against without, pair by pair. The first profile of a kernel and filesystem
    /// also has the guest print its symbols; it is not counted.
    fn profile(&self) {
        let settings = ["rounds=1"];
        self.run(&settings, &["--profile"]);
        let mut with = || self.run(&settings, &["--profile"]);
        let mut without = || self.run(&settings, &[]);
        let mut ratios: Vec<f64> = (0..2 * RUNS)
            .map(|_| timed(&mut with).as_secs_f64() / timed(&mut without).as_secs_f64())
            .collect();
        ratios.sort_by(f64::total_cmp);
        let (least, most) = (ratios[0], ratios[ratios.len() - 1]);
        let median = ratios[ratios.len() / 2];
        println!("with the profile / without      {median:.3} ({least:.3} to {most:.3})");
    }

    fn boot(&self, cache: &Path) -> Duration {
        let began = Instant::now();
        let mut command = self.command(cache, &["size=4k", "block=4k", "rounds=1"], &[]);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut child = child.expect("slowpath starts");
        let kept = || {
            let states = fs::read_dir(cache.join("states")).into_iter().flatten().flatten();
            states.map(|state| state.path()).any(|state| state.join("about.json").is_file())
        };
        while !kept() && child.try_wait().is_ok_and(|ended| ended.is_none()) {
            thread::sleep(Duration::from_millis(5));
        }
        let took = began.elapsed();
        let status = child.wait();
        assert!(status.is_ok_and(|status| status.success()), "the boot failed");
        took
    }

    /// A whole run of the program in a machine that is already kept.
    fn trial(&self, settings: &[&str], options: &[&str]) -> Times {
        Times::of(|| self.run(settings, options))
    }

    fn run(&self, settings: &[&str], options: &[&str]) {
        quietly(&mut self.command(&self.scratch.join("boot-1"), settings, options));
    }
}

/// virtme-ng boots the same kernel to a command and out again, where it is installed.
fn virtme(lab: &Lab, ready: f64) {
    let found = Command::new("vng").arg("--version").stdout(Stdio::null()).status();
    if !found.is_ok_and(|status| status.success()) {
        println!("virtme-ng is not installed: its ratio is left out");
        return;
    }
    let boot = lab.kernel.join("boot");
    let images = fs::read_dir(boot).into_iter().flatten().flatten().map(|entry| entry.path());
    let image = images.into_iter().find(|path| path.to_string_lossy().contains("vmlinuz"));
    let Some(image) = image else { return };
    // It wants a terminal, which script(1) is, and its exit code is not always the command's.
    let run = format!("vng --run {} --disable-kvm -- true", image.display());
    let times = Times::of(|| {
        let mut command = Command::new("script");
        command.args(["-qec", &run, "/dev/null"]).stdin(Stdio::null()).stdout(Stdio::null());
        assert!(command.status().is_ok(), "script(1) is missing");
    });
    println!("virtme-ng, to a command and out {times}, ratio {:.2}", times.median() / ready);
}

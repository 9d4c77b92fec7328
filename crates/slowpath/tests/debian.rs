//! `kernel=debian:VERSION` where no network is: what is in the cache serves, all else says what to do.
//!
//! The archive that is named here is a port of this machine on which nobody listens.

mod lab;

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::time::{Duration, Instant};

use lab::comparison::compare;
use lab::{Bench, Ran};

/// What keeps a trial short.
const SMALL: [&str; 3] = ["mem=512M", "size=1M", "disk.size=1M"];

/// Nothing waits for so long that it gives up: it only would if it hung.
const PATIENCE: Duration = Duration::from_secs(200);

/// A machine without a network, and without kernels in its cache.
struct Offline {
    bench: Bench,
    mirror: String,
}

impl Offline {
    fn new() -> Offline {
        let bench = Bench::apart();
        // A proxy is for other machines than this one.
        let direct = "Acquire::http::Proxy::127.0.0.1 \"DIRECT\";\n";
        fs::write(bench.path("apt.conf"), direct).expect("a configuration");
        // Nobody listens on a port that was just closed.
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("its number").port();
        Offline { bench, mirror: format!("http://127.0.0.1:{port}/debian") }
    }

    fn run(&self, arguments: &[String]) -> Ran {
        let mut command = self.bench.command(arguments);
        command.env("SLOWPATH_DEBIAN_MIRROR", &self.mirror);
        command.env("APT_CONFIG", self.bench.path("apt.conf"));
        let began = Instant::now();
        let ran = Ran::of(command);
        assert!(began.elapsed() < PATIENCE);
        ran
    }

    /// A trial on that kernel.
    fn trial(&self, kernel: &str) -> Ran {
        let kernel = format!("kernel={kernel}");
        let settings = [&SMALL[..], &[kernel.as_str()]].concat();
        let settings = settings.into_iter().flat_map(|setting| ["--set", setting]);
        let words = ["run", "disk-rate", "--json", "-"].into_iter().chain(settings);
        self.run(&words.map(str::to_owned).collect::<Vec<_>>())
    }

    /// Puts an unpacked kernel where a fetched one lies, and returns its release.
    fn keep(&self, kernel: &Path) -> String {
        let boot = fs::read_dir(kernel.join("boot")).expect("a boot folder").flatten();
        let names = boot.map(|file| file.file_name().to_string_lossy().into_owned());
        let releases = names.filter_map(|name| name.strip_prefix("vmlinuz-").map(str::to_owned));
        let release = releases.last().expect("an image");
        let kernels = self.bench.cache().join("kernels");
        fs::create_dir_all(&kernels).expect("a folder for kernels");
        let kernel = fs::canonicalize(kernel).expect("the kernel");
        std::os::unix::fs::symlink(kernel, kernels.join(&release)).expect("a link");
        release
    }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn a_list_of_what_is_here_asks_nobody() {
    let offline = Offline::new();
    let ran = offline.run(&words("kernels --local")).exits(0);
    assert_eq!(ran.err, "");
    assert!(!ran.out.contains("debian:"), "{}", ran.out);
    assert!(!offline.bench.cache().join("apt").exists(), "the package client was not started");
    // The whole list says what it could not learn, and is no failure.
    let ran = offline.run(&words("kernels")).exits(0);
    assert!(ran.out.contains("--set kernel=PATH"), "{}", ran.out);
    ran.complains(&["what can be had is not known", "127.0.0.1"]);
}

#[test]
fn what_is_no_version_is_wrong_input() {
    let offline = Offline::new();
    for (version, said) in [("banana", "\"banana\" is no version"), ("", "\"\" is no version")] {
        let ran = offline.trial(&format!("debian:{version}")).exits(2);
        ran.complains(&[said, "6.12", "6.1.0-57-amd64"]);
    }
    let vary = "kernel=debian:6.1,debian:banana";
    offline.run(&compare("disk-rate", vary, &SMALL, &[])).exits(2).complains(&["\"banana\""]);
    assert!(!offline.bench.cache().join("apt").exists(), "the package client was not started");
    assert!(offline.bench.trials().is_empty());
}

#[test]
fn without_a_network_a_kernel_that_is_not_here_is_missing() {
    let offline = Offline::new();
    let advice = ["debian:6.1", "cannot fetch", "127.0.0.1", "check the network and the proxy"];
    offline.trial("debian:6.1").exits(4).complains(&advice);
    let vary = "kernel=debian:6.1,debian:6.12";
    let compared = offline.run(&compare("disk-rate", vary, &SMALL, &["--json", "-"])).exits(4);
    assert_eq!(compared.out, "");
    compared.complains(&advice);
    assert!(offline.bench.trials().is_empty(), "nothing was run");
    let list = offline.bench.run(&["comparisons"]).exits(0).out;
    assert!(list.contains("No comparison was made yet"), "{list}");
}

#[test]
fn a_kernel_in_the_cache_needs_no_network() {
    let Some(kernel) = lab::kernel("debian-6.1") else { return };
    let offline = Offline::new();
    let release = offline.keep(&kernel);
    let list = offline.run(&words("kernels --local")).exits(0).out;
    assert!(list.contains(&format!("debian:{release}  (in the cache)")), "{list}");

    let trials = offline.trial(&format!("debian:{release}")).exits(0).trials();
    assert_eq!(trials[0]["fingerprint"]["kernel.release"], *release);
    assert!(!offline.bench.cache().join("apt").exists(), "the package client was not started");
    // Of a series, the newest that is here, since no list can be had.
    let series: Vec<&str> = release.split('.').take(2).collect();
    let of_series = offline.trial(&format!("debian:{}", series.join("."))).exits(0).trials();
    assert_eq!(of_series[0]["fingerprint"], trials[0]["fingerprint"]);
    // Another series is not taken for it.
    offline.trial("debian:6.12").exits(4).complains(&["debian:6.12", "cannot fetch"]);
}

//! A comparison that was ended at any moment goes on where it stood, with the same command.

mod lab;

use std::collections::HashSet;
use std::fs;
use std::process::Child;

use lab::comparison::{Compared, compare, kernel_setting, place};
use lab::running::{finished, interrupt, kill, start, wait_for_trials};
use lab::{Bench, main_kernel};

/// A comparison and the one command that makes it.
struct Long {
    bench: Bench,
    arguments: Vec<String>,
    /// Trials that it makes in all.
    trials: usize,
}

impl Long {
    fn start(&self) -> Child {
        start(self.bench.command(&self.arguments))
    }

    /// Starts it and waits until so many trials are there.
    #[track_caller]
    fn start_for(&self, trials: usize) -> Child {
        let mut child = self.start();
        wait_for_trials(&self.bench, &mut child, trials);
        child
    }

    /// The only comparison that is listed, which must be unfinished.
    #[track_caller]
    fn unfinished(&self) -> String {
        let list = self.bench.run(&["comparisons"]).exits(0).out;
        let lines: Vec<&str> = list.lines().filter(|line| line.contains("not finished")).collect();
        let [line] = lines[..] else { panic!("one is unfinished: {list}") };
        line.split_whitespace().next().expect("an ID").to_owned()
    }

    /// Kills it, interrupts it, and lets it come to its end. Returns what it found.
    fn killed_interrupted_finished(&self) -> Compared {
        let killed = kill(&self.bench, self.start_for(2));
        let id = self.unfinished();
        let shown = self.bench.run(&["show", &id]);
        assert_ne!(shown.code, Some(0));
        shown.complains(&[&id, "not"]);

        let child = self.start_for(killed.len() + 2);
        let ran = interrupt(&self.bench, child).exits(130);
        assert_eq!(ran.out, "", "there is no verdict yet");
        ran.complains(&["interrupted", "the same command goes on from there"]);
        assert_eq!(self.unfinished(), id, "the same comparison went on");
        let interrupted = finished(&self.bench);
        assert!(killed.iter().all(|trial| interrupted.contains(trial)), "none is lost");
        assert!(interrupted.len() < self.trials, "it was not done yet");

        let ran = self.bench.run(&self.arguments);
        let found = Compared::of(&ran);
        assert_eq!(found.id(), id, "the same comparison came to its end");
        self.assert_nothing_was_run_twice(&found, &interrupted);
        found
    }

    /// What was there is part of what was found, and only what was missing was run.
    #[track_caller]
    fn assert_nothing_was_run_twice(&self, found: &Compared, earlier: &[String]) {
        let used: HashSet<String> =
            found.trials().into_iter().flatten().map(|(_, trial)| trial).collect();
        assert!(earlier.iter().all(|trial| used.contains(trial)), "{earlier:?} in {used:?}");
        assert_eq!((used.len(), finished(&self.bench).len()), (self.trials, self.trials));
        let sets = self.bench.trials();
        assert!(sets.iter().all(|trial| trial["set"] == found.id()), "all are of one set");
        let list = self.bench.run(&["comparisons"]).exits(0).out;
        assert!(list.contains(found.id()) && !list.contains("not finished"), "{list}");
    }
}

#[test]
fn a_comparison_in_the_exact_lab_goes_on_where_it_was_ended() {
    let Some(kernel) = main_kernel() else { return };
    let kernel = kernel_setting(&kernel);
    let settings = ["mem=512M", "size=4M", "disk.size=4M", &kernel];
    // One job: trials come one by one, so that some are left when it is ended.
    let more = ["--seeds", "6", "--jobs", "1", "--json", "-"];
    let arguments = compare("disk-rate", "disk.mbps=10,20", &settings, &more);
    let long = Long { bench: Bench::new(), arguments, trials: 12 };
    let found = long.killed_interrupted_finished();
    assert_eq!(found.verdict("disk.mbps=20"), "better");
}

#[test]
fn a_comparison_in_a_directory_goes_on_where_it_was_ended() {
    let bench = Bench::new();
    let data = bench.folder("data");
    let on = place(&data);
    // So many pairs that it is far from done when it is ended, however fast the machine is.
    let more = ["--on", &on, "--headline", "write", "--seeds", "16", "--json", "-"];
    let arguments = compare("dd-sync", "size=64k,16M", &["rounds=1"], &more);
    let long = Long { bench, arguments, trials: 32 };
    let found = long.killed_interrupted_finished();
    assert_eq!(found.verdict("size=16M"), "worse");
    let seeds = |side: &[(u64, String)]| side.iter().map(|(seed, _)| *seed).collect::<Vec<_>>();
    for side in &found.trials() {
        assert_eq!(seeds(side), (1..=16).collect::<Vec<u64>>(), "every pair is whole");
    }
    // What the killed trial had left is swept away, too.
    assert_eq!(fs::read_dir(&data).unwrap().count(), 0);
}

/// What is asked is part of a comparison: another question does not go on with it.
#[test]
fn another_question_is_a_comparison_of_its_own() {
    let bench = Bench::new();
    let on = place(&bench.folder("data"));
    let arguments = |threshold: &str| {
        let more = ["--on", &on, "--seeds", "8", "--threshold", threshold, "--json", "-"];
        compare("dd-sync", "size=64k,16M", &["rounds=1"], &more)
    };
    let mut child = start(bench.command(&arguments("2%")));
    wait_for_trials(&bench, &mut child, 2);
    let killed = kill(&bench, child);
    let found = Compared::of(&bench.run(&arguments("3%")));
    assert_eq!(finished(&bench).len(), killed.len() + 16, "all of its trials are its own");
    let list = bench.run(&["comparisons"]).exits(0).out;
    assert!(list.contains(found.id()) && list.contains("not finished"), "{list}");
}

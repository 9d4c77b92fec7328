//! `terminal::run`.

use model::Trial;
use report::{Style, terminal};

use crate::{PIPE, TERMINAL, example, written};

fn run(trials: &[Trial], style: Style) -> String {
    written(|out| terminal::run(out, trials, style))
}

#[test]
fn a_measured_trial() {
    insta::assert_snapshot!(run(&[example::measured()], PIPE));
}

#[test]
fn a_measured_trial_in_colour() {
    insta::assert_snapshot!(run(&[example::measured()], TERMINAL).replace('\x1b', "ESC"));
}

#[test]
fn a_broken_trial() {
    insta::assert_snapshot!(run(&[example::broken()], PIPE));
}

#[test]
fn many_that_are_identical_and_a_broken_one() {
    let mut trials = example::repeated(3);
    trials.insert(1, example::broken());
    insta::assert_snapshot!(run(&trials, PIPE));
}

#[test]
fn many_that_differ_where_they_must_not() {
    let mut trials = example::repeated(3);
    example::measurements(&mut trials[1]).phases[2].wall_ns += 2;
    example::measurements(&mut trials[2]).phases[2].disks.clear();
    insta::assert_snapshot!(run(&trials, PIPE));
}

#[test]
fn many_that_differ_as_runs_on_a_real_disk_do() {
    let mut trials = example::repeated(3);
    for (at, trial) in (1..).zip(&mut trials) {
        trial.spec.place = "dir:/mnt/scratch".to_owned();
        trial.fingerprint.set("qemu", format!("10.0.{at}"));
        let measurements = example::measurements(trial);
        measurements.witness = format!("{at}");
        measurements.phases[2].wall_ns += at * 20_000_000;
    }
    insta::assert_snapshot!(run(&trials, PIPE));
}

#[test]
fn another_seed_is_another_table() {
    let mut trials = example::repeated(2);
    trials[1].spec.seed = 1;
    let text = run(&trials, PIPE);
    assert!(text.contains("seed 0") && text.contains("seed 1"), "{text}");
    assert!(!text.contains("identical"), "{text}");
    assert_eq!(text.matches("virtual time").count(), 1, "{text}");
}

#[test]
fn a_thousand_rounds_do_not_fill_the_screen() {
    let mut trial = example::measured();
    let phases = &mut example::measurements(&mut trial).phases;
    *phases = (1..=1000).map(|n| model::PhaseRun { round: Some(n), ..phases[2].clone() }).collect();
    let text = run(&[trial], PIPE);
    assert!(text.lines().count() < 60, "{text}");
    assert!(text.contains("960 more phases"), "{text}");
}

#[test]
fn a_narrow_terminal_breaks_text_between_words() {
    let narrow = Style { width: 50, ..PIPE };
    insta::assert_snapshot!(run(&[example::broken()], narrow));
}

#[test]
fn nothing_but_printable_ascii_reaches_a_plain_pipe() {
    let mut trial = example::broken();
    trial.notes.push("ärger \x1b[31m\x07 with a \u{202e}note".to_owned());
    trial.spec.settings.cmdline = "quiet \x1b]0;title\x07".to_owned();
    let text = run(&[trial, example::measured()], PIPE);
    assert!(text.chars().all(|c| c == '\n' || c == ' ' || c.is_ascii_graphic()), "{text}");
    assert!(text.lines().all(|line| line == line.trim_end()), "{text}");
}

#[test]
fn no_trial_is_no_text() {
    assert_eq!(run(&[], PIPE), "");
}

//! `show::show` and `profile::write`.

use model::{FunctionCount, PhaseProfile, Profile};
use report::{Style, profile, show};

use crate::{PIPE, example, written};

#[test]
fn everything_of_a_measured_trial() {
    let unicode = Style { unicode: true, ..PIPE };
    insta::assert_snapshot!(written(|out| show::show(out, &example::measured(), unicode)));
}

#[test]
fn everything_of_a_broken_trial() {
    insta::assert_snapshot!(written(|out| show::show(out, &example::broken(), PIPE)));
}

fn functions(count: u64) -> Vec<FunctionCount> {
    let function = |n: u64| FunctionCount {
        name: format!("function_{n} [xfs]"),
        instructions: (count - n) * (count - n) * 1_000,
    };
    (0..count).map(function).collect()
}

#[test]
fn a_profile() {
    let phase = |phase: &str, functions| PhaseProfile { phase: phase.to_owned(), functions };
    let profile = Profile {
        phases: vec![
            phase("mkfs", Vec::new()),
            phase("write 1", functions(14)),
            phase("sync 1", functions(2)),
        ],
    };
    insta::assert_snapshot!(written(|out| profile::write(out, &profile, PIPE)));
}

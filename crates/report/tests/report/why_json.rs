//! The reason for programs: `why::json`, `why::json_trial`, `why::folded`.

use model::Accounts;
use model::account::{RanAt, WorkloadTime};
use report::comparison;
use report::why::{self, SideSeen, Stacks};
use serde_json::Value;

use crate::{example, explained, written};

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn a_comparisons_json_has_the_reasons() {
    let compared = explained::ffsb();
    let all = parsed(&written(|out| comparison::json(out, &compared)));
    let kept = serde_json::to_value(&compared.explanations).expect("JSON");
    assert_eq!(all["comparison"]["explanations"], kept);
}

#[test]
fn json_holds_what_the_terminal_shows() {
    let compared = explained::ffsb();
    let (baseline, variant) = (explained::accounts(false), explained::accounts(true));
    let seen = explained::observation();
    let sides = [
        SideSeen { name: "fs=ext4", seed: 1, accounts: &baseline, observation: None },
        SideSeen { name: "fs=reiserfs", seed: 1, accounts: &variant, observation: Some(&seen) },
    ];
    let all = parsed(&written(|out| why::json(out, &compared, &sides)));
    assert_eq!(all["format"], 1);
    let kept = serde_json::to_string(&compared).expect("JSON");
    assert_eq!(all["comparison"], parsed(&kept));
    let accounts = all["accounts"].as_array().expect("a list");
    assert_eq!((&accounts[0]["side"], &accounts[0]["seed"]), (&"fs=ext4".into(), &1.into()));
    assert_eq!(accounts[0].get("observation"), None);
    let again: Accounts =
        serde_json::from_value(accounts[1]["accounts"].clone()).expect("accounts");
    assert_eq!(again, variant);
    assert_eq!(accounts[1]["observation"]["phases"][0]["phase"], "sync");
}

#[test]
fn a_trials_json() {
    let (trial, accounts) = (example::measured(), explained::accounts(true));
    let all = parsed(&written(|out| why::json_trial(out, &trial, &accounts, None)));
    assert_eq!((&all["format"], &all["trial"]["id"]), (&1.into(), &trial.id.as_str().into()));
    let again: Accounts = serde_json::from_value(all["accounts"].clone()).expect("accounts");
    assert_eq!(again, accounts);
    assert_eq!(all.get("observation"), None);
}

fn folded(accounts: &Accounts, which: Stacks) -> String {
    written(|out| why::folded(out, accounts, which))
}

#[test]
fn folded_stacks_of_running() {
    insta::assert_snapshot!(folded(&explained::accounts(true), Stacks::Running));
}

#[test]
fn folded_stacks_of_waiting() {
    insta::assert_snapshot!(folded(&explained::accounts(true), Stacks::Blocked));
}

#[test]
fn every_folded_line_has_one_space_and_the_time_adds_up() {
    let mut accounts = explained::accounts(true);
    let mut again = accounts.phases[1].clone();
    (again.phase, again.round) = ("write; 2".to_owned(), Some(3));
    accounts.phases.push(again);
    let time = accounts.phases[3].workload.as_mut().expect("a workload");
    let odd = ["a;b 12", "c\td [m]"].map(str::to_owned).to_vec();
    time.running.push(RanAt { frames: odd, ns: 7 });
    time.running.push(RanAt { frames: vec!["never".to_owned()], ns: 0 });
    for which in [Stacks::Running, Stacks::Blocked] {
        let text = folded(&accounts, which);
        let sum = |time: &WorkloadTime| match which {
            Stacks::Running => time.running_ns(),
            Stacks::Blocked => time.blocked_ns(),
        };
        let wanted: u64 = accounts.phases.iter().filter_map(|a| a.workload.as_ref()).map(sum).sum();
        let values = text.lines().map(|line| {
            let (path, value) = line.split_once(' ').expect("a space");
            assert!(path.split(';').all(|frame| !frame.is_empty()), "{line}");
            value.parse::<u64>().expect("a number")
        });
        assert_eq!(values.sum::<u64>(), wanted);
    }
    let text = folded(&accounts, Stacks::Running);
    assert!(text.contains("\nwrite:_2_3;c_d_[m];a:b_12 7\n"), "{text}");
    assert!(!text.contains("never"));
}

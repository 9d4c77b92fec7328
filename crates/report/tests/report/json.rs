//! `json::run`.

use report::json;
use serde_json::Value;

use crate::{example, observed, written};

fn run(trials: &[model::Trial]) -> Value {
    let text = written(|out| json::run(out, trials));
    serde_json::from_str(&text).expect("JSON is written")
}

fn results(document: &Value) -> &Vec<Value> {
    document["results"].as_array().expect("there are results")
}

/// The results; the trials are the archive's form, which the archive's golden files guard.
#[test]
fn results_of_one_trial() {
    let text = written(|out| json::run(out, &[example::measured()]));
    let (results, _trials) = text.split_once("\n  \"trials\": ").unwrap();
    insta::assert_snapshot!(results);
}

#[test]
fn seeds_make_a_series_and_variants_make_several() {
    let mut trials = example::repeated(4);
    for (seed, trial) in (0..).zip(&mut trials) {
        trial.spec.seed = seed;
        example::measurements(trial).phases[2].wall_ns = 1_000_000_000 * (seed + 1);
    }
    trials[3].spec.settings.set_pair("fs=ext4").unwrap();
    trials.push(example::broken());
    let document = run(&trials);
    let results = results(&document);
    assert_eq!(results.len(), 2 * 6);
    let write = &results[2];
    assert_eq!(write["times"], serde_json::json!([1.0, 2.0, 3.0]));
    assert_eq!(write["mean"], 2.0);
    assert_eq!(write["median"], 2.0);
    assert_eq!(write["stddev"], 1.0);
    assert_eq!(write["exit_codes"], serde_json::json!([0, 0, 0]));
    assert_eq!(results[8]["times"], serde_json::json!([4.0]));
    assert_eq!(results[8]["stddev"], Value::Null);
    assert_eq!(document["trials"].as_array().map(Vec::len), Some(5));
}

#[test]
fn no_two_entries_bear_one_name() {
    let mut trials = example::repeated(3);
    trials[1].spec.place = "dir:/mnt".to_owned();
    trials[2].spec.settings.set_pair("fs=ext4").unwrap();
    for trial in &mut trials {
        let phases = &mut example::measurements(trial).phases;
        phases.push(phases[0].clone());
    }
    let document = run(&trials);
    let mut names: Vec<_> = results(&document).iter().map(|e| e["command"].to_string()).collect();
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn a_trial_comes_back_from_its_json() {
    let trial = example::measured();
    let text = written(|out| json::trial(out, &trial));
    assert_eq!(serde_json::from_str::<model::Trial>(&text).unwrap(), trial);
}

#[test]
fn what_was_seen_stands_in_its_trial_and_nowhere_else() {
    let trials = example::repeated(3);
    let seen = [None, Some(observed::outside())];
    let text = written(|out| json::run_observed(out, &trials, &seen));
    let document: Value = serde_json::from_str(&text).expect("JSON is written");
    let told: Vec<_> = (0..3).map(|at| document["trials"][at].get("observation")).collect();
    assert_eq!((told[0], told[2]), (None, None));
    let back: model::Observation = serde_json::from_value(told[1].unwrap().clone()).unwrap();
    assert_eq!(Some(back), seen[1]);
    let back: model::Trial = serde_json::from_value(document["trials"][1].clone()).unwrap();
    assert_eq!(back, trials[1]);
    let plain = written(|out| json::run(out, &trials));
    assert_eq!(plain, written(|out| json::run_observed(out, &trials, &[None, None, None])));
    let one = written(|out| json::trial_observed(out, &trials[1], seen[1].as_ref()));
    let one: Value = serde_json::from_str(&one).expect("JSON is written");
    assert_eq!(one, document["trials"][1]);
}

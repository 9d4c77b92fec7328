//! `comparison::json`.

use model::Comparison;
use report::comparison;
use serde_json::{Value, json};

use crate::{compared, written};

fn document(compared: &Comparison) -> Value {
    let text = written(|out| comparison::json(out, compared));
    serde_json::from_str(&text).expect("JSON is written")
}

/// The document without the comparison, which the archive's golden files guard.
#[test]
fn results_and_verdicts() {
    let mut compared = compared::several();
    for side in &mut compared.sides {
        side.series.drain(..side.series.len().saturating_sub(2));
    }
    let text = written(|out| comparison::json(out, &compared));
    let (ours, _archive) = text.split_once("\n  \"comparison\": ").unwrap();
    insta::assert_snapshot!(ours);
}

#[test]
fn the_comparison_is_in_it_as_the_archive_has_it() {
    for compared in [compared::several(), compared::noisy()] {
        let text = serde_json::to_string(&compared).unwrap();
        let archived: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(document(&compared)["comparison"], archived);
    }
}

#[test]
fn no_two_entries_bear_one_name() {
    let document = document(&compared::several());
    let mut names: Vec<_> =
        document["results"].as_array().unwrap().iter().map(|e| e["command"].to_string()).collect();
    names.sort();
    let count = names.len();
    names.dedup();
    assert_eq!((names.len(), count), (18, 18));
}

#[test]
fn each_variant_has_one_headline() {
    let document = document(&compared::several());
    let headlines =
        document["verdicts"].as_array().unwrap().iter().filter(|v| v["headline"] == true);
    let told: Vec<_> = headlines.map(|v| json!([v["variant"], v["phase"], v["verdict"]])).collect();
    assert_eq!(
        told,
        [
            json!(["fs=reiserfs", "write 2-4", "worse"]),
            json!(["fs=xfs", "write 2-4", "cannot-tell"]),
            json!(["fs=btrfs", null, "not-comparable"]),
        ]
    );
}

#[test]
fn a_phase_without_values_is_no_result() {
    let mut compared = compared::worse();
    compared.sides[1].series[0].values.clear();
    let document = document(&compared);
    assert_eq!(document["results"].as_array().map(Vec::len), Some(11));
}

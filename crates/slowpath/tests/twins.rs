//! `compare --twins` counts how often variants that differ in nothing that matters are told apart.

mod lab;

use std::fs;

use lab::comparison::{Compared, SMALL, compare, kernel_setting, place};
use lab::{Bench, document, main_kernel, one_line};
use serde_json::Value;

/// Arguments for twins of a case.
fn twins(case: &str, settings: &[&str], more: &[&str]) -> Vec<String> {
    let settings = settings.iter().flat_map(|setting| ["--set", setting]);
    let words = ["compare", case, "--twins", "3"].into_iter().chain(settings);
    words.chain(more.iter().copied()).map(str::to_owned).collect()
}

/// The entry of a phase, whose counts must be those of three twins.
#[track_caller]
fn counted<'d>(document: &'d Value, label: &str) -> &'d Value {
    assert_eq!((&document["format"], &document["twins"]), (&1.into(), &3.into()));
    assert_eq!(document["seeds"], 6);
    let phases = document["phases"].as_array().expect("phases");
    let phase = phases.iter().find(|phase| phase["phase"] == label).expect("the phase");
    // Three neighbours in a ring, and three pairs of three twins.
    for count in ["comparisons", "all_comparisons"] {
        assert_eq!(phase[count], 3, "{phase:#}");
    }
    let wrong = phase["false_verdicts"].as_u64().expect("a count");
    assert!(phase["false_rate"].as_f64().is_some_and(|rate| 3.0 * rate == wrong as f64));
    let [low, high] = [0, 1].map(|at| phase["false_rate_interval"][at].as_f64().expect("an end"));
    let rate = phase["false_rate"].as_f64().expect("a rate");
    assert!(0.0 <= low && low <= rate && rate < high && high <= 1.0, "{phase:#}");
    let effects = phase["pairs_needed"].as_array().expect("effects");
    assert_eq!(effects.len(), 4, "{phase:#}");
    phase
}

#[test]
fn twins_in_the_exact_lab_are_not_told_apart() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let kernel = kernel_setting(&kernel);
    // Long enough that a step of the disk, 20 ms, is less than the threshold.
    let settings = [&SMALL[..], &["disk.mbps=5", &kernel]].concat();
    let file = bench.path("twins.json");
    let more = ["--json", file.to_str().unwrap()];
    let ran = bench.run(&twins("disk-rate", &settings, &more)).exits(0);
    let said = one_line(&ran.out);
    assert!(said.starts_with("0 of 3 neighbours"), "{said}");
    assert!(said.contains("disk-rate: 3 twins under 6 seeds each"), "{said}");
    assert!(said.contains("disk-write 1 * "), "{said}");
    let document = document(&file);
    let phase = counted(&document, "disk-write 1");
    assert_eq!((&phase["headline"], &phase["false_verdicts"]), (&true.into(), &0.into()));
    assert!(phase["spread_percent"].as_f64().is_some_and(|spread| spread < 5.0), "{phase:#}");
    let trials = bench.trials();
    assert_eq!(trials.len(), 18);

    // A twin is a variant like any other: the same trials make a comparison.
    let more = ["--seeds", "6", "--json", "-"];
    let pair = bench.run(&compare("disk-rate", "twin=0,1", &settings, &more)).exits(0);
    let pair = Compared::of(&pair);
    assert_eq!(pair.verdict("twin=1"), "same");
    bench.assert_kept(&trials);
    twins_differ_in_what_cannot_matter(&bench, &pair);
}

fn twins_differ_in_what_cannot_matter(bench: &Bench, pair: &Compared) {
    let sides = pair.trials();
    let (here, there) = (bench.trial(&sides[0][0].1), bench.trial(&sides[1][0].1));
    let (here, there) = (&here["fingerprint"], &there["fingerprint"]);
    let items = here.as_object().expect("items").keys();
    let differ: Vec<&String> = items.filter(|item| here[*item] != there[*item]).collect();
    assert_eq!(differ, ["cmdline", "initramfs.sha256"]);
}

#[test]
fn twins_in_a_directory_are_the_variant_again() {
    let bench = Bench::new();
    let on = place(&bench.folder("data"));
    let table = bench.path("twins.md");
    let table_path = table.to_str().unwrap();
    let more = ["--on", &on, "--headline", "write", "--json", "-", "--markdown", table_path];
    let ran = bench.run(&twins("dd-sync", &["size=64k", "rounds=1"], &more));
    let document = ran.json();
    let headline = counted(&document, "write 1");
    // Two of three are surely more than 5 %, and noise gives that now and then.
    let least = headline["false_rate_interval"][0].as_f64().expect("an end");
    ran.exits(i32::from(least > 0.05));
    counted(&document, "sync 1");
    assert_eq!(bench.trials().len(), 18);
    let places: Vec<Value> = bench.trials().iter().map(|t| t["settings"].clone()).collect();
    assert!(places.iter().all(|settings| *settings == places[0]), "{places:?}");

    let markdown = fs::read_to_string(&table).unwrap();
    assert!(markdown.starts_with("## dd-sync, size=64k, rounds=1\n"), "{markdown}");
    let rows: Vec<&str> = markdown.lines().filter(|line| line.starts_with('|')).collect();
    let phases = document["phases"].as_array().expect("phases").len();
    assert_eq!(rows.len(), 2 + phases, "{markdown}");
    let columns = |row: &str| row.matches('|').count();
    assert!(rows.iter().all(|row| columns(row) == columns(rows[0])), "{markdown}");
    assert!(rows[2].starts_with("| write 1 * |"), "{markdown}");
    let of = format!("| {} of 3 |", headline["false_verdicts"]);
    assert!(rows[2].contains(&of), "{of}: {markdown}");
}

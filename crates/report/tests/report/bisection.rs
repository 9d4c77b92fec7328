//! `bisection::write` and `bisection::json`.

use model::{Bisection, Verdict};
use report::{Style, bisection};

use crate::{PIPE, TERMINAL, bisected, written};

const UNICODE: Style = Style { unicode: true, ..PIPE };

fn shown(found: &Bisection, style: Style) -> String {
    written(|out| bisection::write(out, found, style))
}

/// What is said before the figures.
fn verdict(found: &Bisection) -> String {
    let text = shown(found, PIPE);
    text.split("\n\nrows    ").next().unwrap_or_default().to_owned()
}

#[test]
fn a_culprit_and_its_revert() {
    insta::assert_snapshot!(shown(&bisected::culprit(), UNICODE));
}

#[test]
fn a_culprit_in_colour() {
    insta::assert_snapshot!(shown(&bisected::culprit(), TERMINAL).replace('\x1b', "ESC"));
}

#[test]
fn a_culprit_in_60_columns() {
    insta::assert_snapshot!(shown(&bisected::culprit(), Style { width: 60, ..PIPE }));
}

#[test]
fn two_culprits() {
    insta::assert_snapshot!(shown(&bisected::two_steps(), PIPE));
}

#[test]
fn a_range() {
    insta::assert_snapshot!(shown(&bisected::range(), PIPE));
}

#[test]
fn settings() {
    insta::assert_snapshot!(shown(&bisected::settings_list(), PIPE));
}

#[test]
fn packages() {
    insta::assert_snapshot!(shown(&bisected::packages(), PIPE));
}

#[test]
fn no_difference() {
    insta::assert_snapshot!(shown(&bisected::no_difference(bisected::SAME), PIPE));
}

#[test]
fn a_broken_end() {
    insta::assert_snapshot!(shown(&bisected::broken_end(), PIPE));
}

#[test]
fn unfinished() {
    insta::assert_snapshot!(shown(&bisected::unfinished(), PIPE));
}

#[test]
fn before_anything_was_measured() {
    let mut found = bisected::unfinished();
    found.tried.clear();
    found.ends.sides.clear();
    found.ends.contrasts.clear();
    insta::assert_snapshot!(shown(&found, PIPE));
}

#[test]
fn each_verdict_in_words() {
    let unclear = (1.041, (0.97, 1.112), Verdict::CannotTell);
    let faster = (0.77, (0.75, 0.79), Verdict::Better);
    let all = [
        bisected::not_reverted(),
        bisected::not_proved(),
        bisected::no_difference(unclear),
        bisected::no_difference(faster),
        bisected::many_small_steps(),
    ];
    let told: Vec<String> = all.iter().map(verdict).collect();
    insta::assert_snapshot!(told.join("\n\n"));
}

#[test]
fn many_suspects_and_files_are_cut() {
    let mut found = bisected::range();
    let model::Found::Steps(steps) = &mut found.found else { panic!("steps") };
    steps[0].among = (10..35).collect();
    assert!(verdict(&found).contains("  and 15 more\n"), "{}", verdict(&found));
    let mut found = bisected::culprit();
    let model::Found::Steps(steps) = &mut found.found else { panic!("steps") };
    let files = &mut steps[0].commit.as_mut().unwrap().files;
    *files = (0..300).map(|at| format!("drivers/made/up/{at}.c")).collect();
    let text = verdict(&found).replace("\n             ", " ");
    assert!(text.contains("9.c and 290 more\n"), "{text}");
}

#[test]
fn a_long_subject_is_cut() {
    let mut found = bisected::culprit();
    found.hunt.candidates[bisected::CULPRIT].change.title = "mm: ".to_owned() + &"very ".repeat(60);
    let text = verdict(&found);
    let sentence = text.split(" makes ").next().unwrap().replace("\n         ", " ");
    assert!(sentence.len() < 140, "{sentence}");
}

#[test]
fn nothing_but_printable_ascii_reaches_a_plain_pipe() {
    let mut found = bisected::culprit();
    for candidate in &mut found.hunt.candidates {
        candidate.change.title = "\x1b[2Jä\u{202e} \x1b]0;title\x07".to_owned();
    }
    found.hunt.case = "c\x1b[31mase".to_owned();
    found.tried[2].reason = Some("make: \x1b[31merror\x1b[0m".to_owned());
    let text = shown(&found, PIPE);
    assert!(text.chars().all(|c| c == '\n' || c == ' ' || c.is_ascii_graphic()), "{text}");
    assert!(text.lines().all(|line| line == line.trim_end()), "{text}");
    let log = written(|out| bisection::git_bisect_log(out, &found).map(drop));
    assert!(!log.chars().any(|c| c.is_control() && c != '\n'), "{log}");
}

#[test]
fn json() {
    let text = written(|out| bisection::json(out, &bisected::culprit()));
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let commands: Vec<&str> = value["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["command"].as_str().unwrap())
        .filter(|command| command.contains("mke2fs 1"))
        .collect();
    assert_eq!(
        commands,
        ["good", "bad", "bad, reverted", "bad, fix"]
            .map(|name| format!("mke2fs-aged: mke2fs 1 [{name}]"))
    );
    assert_eq!(value["results"].as_array().unwrap().len(), 4 * 3);
    let back: Bisection = serde_json::from_value(value["bisection"].clone()).unwrap();
    assert_eq!(back.found, bisected::culprit().found);
    let (_, behind) = text.split_once("  \"found\"").unwrap();
    let (between, _) = behind.split_once("  \"bisection\"").unwrap();
    insta::assert_snapshot!(format!("  \"found\"{between}"));
}

#[test]
fn json_names_what_there_is_not() {
    let of = |found: &Bisection| -> serde_json::Value {
        serde_json::from_str(&written(|out| bisection::json(out, found))).unwrap()
    };
    let range = of(&bisected::range());
    assert_eq!(range["steps"][0]["culprit"], serde_json::Value::Null);
    assert_eq!(range["steps"][0]["among"].as_array().unwrap().len(), 3);
    let broken = of(&bisected::broken_end());
    assert_eq!(
        (broken["found"].as_str(), &broken["whole"]),
        (Some("broken-end"), &serde_json::Value::Null)
    );
    assert_eq!(of(&bisected::unfinished())["found"], "unfinished");
    assert_eq!(of(&bisected::no_difference(bisected::SAME))["found"], "no-difference");
}

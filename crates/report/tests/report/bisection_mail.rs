//! `bisection::mail`.

use model::case::Phase;
use model::{Action, Bisection, Fingerprint, Found, Limits, TrialSpec};
use report::bisection::{MailError, MailFacts, mail};

use crate::bisected;

fn fingerprint() -> Fingerprint {
    let mut fingerprint = Fingerprint::default();
    for (item, value) in [
        ("qemu", "7.2.22 (Debian 1:7.2+dfsg-7+deb12u18+b3)"),
        ("machine", "microvm,acpi=off,rtc=on"),
        ("cpu", "Nehalem-v1"),
        ("cpus", "1"),
        ("mem", "2045M"),
        ("agent.sha256", "0b3f9c1d52aa"),
    ] {
        fingerprint.set(item, value);
    }
    fingerprint
}

fn spec(found: &Bisection) -> TrialSpec {
    let phase = |name: &str, round, action| Phase { name: name.to_owned(), round, action };
    TrialSpec {
        case: found.hunt.case.clone(),
        headline: found.hunt.headline.clone(),
        phases: vec![
            phase("prepare", None, Action::Mkfs),
            phase("age", None, Action::Age),
            phase("mke2fs", Some(1), Action::Mkfs),
        ],
        ffsb: None,
        include: Vec::new(),
        settings: found.hunt.settings.clone(),
        place: found.hunt.place.clone(),
        seed: 1,
        limits: Limits::default(),
    }
}

fn written(found: &Bisection) -> Result<String, MailError> {
    let (fingerprint, spec) = (fingerprint(), spec(found));
    let facts = MailFacts {
        fingerprint: Some(&fingerprint),
        spec: Some(&spec),
        recipe_file: Some("recipe.toml".to_owned()),
    };
    let mut out = Vec::new();
    mail(&mut out, found, &facts)?;
    Ok(String::from_utf8(out).expect("UTF-8"))
}

fn text(found: &Bisection) -> String {
    written(found).expect("a mail")
}

#[test]
fn of_a_culprit() {
    insta::assert_snapshot!(text(&bisected::culprit()));
}

#[test]
fn of_a_range() {
    insta::assert_snapshot!(text(&bisected::range()));
}

#[test]
fn of_two_culprits() {
    insta::assert_snapshot!(text(&bisected::two_steps()));
}

#[test]
fn of_a_setting() {
    insta::assert_snapshot!(text(&bisected::settings_list()));
}

#[test]
fn of_a_package() {
    let text = text(&bisected::packages());
    let subject = text.lines().next();
    let told = "mke2fs takes 5.10 times as long since 6.12.54-amd64";
    assert_eq!(subject, Some(format!("Subject: [REGRESSION] mke2fs-aged: {told}").as_str()));
    assert!(!text.contains("#regzbot"), "{text}");
    assert!(text.contains("--vary kernel=debian:6.12.53-amd64,debian:6.12.54-amd64"), "{text}");
}

#[test]
fn what_is_not_known_is_left_out() {
    let mut out = Vec::new();
    let mut found = bisected::culprit();
    let Found::Steps(steps) = &mut found.found else { panic!("steps") };
    steps[0].commit = None;
    found.remedies.clear();
    mail(&mut out, &found, &MailFacts::default()).unwrap();
    let text = String::from_utf8(out).unwrap();
    for unknown in ["7.2.22", "author", "Reverting", "recipe", "get_maintainer", "None", "NaN"] {
        assert!(!text.contains(unknown), "{unknown}: {text}");
    }
}

#[test]
fn without_a_culprit_there_is_none() {
    let refused = [
        bisected::no_difference(bisected::SAME),
        bisected::broken_end(),
        bisected::unfinished(),
        bisected::many_small_steps(),
        bisected::not_proved(),
    ]
    .map(|found| written(&found).expect_err("it is refused").to_string());
    insta::assert_snapshot!(refused.join("\n"));
}

#[test]
fn every_line_has_72_columns_at_the_most() {
    let mut hostile = bisected::culprit();
    let Found::Steps(steps) = &mut hostile.found else { panic!("steps") };
    let commit = steps[0].commit.as_mut().unwrap();
    commit.author = "D. Äuthor \x1b[31m<author@example.org>".to_owned();
    commit.files = vec![format!("drivers/{}.c", "made-up/".repeat(20)); 3];
    commit.maintainers.push("very ".repeat(40));
    hostile.hunt.candidates[bisected::CULPRIT].change.title = "x".repeat(300);
    hostile.hunt.notes.push("note ".repeat(40));
    hostile.hunt.case =
        "sh -c 'for i in 1 2 3; do cp /bin/sh $i; done; sync; echo all of it is done'".to_owned();
    let all = [
        bisected::culprit(),
        bisected::not_reverted(),
        bisected::range(),
        bisected::two_steps(),
        bisected::settings_list(),
        bisected::packages(),
        hostile,
    ];
    for found in &all {
        let text = text(found);
        let subject = text.lines().next().unwrap_or_default();
        assert!(subject.chars().count() <= "Subject: ".len() + 78, "{subject}");
        for line in text.lines().skip(1) {
            assert!(line.chars().count() <= 72, "{line}\n{text}");
            assert!(!line.chars().any(char::is_control) && line == line.trim_end(), "{line:?}");
        }
    }
    assert!(text(&all[6]).contains("D. Äuthor <author@example.org>"));
}

#[test]
fn nobody_learns_the_sender_s_folders() {
    let mut found = bisected::culprit();
    found.hunt.settings.kernel_config = vec!["/home/user/secret/lab.config".to_owned()];
    found.hunt.settings.patch = vec!["/home/user/secret/1.patch".to_owned()];
    let text = text(&found);
    assert!(!text.contains("/home"), "{text}");
    assert!(text.contains("the options of lab.config"), "{text}");
}

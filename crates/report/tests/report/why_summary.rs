//! The reason in a few lines: `why::summary`, and where it stands.

use model::{Bisection, Comparison, Explanation, Mechanism};
use proptest::prelude::*;
use report::bisection::{self, MailFacts, mail};
use report::{Style, comparison, why};

use crate::{PIPE, TERMINAL, bisected, compared, explained, written};

const UNICODE: Style = Style { unicode: true, ..PIPE };

fn summary(explanation: &Explanation, style: Style) -> String {
    let names = ["fs=ext4", "fs=reiserfs"];
    written(|out| why::summary(out, explanation, names, compared::ID, style))
}

fn of(compared: &Comparison, style: Style) -> String {
    summary(&compared.explanations[0], style)
}

fn mailed(found: &Bisection) -> String {
    let mut out = Vec::new();
    mail(&mut out, found, &MailFacts::default()).expect("a mail");
    String::from_utf8(out).expect("UTF-8")
}

/// What a text has besides another one.
fn added<'t>(with: &'t str, without: &str) -> Vec<&'t str> {
    let known: Vec<&str> = without.lines().collect();
    with.lines().filter(|line| !known.contains(line)).collect()
}

#[test]
fn a_finding() {
    insta::assert_snapshot!(of(&explained::ffsb(), UNICODE));
}

#[test]
fn a_finding_in_colour() {
    insta::assert_snapshot!(of(&explained::ffsb(), TERMINAL).replace('\x1b', "ESC"));
}

#[test]
fn a_finding_in_60_columns_of_ascii() {
    let text = of(&explained::ffsb(), Style { width: 60, ..PIPE });
    assert!(text.is_ascii());
    insta::assert_snapshot!(text);
}

#[test]
fn no_finding() {
    insta::assert_snapshot!(of(&explained::no_finding(), UNICODE));
}

#[test]
fn a_variant_that_is_faster() {
    let mut compared = explained::ffsb();
    let phase = &mut compared.explanations[0].phases[0];
    std::mem::swap(&mut phase.baseline_ns, &mut phase.variant_ns);
    let text = of(&compared, PIPE);
    assert!(text.starts_with("why: `sync` takes 2.010 s less with fs=reiserfs"), "{text}");
}

#[test]
fn nothing_is_made_of_nothing() {
    let nothing =
        Explanation { notes: vec!["QEMU has no plugin".to_owned()], ..Explanation::default() };
    insta::assert_snapshot!(summary(&nothing, PIPE));
}

#[test]
fn what_little_stays_unexplained_has_no_line() {
    let mut compared = explained::ffsb();
    for (milli, said) in [(49, false), (50, true), (130, true)] {
        compared.explanations[0].phases[0].unexplained_milli = milli;
        assert_eq!(of(&compared, PIPE).contains("stays unexplained"), said, "{milli}");
    }
}

#[test]
fn passes_that_measured_other_times_explain_only_roughly() {
    let mut compared = explained::ffsb();
    assert!(!of(&compared, PIPE).contains("only roughly"));
    compared.explanations[0].same_times = false;
    assert!(of(&compared, PIPE).contains("only roughly"));
}

#[test]
fn each_variant_that_was_looked_at_has_its_own() {
    let mut compared = compared::several();
    let mut other = explained::explanation(vec![explained::sync_phase()]);
    compared.explanations.push(other.clone());
    other.variant = 2;
    compared.explanations.push(other);
    let text = written(|out| comparison::write(out, &compared, PIPE));
    assert_eq!(text.matches("\n\nwhy: ").count(), 2, "{text}");
    assert!(text.contains("longer with fs=xfs than with fs=ext4"), "{text}");
}

#[test]
fn a_bisection_says_why() {
    let shown = |found: &Bisection| written(|out| bisection::write(out, found, UNICODE));
    let (with, without) = (shown(&explained::mke2fs()), shown(&bisected::culprit()));
    insta::assert_snapshot!(added(&with, &without).join("\n"));
}

#[test]
fn a_mail_says_why() {
    let (with, without) = (mailed(&explained::mke2fs()), mailed(&bisected::culprit()));
    let reason = added(&with, &without);
    assert!(reason.iter().all(|line| line.chars().count() <= 72), "{reason:#?}");
    assert!(with.find("Why: ") > with.find("sign-flip test"), "{with}");
    assert!(with.find("Why: ") < with.find("Where it was run"), "{with}");
    insta::assert_snapshot!(reason.join("\n"));
}

fn many(count: usize, words: usize) -> Explanation {
    let sentence = "folio_wait_bit_common held everything up and then ".repeat(words);
    let mut phase = explained::sync_phase();
    let first = phase.findings[0].clone();
    phase.findings = vec![explained::finding(Mechanism::Journal, 80, &sentence); count];
    if let Some(head) = phase.findings.first_mut() {
        head.frames = first.frames;
    }
    let mut explanation = explained::explanation(vec![phase]);
    explanation.same_times = false;
    explanation
}

#[test]
fn many_findings_are_cut_and_counted() {
    insta::assert_snapshot!(summary(&many(12, 9), Style { width: 80, ..PIPE }));
}

#[test]
fn ten_lines_are_never_exceeded() {
    for width in [60, 72, 80, 100] {
        for count in [0, 1, 2, 3, 5, 8, 40] {
            for words in [1, 2, 4, 9, 60] {
                let text = summary(&many(count, words), Style { width, ..PIPE });
                assert!(text.lines().count() <= 10, "{width} {count} {words}: {text}");
                let wide: Vec<_> = text.lines().filter(|line| line.len() > width).collect();
                assert!(wide.is_empty(), "{width}: {wide:#?}");
                let unexplained = if count == 0 {
                    "no mechanism that is known"
                } else {
                    "13 % of the difference"
                };
                assert!(text.contains(unexplained), "{text}");
                assert!(text.contains("--why has it all"), "{text}");
            }
        }
    }
}

proptest! {
    #[test]
    fn no_sentence_whatever_takes_more_room(sentence in "(\\PC{0,90} ?){0,12}", width in 40_usize..120) {
        let mut explanation = many(3, 1);
        for finding in &mut explanation.phases[0].findings {
            finding.sentence.clone_from(&sentence);
            finding.frames = vec![sentence.clone(); 9];
        }
        let text = summary(&explanation, Style { width, unicode: true, ..PIPE });
        prop_assert!(text.lines().count() <= 10, "{}", text);
        prop_assert!(text.lines().all(|line| line.chars().count() <= width), "{}", text);
    }
}

#[test]
fn a_difference_of_nothing_has_no_shares() {
    let mut explanation = explained::no_finding().explanations.remove(0);
    explanation.phases[0].variant_ns = explanation.phases[0].baseline_ns + 6_000.0;
    let text = summary(&explanation, UNICODE);
    assert!(text.contains("takes the same with fs=reiserfs as with fs=ext4"), "{text}");
    assert!(!text.contains('%') && !text.contains("explains"), "{text}");
}

#[test]
fn what_goes_against_the_difference_is_told_too() {
    let mut explanation = explained::no_finding().explanations.remove(0);
    let phase = &mut explanation.phases[0];
    let mut against = phase.parts[0].clone();
    against.what = "jbd2_log_do_checkpoint".to_owned();
    against.frames = vec![against.what.clone()];
    (against.baseline_ns, against.variant_ns) = (900e6, 0.0);
    phase.parts.insert(1, against);
    let text = summary(&explanation, UNICODE);
    assert!(text.contains("against it: waiting in jbd2_log_do_checkpoint"), "{text}");
}

#[test]
fn shares_of_more_than_all_are_said_to_overlap() {
    let mut explanation = many(2, 1);
    let phase = &mut explanation.phases[0];
    phase.unexplained_milli = 10;
    phase.findings.iter_mut().for_each(|finding| finding.share_milli = Some(900));
    assert!(summary(&explanation, UNICODE).contains("these shares overlap"));
    explanation.phases[0].findings.truncate(1);
    assert!(!summary(&explanation, UNICODE).contains("overlap"));
}

//! `list::trials` and `list::json`.

use model::Verdict;
use report::{Style, list};

use crate::{PIPE, compared, example, written};

fn some() -> Vec<model::Trial> {
    let mut plain = example::repeated(1).remove(0);
    plain.spec.settings = model::Settings::default();
    plain.fingerprint = model::Fingerprint::default();
    example::measurements(&mut plain).phases.truncate(3);
    let mut long = example::measured();
    long.spec.seed = 17;
    let phases = &mut example::measurements(&mut long).phases;
    phases.extend_from_within(2..);
    phases.extend_from_within(2..);
    vec![plain, long, example::broken()]
}

#[test]
fn a_table() {
    insta::assert_snapshot!(written(|out| list::trials(out, &some(), PIPE)));
}

#[test]
fn a_wide_table() {
    let wide = Style { width: 200, ..PIPE };
    insta::assert_snapshot!(written(|out| list::trials(out, &some(), wide)));
}

#[test]
fn an_empty_table() {
    insta::assert_snapshot!(written(|out| list::trials(out, &[], PIPE)), @"no trials yet; `slowpath run` adds one");
}

#[test]
fn json() {
    insta::assert_snapshot!(written(|out| list::json(out, &some())));
}

#[test]
fn comparisons() {
    let all = [
        compared::worse(),
        compared::several(),
        compared::noisy(),
        compared::with_headline(compared::judgement(Verdict::Same, 4, 1.0, Some((0.99, 1.01)))),
        compared::kernels(),
    ];
    let wide = Style { width: 160, ..PIPE };
    insta::assert_snapshot!(written(|out| list::comparisons(out, &all, wide)));
}

#[test]
fn no_comparisons() {
    insta::assert_snapshot!(written(|out| list::comparisons(out, &[], PIPE)), @"no comparisons yet; `slowpath compare` makes one");
}

//! `recipe::recipe` and `parse_recipe`.

use model::Outcome;
use proptest::prelude::*;
use report::recipe::recipe;
use report::{Recipe, parse_recipe};

use crate::{example, values};

fn of(trial: &model::Trial) -> Recipe {
    Recipe {
        spec: trial.spec.clone(),
        fingerprint: trial.fingerprint.clone(),
        expected: trial.measured().cloned(),
    }
}

#[test]
fn a_recipe_is_read_back() {
    for trial in [example::measured(), example::broken()] {
        assert_eq!(parse_recipe(&recipe(&trial)).unwrap(), of(&trial));
    }
}

#[test]
fn a_recipe_can_be_read_by_people() {
    let mut trial = example::measured();
    example::measurements(&mut trial).phases.truncate(2);
    insta::assert_snapshot!(recipe(&trial));
}

#[test]
fn what_is_no_recipe_says_why() {
    let good = recipe(&example::measured());
    let changed = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        parse_recipe(&good.replacen(from, to, 1)).unwrap_err().to_string()
    };
    let said = [
        parse_recipe("\0").unwrap_err().to_string(),
        parse_recipe("").unwrap_err().to_string(),
        changed("format = 1", "format = 2"),
        changed("kind = \"recipe\"", "kind = \"case\""),
        changed("\"fs\": \"xfs\"", "\"fs\": \"zfs\""),
        changed("2345678901", "2345678902"),
        changed("digest = ", "digit = "),
    ];
    insta::assert_snapshot!(said.join("\n"), @"");
}

proptest! {
    #[test]
    fn any_trial_is_read_back(
        measurements in values::measurements(),
        witness in any::<String>(),
        cmdline in any::<String>(),
        seed in any::<u64>(),
        item in any::<String>(),
        value in "[\\PC\"\\\\'\n\r\t\u{7f}]{0,9}",
    ) {
        let mut trial = example::measured();
        trial.spec.seed = seed;
        trial.spec.settings.set("cmdline", &cmdline).unwrap();
        trial.fingerprint.set(&item, value);
        trial.outcome = Outcome::Measured(model::Measurements { witness, ..measurements });
        prop_assert_eq!(parse_recipe(&recipe(&trial)).unwrap(), of(&trial));
    }
}

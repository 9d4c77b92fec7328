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
    insta::assert_snapshot!(said.join("\n"), @r#"
    the recipe cannot be read: key with no value, expected `=`; take it whole from `slowpath show --recipe`
    the recipe cannot be read: missing field `format`; take it whole from `slowpath show --recipe`
    the recipe has format 2, and this slowpath reads up to format 1; use the newer slowpath that made it
    the file says kind = "case", and a recipe says kind = "recipe"; give another file
    the recipe's `spec` cannot be read: fs=zfs: `zfs` is not a filesystem of ours; there are ext2, ext3, ext4, xfs, btrfs, reiserfs, f2fs, jfs and nilfs2 at line 81 column 3; take the recipe anew from its trial
    the recipe's `expected` has digest a62ae6af212b167e9460bdb0895f56d4e0eac7983f80d1c49b11a3ad93f95abf, but the recipe says 9caba6994209447c036e203928b9e413268614e15a12e27050d51f5ef9a00f34: it was changed; take it anew from its trial
    the recipe's `expected` has digest 9caba6994209447c036e203928b9e413268614e15a12e27050d51f5ef9a00f34, but the recipe says none: it was changed; take it anew from its trial
    "#);
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

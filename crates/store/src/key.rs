//! Keys: equal for trials whose numbers must be equal.

use std::collections::BTreeMap;

use model::case::Phase;
use model::ffsb::Profile;
use model::{Fingerprint, TrialSpec};
use serde::Serialize;
use sha2::{Digest, Sha256};

/// Settings that only name files. What is in the files stands in the fingerprint.
const NAMES_OF_FILES: [&str; 7] =
    ["kernel", "kernel.modules", "kernel.repo", "kernel.config", "patch", "revert", "modules"];

/// Settings of further passes, which move no number of the trial.
const OF_PASSES: [&str; 2] = ["sample.every", "stall.limit"];

/// What the numbers depend on in a spec.
#[derive(PartialEq, Serialize)]
struct Numbers<'s> {
    phases: &'s [Phase],
    #[serde(skip_serializing_if = "Option::is_none")]
    ffsb: Option<&'s Profile>,
    place: &'s str,
    seed: u64,
    settings: BTreeMap<String, String>,
}

fn numbers(spec: &TrialSpec) -> Numbers<'_> {
    let mut settings: BTreeMap<_, _> = spec.settings.pairs().into_iter().collect();
    let named = |key: &String| NAMES_OF_FILES.iter().chain(&OF_PASSES).any(|name| name == key);
    settings.retain(|key, _| !named(key));
    let ffsb = spec.ffsb.as_ref();
    Numbers { phases: &spec.phases, ffsb, place: &spec.place, seed: spec.seed, settings }
}

/// Whether two specs ask for the same numbers; equal specs of this kind have equal [`spec_key`]s.
pub(crate) fn same_numbers(a: &TrialSpec, b: &TrialSpec) -> bool {
    numbers(a) == numbers(b)
}

/// SHA-256, in hexadecimal digits, of all that the numbers depend on in a spec: the phases, the
/// seed, the place and the settings.
///
/// Not in it are the settings that only name files or sources (`kernel`, `kernel.*`, `patch`, `revert`,
/// `modules`), since what the files hold is in the fingerprint; the limits, which break a trial but move no number; and
/// the case's name and headline, which only say how numbers are read. Keys of different versions of
/// slowpath are not comparable, since a new setting changes them all.
#[must_use]
pub fn spec_key(spec: &TrialSpec) -> String {
    digest(&numbers(spec))
}

/// SHA-256, in hexadecimal digits, of all items of a fingerprint.
#[must_use]
pub fn fingerprint_key(fingerprint: &Fingerprint) -> String {
    digest(fingerprint)
}

/// Structs give their fields in order, maps are sorted: equal values have equal texts.
fn digest<T: Serialize>(value: &T) -> String {
    // Plain data always has a JSON form. If it had none, the key would only tell less: whoever finds
    // a trial by its key compares the trial itself.
    let text = serde_json::to_vec(value).unwrap_or_default();
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use model::{Action, Limits, Nanos, Settings};

    use super::*;

    fn spec() -> TrialSpec {
        let phase = |name: &str| Phase { name: name.to_owned(), round: None, action: Action::Sync };
        TrialSpec {
            case: "a case".to_owned(),
            headline: "sync".to_owned(),
            phases: vec![phase("sync")],
            ffsb: None,
            include: Vec::new(),
            settings: Settings::default(),
            place: "exact".to_owned(),
            seed: 3,
            limits: Limits::default(),
        }
    }

    /// A spec after a change, and whether the change may move a number.
    type Change = (&'static str, fn(&mut TrialSpec), bool);

    #[test]
    fn the_key_has_what_moves_numbers_and_nothing_else() {
        let changes: [Change; 13] = [
            ("case", |s| s.case.push('x'), false),
            ("headline", |s| s.headline.push('x'), false),
            ("guest limit", |s| s.limits.guest = Nanos(1), false),
            ("wall limit", |s| s.limits.wall = Nanos(1), false),
            ("kernel", |s| s.settings.kernel = Some("/boot/other".to_owned()), false),
            ("kernel.modules", |s| s.settings.kernel_modules = Some("/m".to_owned()), false),
            ("modules", |s| s.settings.modules.push("a.ko".to_owned()), false),
            ("seed", |s| s.seed = 4, true),
            ("place", |s| s.place = "dir:/mnt".to_owned(), true),
            ("phases", |s| s.phases.clear(), true),
            ("phase", |s| s.phases[0].round = Some(1), true),
            ("cpus", |s| s.settings.cpus = 2, true),
            ("sysctl", |s| drop(s.settings.sysctl.insert("a.b".into(), "1".into())), true),
        ];
        for (what, change, moves) in changes {
            let mut changed = spec();
            change(&mut changed);
            assert_eq!(spec_key(&changed) != spec_key(&spec()), moves, "{what}");
            assert_eq!(same_numbers(&changed, &spec()), !moves, "{what}");
        }
    }

    #[test]
    fn the_fingerprint_s_key_has_names_and_values() {
        let of = |item: &str, value: &str| {
            let mut fingerprint = Fingerprint::default();
            fingerprint.set(item, value);
            fingerprint_key(&fingerprint)
        };
        assert_eq!(of("qemu", "7"), of("qemu", "7"));
        assert_ne!(of("qemu", "7"), of("qemu", "8"));
        assert_ne!(of("qemu", "7"), of("agent", "7"));
        // As `printf '{"qemu":"7"}' | sha256sum` prints it.
        assert_eq!(
            of("qemu", "7"),
            "5b60c6e78cae9e2e687a3823cf95f30d95a10fde640f941f917802bd816b23b3"
        );
    }
}

//! In what two trials differ that their variants did not ask for.

use model::fingerprint::Deviation;
use model::{Settings, Trial};

/// Which items of a fingerprint follow from a setting; an item that ends in a dot is a beginning.
const FOLLOW: &[(&str, &[&str])] = &[
    ("kernel", &["kernel.", "payload.sha256"]),
    ("kernel.modules", &["payload.sha256"]),
    ("kernel.repo", &["kernel.", "payload.sha256"]),
    ("kernel.config", &["kernel.", "payload.sha256"]),
    ("patch", &["kernel.", "payload.sha256"]),
    ("revert", &["kernel.", "payload.sha256"]),
    ("modules", &["payload.sha256"]),
    ("fs", &["payload.sha256"]),
    ("mkfs", &["payload.sha256"]),
    ("mem", &["mem"]),
    ("cpu", &["cpu"]),
    ("cpus", &["cpus", "cmdline", "restored", "plugin."]),
    ("insn.ns", &["insn.ns"]),
    ("cmdline", &["cmdline"]),
    ("twin", &["cmdline", "initramfs.sha256"]),
];

/// The items in which the trials' fingerprints differ though no setting in which they differ
/// explains it, and the seed does not either. What broke before it depended on anything differs in nothing.
#[must_use]
pub(crate) fn unlike(here: &Trial, there: &Trial) -> Vec<Deviation> {
    if [here, there].iter().any(|trial| trial.fingerprint.items().next().is_none()) {
        return Vec::new();
    }
    let differ = differing(&here.spec.settings, &there.spec.settings);
    let explained = |item: &str| {
        let place = here.spec.place != there.spec.place && item.starts_with("dir.");
        place || FOLLOW.iter().any(|(key, items)| differ.contains(key) && follows(items, item))
    };
    let deviations = here.fingerprint.deviations(&there.fingerprint);
    deviations.into_iter().filter(|deviation| !explained(&deviation.item)).collect()
}

fn follows(items: &[&str], item: &str) -> bool {
    items.iter().any(|known| *known == item || known.ends_with('.') && item.starts_with(known))
}

fn differing(here: &Settings, there: &Settings) -> Vec<&'static str> {
    let (here, there) = (here.pairs(), there.pairs());
    let value = |pairs: &[(String, String)], key: &str| {
        pairs.iter().find(|(known, _)| known == key).map(|(_, value)| value.clone())
    };
    let keys = FOLLOW.iter().map(|(key, _)| *key);
    keys.filter(|key| value(&here, key) != value(&there, key)).collect()
}

#[cfg(test)]
mod tests {
    use model::{Fingerprint, Limits, Measurements, Outcome, TrialSpec};

    use super::*;

    fn trial(set: &[&str], items: &[(&str, &str)]) -> Trial {
        let mut settings = Settings::default();
        set.iter().for_each(|pair| settings.set_pair(pair).unwrap());
        let mut fingerprint = Fingerprint::default();
        items.iter().for_each(|(item, value)| fingerprint.set(item, *value));
        let spec = TrialSpec {
            case: "case".to_owned(),
            headline: "write".to_owned(),
            phases: Vec::new(),
            ffsb: None,
            include: Vec::new(),
            settings,
            place: "exact".to_owned(),
            seed: 1,
            limits: Limits::default(),
        };
        Trial {
            format: 1,
            id: "id".to_owned(),
            set: String::new(),
            started: String::new(),
            host_ns: 0,
            spec,
            fingerprint,
            notes: Vec::new(),
            outcome: Outcome::Measured(Measurements::default()),
        }
    }

    #[test]
    fn what_a_varied_setting_brings_along_is_not_unlike() {
        let here = trial(&["kernel=a"], &[("kernel.sha256", "1"), ("qemu", "7"), ("mem", "2G")]);
        let there = trial(&["kernel=b"], &[("kernel.sha256", "2"), ("qemu", "10"), ("mem", "2G")]);
        let items: Vec<_> = unlike(&here, &there).into_iter().map(|d| d.item).collect();
        assert_eq!(items, ["qemu"]);
        let same_settings = trial(&["kernel=a"], &[("kernel.sha256", "2"), ("mem", "2G")]);
        let items: Vec<_> = unlike(&here, &same_settings).into_iter().map(|d| d.item).collect();
        assert_eq!(items, ["kernel.sha256", "qemu"]);
    }
}

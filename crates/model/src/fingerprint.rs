//! All that a trial's numbers depend on.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Named items, each with its value as text: program versions, hashes, machine model, what of
/// the emulator was found and what had to fall back. Two trials with equal fingerprints, specs and
/// seeds measure the same nanoseconds in the exact place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(BTreeMap<String, String>);

/// An item in which two fingerprints differ; `None` where a side does not have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deviation {
    /// The item's name.
    pub item: String,
    /// Its value on this side.
    pub here: Option<String>,
    /// Its value on the other.
    pub there: Option<String>,
}

impl Fingerprint {
    /// Adds or replaces an item.
    pub fn set(&mut self, item: &str, value: impl Into<String>) {
        self.0.insert(item.to_owned(), value.into());
    }

    /// An item's value.
    #[must_use]
    pub fn get(&self, item: &str) -> Option<&str> {
        self.0.get(item).map(String::as_str)
    }

    /// The items in the order of their names.
    pub fn items(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(item, value)| (item.as_str(), value.as_str()))
    }

    /// The items in which `self` differs from `other`, in the order of their names.
    #[must_use]
    pub fn deviations(&self, other: &Fingerprint) -> Vec<Deviation> {
        let mut items: Vec<&String> = self.0.keys().chain(other.0.keys()).collect();
        items.sort();
        items.dedup();
        items
            .into_iter()
            .filter(|item| self.get(item) != other.get(item))
            .map(|item| Deviation {
                item: item.clone(),
                here: self.get(item).map(str::to_owned),
                there: other.get(item).map(str::to_owned),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviations_name_the_items_that_differ() {
        let (mut a, mut b) = (Fingerprint::default(), Fingerprint::default());
        a.set("qemu", "7.2.22");
        b.set("qemu", "10.0.2");
        a.set("agent", "same");
        b.set("agent", "same");
        b.set("plugin", "only there");
        let names: Vec<_> = a.deviations(&b).into_iter().map(|d| d.item).collect();
        assert_eq!(names, ["plugin", "qemu"]);
        assert!(a.deviations(&a).is_empty());
    }
}

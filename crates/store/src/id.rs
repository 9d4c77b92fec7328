//! IDs of trials, sets, comparisons and bisections: the folders' names.

use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::SystemTime;

use crate::error::StoreError;
use crate::moment::Civil;

/// The word that stands for the newest trial or set.
pub(crate) const LAST: &str = "last";

/// The file that holds the trial itself.
pub(crate) const TRIAL_FILE: &str = "trial.json";

/// The file that is locked while a program works on a comparison or bisection.
pub(crate) const LOCK_FILE: &str = "lock";

static COUNTER: AtomicU32 = AtomicU32::new(0);

/// A fresh ID, `YYYYMMDD-HHMMSS-xxxxxx`, in UTC. IDs sort by time: of the six hexadecimal digits
/// two are 256ths of the second, four tell processes and calls apart.
#[must_use]
pub fn new_id(now: SystemTime) -> String {
    let t = Civil::of(now);
    let part = u64::from(t.nanos) * 256 / 1_000_000_000;
    // A count alone would make every process begin with the same digits.
    let mixed = process::id().wrapping_mul(0x9e37_79b9) >> 16;
    let unlike = mixed.wrapping_add(COUNTER.fetch_add(1, Ordering::Relaxed)) & 0xffff;
    format!(
        "{:04}{:02}{:02}-{:02}{:02}{:02}-{part:02x}{unlike:04x}",
        t.year, t.month, t.day, t.hour, t.minute, t.second
    )
}

fn is_plain(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    !name.is_empty() && name.len() <= 200 && !name.starts_with('.') && name.chars().all(plain)
}

/// Checks the ID of something that is to be kept; `what` is as `a trial`.
pub(crate) fn check_id(id: &str, what: &'static str) -> Result<(), StoreError> {
    named(is_plain(id) && id != LAST, id, what)
}

pub(crate) fn check_attachment(name: &str) -> Result<(), StoreError> {
    let good = is_plain(name) && name != TRIAL_FILE;
    named(good, name, "an attachment")
}

/// Attachments that are to be written: each name must also be there only once.
pub(crate) fn check_attachments(attachments: &[(String, Vec<u8>)]) -> Result<(), StoreError> {
    for (at, (name, _)) in attachments.iter().enumerate() {
        check_attachment(name)?;
        let before = attachments[..at].iter().any(|(other, _)| other == name);
        named(!before, name, "two attachments")?;
    }
    Ok(())
}

fn named(good: bool, name: &str, what: &'static str) -> Result<(), StoreError> {
    if good {
        return Ok(());
    }
    Err(StoreError::Name { name: name.to_owned(), what })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::time::{Duration, UNIX_EPOCH};

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_id_holds_the_moment() {
        let id = new_id(UNIX_EPOCH + Duration::new(1_769_869_501, 500_000_000));
        assert_eq!(&id[..18], "20260131-142501-80");
        assert_eq!(id.len(), 22);
        assert!(check_id(&id, "a trial").is_ok());
    }

    #[test]
    fn one_moment_gives_many_ids() {
        let ids: HashSet<_> = (0..256).map(|_| new_id(UNIX_EPOCH)).collect();
        assert_eq!(ids.len(), 256);
    }

    #[test]
    fn names_that_leave_the_folder_are_refused() {
        for name in ["", ".", "..", ".x", "a/b", "../a", "a\0", "a b", "ü"] {
            assert!(check_id(name, "a trial").is_err(), "{name}");
            assert!(check_attachment(name).is_err(), "{name}");
        }
        assert!(check_id("last", "a trial").is_err());
        assert!(check_attachment("trial.json").is_err());
        let twice = vec![("a.log".to_owned(), vec![]), ("a.log".to_owned(), vec![])];
        assert!(check_attachments(&twice).is_err());
    }

    proptest! {
        #[test]
        fn ids_sort_by_time(a in 0u64..4_000_000_000_000, b in 0u64..4_000_000_000_000) {
            // Apart by more than a 256th of a second.
            prop_assume!(a.abs_diff(b) > 4);
            let id = |millis| new_id(UNIX_EPOCH + Duration::from_millis(millis));
            prop_assert_eq!(a < b, id(a) < id(b));
        }
    }
}

//! From `--vary` to variants.

use kernels::Debian;
use model::place::is_exact;
use model::{Case, Settings, Variant};

use crate::exit::Failure;
use crate::places;

/// The key by which the place is varied.
const PLACE: &str = "on";

/// A `--vary` that was read: a key and at least two values.
struct Varied {
    key: String,
    values: Vec<String>,
}

/// The variants that `vary` makes of the case under `set`, every combination one; the first is the
/// baseline.
///
/// # Errors
/// Nothing to compare, or a setting that cannot be taken.
pub(crate) fn variants(
    case: &Case,
    set: &[String],
    vary: &[String],
    place: &str,
) -> Result<Vec<Variant>, Failure> {
    if vary.is_empty() {
        return Err(Failure::usage(
            "nothing is varied; name a setting and its values: --vary fs=ext4,xfs (slowpath \
             settings lists them), --vary on=dir:/mnt/a,dir:/mnt/b for two directories, or --twins 20",
        ));
    }
    if let Some(key) = keys(set, &[]).find(|key| keys(&[], vary).any(|varied| varied == *key)) {
        return Err(Failure::usage(format!(
            "`{key}` is both set and varied; leave one of them out"
        )));
    }
    let mut variants = vec![baseline(case, set, place)?];
    for varied in vary.iter().map(|text| read(text)) {
        variants = combined(&variants, &varied?)?;
    }
    variants.iter().try_for_each(|variant| check(case, variant))?;
    for (at, variant) in variants.iter().enumerate().filter(|(_, v)| is_exact(&v.place)) {
        if let Some(other) = variants[..at].iter().find(|other| alike(other, variant)) {
            return Err(the_same(&other.name, &variant.name));
        }
    }
    Ok(variants)
}

fn alike(one: &Variant, other: &Variant) -> bool {
    one.place == other.place && one.settings == other.settings
}

/// Two variants in the exact place are the same.
pub(crate) fn the_same(one: &str, other: &str) -> Failure {
    Failure::usage(format!(
        "`{one}` and `{other}` are the same: in the exact place their ratio is 1 by construction. How \
         often a variant is called worse or better than its like shows with --twins 20"
    ))
}

/// Checks that a variant's settings go together, as far as its place uses them.
pub(crate) fn check(case: &Case, variant: &Variant) -> Result<(), Failure> {
    let wrong = |error| match variant.name.as_str() {
        "" => Failure::usage(error),
        name => Failure::usage(format!("{name}: {error}")),
    };
    if let Some(version) = places::debian_version(&variant.settings) {
        Debian::check(version).map_err(|error| Failure::usage(format!("kernel: {error}")))?;
    }
    match is_exact(&variant.place) {
        true => variant.settings.check(case.streams()).map_err(wrong),
        // A directory has neither disks nor memory of ours; its place checks the rest.
        false => Ok(()),
    }
}

/// The case under `set`, with nothing varied.
pub(crate) fn baseline(case: &Case, set: &[String], place: &str) -> Result<Variant, Failure> {
    Ok(Variant { name: String::new(), place: place.to_owned(), settings: settings(case, set)? })
}

/// The case's settings with these changed.
fn settings(case: &Case, set: &[String]) -> Result<Settings, Failure> {
    let mut settings = case.settings.clone();
    for pair in set {
        settings.set_pair(pair).map_err(Failure::usage)?;
    }
    Ok(settings)
}

/// The keys that `set` and `vary` name, but for the place.
pub(crate) fn keys<'a>(set: &'a [String], vary: &'a [String]) -> impl Iterator<Item = &'a str> {
    let pairs = set.iter().chain(vary);
    let keys = pairs.map(|pair| pair.split_once('=').map_or(pair.as_str(), |(key, _)| key.trim()));
    keys.filter(|key| *key != PLACE)
}

fn combined(variants: &[Variant], varied: &Varied) -> Result<Vec<Variant>, Failure> {
    let each = variants.iter().flat_map(|variant| {
        varied.values.iter().map(move |value| changed(variant, &varied.key, value))
    });
    each.collect()
}

fn changed(variant: &Variant, key: &str, value: &str) -> Result<Variant, Failure> {
    let mut variant = variant.clone();
    let name = format!("{key}={value}");
    variant.name = if variant.name.is_empty() { name } else { format!("{} {name}", variant.name) };
    if key == PLACE {
        value.clone_into(&mut variant.place);
    } else {
        variant.settings.set(key, value).map_err(Failure::usage)?;
    }
    Ok(variant)
}

fn read(text: &str) -> Result<Varied, Failure> {
    let Some((key, values)) = text.split_once('=') else {
        return Err(Failure::usage(format!(
            "--vary {text} names no values; write KEY=VALUE,VALUE, for example --vary fs=ext4,xfs"
        )));
    };
    let values = split(values);
    if values.len() < 2 {
        return Err(Failure::usage(format!(
            "--vary {text} names one variant; a comparison needs two: --vary {text},OTHER. How often \
             this one is called worse or better than itself shows with --twins 20"
        )));
    }
    Ok(Varied { key: key.trim().to_owned(), values })
}

/// The values between commas; `\,` is a comma within a value.
pub(crate) fn split(text: &str) -> Vec<String> {
    let mut values = vec![String::new()];
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match (c, values.last_mut()) {
            ('\\', Some(value)) if characters.peek() == Some(&',') => {
                characters.next();
                value.push(',');
            }
            (',', _) => values.push(String::new()),
            (c, Some(value)) => value.push(c),
            (_, None) => {}
        }
    }
    values.into_iter().map(|value| value.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case_source;

    fn names(vary: &[&str]) -> Result<Vec<String>, String> {
        let case = case_source::find("dd-sync").unwrap();
        let vary: Vec<String> = vary.iter().map(|text| (*text).to_owned()).collect();
        let variants = variants(&case, &[], &vary, "exact").map_err(|failure| failure.message)?;
        Ok(variants.into_iter().map(|variant| variant.name).collect())
    }

    #[test]
    fn each_value_is_a_variant_and_each_combination_too() {
        assert_eq!(names(&["fs=ext4,xfs"]).unwrap(), ["fs=ext4", "fs=xfs"]);
        assert_eq!(
            names(&["fs=ext4,xfs", "disks=1,2"]).unwrap(),
            ["fs=ext4 disks=1", "fs=ext4 disks=2", "fs=xfs disks=1", "fs=xfs disks=2"]
        );
        let commas = names(&["mount=noatime\\,data=journal,"]).unwrap();
        assert_eq!(commas, ["mount=noatime,data=journal", "mount="]);
    }

    #[test]
    fn what_is_varied_is_not_set_as_well() {
        let case = case_source::find("dd-sync").unwrap();
        let (set, vary) = (["fs=btrfs".to_owned()], ["fs=ext4,xfs".to_owned()]);
        let refused = variants(&case, &set, &vary, "exact").unwrap_err().message;
        assert!(refused.contains("`fs` is both set and varied"), "{refused}");
    }

    #[test]
    fn the_place_is_varied_like_a_setting() {
        let case = case_source::find("dd-sync").unwrap();
        let vary = ["on=dir:/a,dir:/b".to_owned()];
        let places: Vec<_> = variants(&case, &[], &vary, "exact").unwrap();
        assert_eq!(
            places.iter().map(|v| v.place.as_str()).collect::<Vec<_>>(),
            ["dir:/a", "dir:/b"]
        );
    }

    #[test]
    fn what_makes_no_comparison_is_refused_with_what_would() {
        for (vary, said) in [
            (vec![], "--vary fs=ext4,xfs"),
            (vec!["fs=ext4"], "needs two"),
            (vec!["fs"], "KEY=VALUE,VALUE"),
            (vec!["fs=ext4,ext4"], "ratio is 1"),
            (vec!["fs=ext4,zfs"], "reiserfs"),
            (vec!["size=512,1M"], "larger than"),
        ] {
            let refused = names(&vary).unwrap_err();
            assert!(refused.contains(said), "{vary:?}: {refused}");
        }
    }
}

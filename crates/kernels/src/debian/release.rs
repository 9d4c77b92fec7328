//! The names of Debian's kernels: which is a release, which flavour it has, which are near it.

use crate::version::compare;

/// The one architecture whose kernels the lab boots.
const ARCHITECTURE: &str = "-amd64";

/// How many releases are named on each side of one that is not there.
const NEAREST: usize = 3;

/// Whether the text can be a series or a release: `6.12`, `6.1.0-57-amd64`.
///
/// Such a text is safe as the name of a folder, too.
pub(crate) fn is_version(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b".+~-".contains(&byte);
    let Some((major, rest)) = text.split_once('.') else { return false };
    !major.is_empty()
        && major.bytes().all(|byte| byte.is_ascii_digit())
        && rest.starts_with(|first: char| first.is_ascii_digit())
        && rest.bytes().all(allowed)
        && rest.ends_with(|last: char| last.is_ascii_alphanumeric())
}

/// Whether the text names one build: `6.1.0-57-amd64`, `6.12.117+deb12-cloud-amd64`.
pub(crate) fn is_release(text: &str) -> bool {
    is_version(text) && text.ends_with(ARCHITECTURE)
}

/// The release that a package carries, and whether it does so without a signature.
///
/// `None` for packages without a kernel in them: debug symbols, and `linux-image-6.12-amd64`, which
/// only asks for the newest of its series.
pub(crate) fn of_package(package: &str) -> Option<(&str, bool)> {
    let name = package.strip_prefix("linux-image-")?;
    let (release, unsigned) = match name.strip_suffix("-unsigned") {
        Some(release) => (release, true),
        None => (name, false),
    };
    let version = release.split('-').next()?;
    let whole = version.contains('+') || version.split('.').count() > 2;
    (whole && is_release(release)).then_some((release, unsigned))
}

/// `cloud` of `6.1.0-57-cloud-amd64`; `None` for the plain flavour.
pub(crate) fn flavour(release: &str) -> Option<&str> {
    let name = release.strip_suffix(ARCHITECTURE).unwrap_or(release);
    let candidate = |part: &&str| {
        part.starts_with(|first: char| first.is_ascii_alphabetic()) && !part.starts_with("rc")
    };
    name.split('-').find(candidate)
}

/// The newest of some releases.
pub(crate) fn newest<'a>(releases: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    releases.max_by(|left, right| compare(left, right))
}

/// Of the releases with `version`'s flavour, those that are nearest to it, newest first: of the same
/// series if there are any, else of all.
pub(crate) fn nearest<'a>(version: &str, releases: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut alike: Vec<&str> =
        releases.filter(|release| flavour(release) == flavour(version)).collect();
    if alike.iter().any(|release| series(release) == series(version)) {
        alike.retain(|release| series(release) == series(version));
    }
    alike.sort_by(|left, right| compare(left, right));
    alike.dedup();
    let newer = alike.partition_point(|release| compare(release, version).is_lt());
    let near = alike.into_iter().take(newer + NEAREST).skip(newer.saturating_sub(NEAREST));
    near.rev().collect()
}

/// `6.1` of `6.1.0-57-amd64`.
fn series(version: &str) -> Vec<&str> {
    version.split(|part: char| !part.is_ascii_digit()).take(2).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_and_what_is_none() {
        for version in ["6.12", "6.1", "6.12.117", "6.1.0-57-amd64", "6.12.117+deb12-amd64"] {
            assert!(is_version(version), "{version}");
        }
        for text in ["", "6", "banana", "6.", "6.x", "6.12-", "v6.12", "6.1/../..", "6.1 ", ".6"] {
            assert!(!is_version(text), "{text}");
        }
        assert!(is_release("6.1.0-57-amd64") && !is_release("6.1.0-57"));
    }

    #[test]
    fn packages_with_a_kernel_in_them() {
        let table = [
            ("linux-image-6.1.0-57-amd64", Some(("6.1.0-57-amd64", false))),
            ("linux-image-6.1.0-57-amd64-unsigned", Some(("6.1.0-57-amd64", true))),
            ("linux-image-6.12.9+deb13-rt-amd64", Some(("6.12.9+deb13-rt-amd64", false))),
            ("linux-image-6.16+deb14-amd64", Some(("6.16+deb14-amd64", false))),
            ("linux-image-6.1.0-57-amd64-dbg", None),
            ("linux-image-6.12-amd64", None),
            ("linux-image-6.12-cloud-amd64", None),
            ("linux-image-6.12-amd64-signed-template", None),
            ("linux-image-amd64", None),
            ("linux-headers-6.1.0-57-amd64", None),
        ];
        for (package, release) in table {
            assert_eq!(of_package(package), release, "{package}");
        }
    }

    #[test]
    fn flavours() {
        assert_eq!(flavour("6.1.0-57-amd64"), None);
        assert_eq!(flavour("6.12.9+deb13-amd64"), None);
        assert_eq!(flavour("6.12-rc3-amd64"), None);
        assert_eq!(flavour("6.1.0-57-cloud-amd64"), Some("cloud"));
        assert_eq!(flavour("6.12.9+deb13-rt-amd64"), Some("rt"));
    }

    #[test]
    fn the_nearest_of_the_same_series_come_first() {
        let numbers = [2, 4, 5, 7, 8, 9, 10];
        let mut releases = numbers.map(|number| format!("6.1.0-{number}-amd64")).to_vec();
        releases.extend(["6.1.0-6-rt-amd64", "6.12.3+deb12-amd64"].map(str::to_owned));
        let near = |version| nearest(version, releases.iter().map(String::as_str));
        let around = ["9", "8", "7", "5", "4", "2"].map(|number| format!("6.1.0-{number}-amd64"));
        assert_eq!(near("6.1.0-6-amd64"), around);
        assert_eq!(near("6.1.0-11-amd64").len(), NEAREST);
        assert_eq!(near("6.12.1"), ["6.12.3+deb12-amd64"]);
        assert_eq!(near("6.1.0-1-rt-amd64"), ["6.1.0-6-rt-amd64"]);
        assert_eq!(near("6.9").first(), Some(&"6.12.3+deb12-amd64"));
        assert!(nearest("6.9", std::iter::empty()).is_empty());
    }
}

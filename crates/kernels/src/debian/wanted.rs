//! What `debian:VERSION` asks for.

use super::release::{flavour, is_release, is_version, newest};
use crate::error::KernelError;
use crate::version::compare;

/// What `debian:VERSION` asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// The newest plain kernel whose release begins with this: `6.12`.
    Series(String),
    /// This one: `6.1.0-57-amd64`.
    Release(String),
}

impl Wanted {
    /// Reads what the user wrote behind `debian:`.
    ///
    /// # Errors
    /// [`KernelError::NotAVersion`].
    pub(crate) fn parse(text: &str) -> Result<Wanted, KernelError> {
        match text {
            _ if is_release(text) => Ok(Wanted::Release(text.to_owned())),
            _ if is_version(text) => Ok(Wanted::Series(text.to_owned())),
            _ => Err(KernelError::NotAVersion { text: text.to_owned() }),
        }
    }

    /// As the user wrote it.
    pub(crate) fn text(&self) -> &str {
        match self {
            Wanted::Series(text) | Wanted::Release(text) => text,
        }
    }

    /// The newest of these releases that is meant.
    pub(crate) fn pick<'a>(&self, releases: impl Iterator<Item = &'a str>) -> Option<&'a str> {
        newest(releases.filter(|release| self.means(release)))
    }

    fn means(&self, release: &str) -> bool {
        match self {
            Wanted::Release(wanted) => wanted == release,
            Wanted::Series(series) => {
                let rest = release.strip_prefix(series.as_str());
                // 6.1 is not 6.12.
                let bounded =
                    rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_digit()));
                bounded && flavour(release).is_none()
            }
        }
    }
}

/// The plain ones of these releases from one version to another, both included, oldest first.
pub(crate) fn between(
    first: &Wanted,
    last: &Wanted,
    releases: impl Iterator<Item = String>,
) -> Vec<String> {
    let after = |release: &str| first.means(release) || compare(release, first.text()).is_ge();
    let before = |release: &str| last.means(release) || compare(release, last.text()).is_le();
    let mut found: Vec<String> = releases
        .filter(|release| flavour(release).is_none() && after(release) && before(release))
        .collect();
    found.sort_by(|left, right| compare(left, right));
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const RELEASES: [&str; 6] = [
        "6.1.0-9-amd64",
        "6.1.0-57-amd64",
        "6.1.0-58-cloud-amd64",
        "6.12.117+deb12-amd64",
        "6.12.117+deb13-amd64",
        "6.12.90+deb13-amd64",
    ];

    #[test]
    fn the_newest_plain_one_of_a_series_or_exactly_the_release() {
        let table = [
            ("6.1", Some("6.1.0-57-amd64")),
            ("6.1.0-9", Some("6.1.0-9-amd64")),
            ("6.12", Some("6.12.117+deb13-amd64")),
            ("6.12.90", Some("6.12.90+deb13-amd64")),
            ("6.12.117+deb12", Some("6.12.117+deb12-amd64")),
            ("6.12.9", None),
            ("6.1.0-58", None),
            ("6.1.0-58-cloud-amd64", Some("6.1.0-58-cloud-amd64")),
            ("6.1.0-5-amd64", None),
        ];
        for (text, meant) in table {
            let wanted = Wanted::parse(text).unwrap();
            assert_eq!(wanted.pick(RELEASES.into_iter()), meant, "{text}");
            assert_eq!(wanted.text(), text);
        }
    }

    #[test]
    fn a_range_has_both_its_ends_in_the_order_of_versions() {
        let found = |first: &str, last: &str| {
            let (first, last) = (Wanted::parse(first).unwrap(), Wanted::parse(last).unwrap());
            let twice = RELEASES.iter().chain(&RELEASES[..2]).map(|release| (*release).to_owned());
            between(&first, &last, twice)
        };
        let all = [
            "6.1.0-9-amd64",
            "6.1.0-57-amd64",
            "6.12.90+deb13-amd64",
            "6.12.117+deb12-amd64",
            "6.12.117+deb13-amd64",
        ];
        assert_eq!(found("6.1", "6.12"), all);
        assert_eq!(found("6.1.0-57-amd64", "6.12.90"), all[1..3]);
        assert_eq!(found("6.12", "6.12"), all[2..]);
        assert_eq!(found("6.12", "6.1"), [""; 0]);
    }

    #[test]
    fn what_is_no_version_is_refused() {
        let error = Wanted::parse("bookworm").unwrap_err();
        assert!(matches!(error, KernelError::NotAVersion { .. }), "{error}");
    }
}

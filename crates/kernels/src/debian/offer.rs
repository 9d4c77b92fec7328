//! The kernels that the package lists name.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::release::{flavour, of_package};
use crate::version::compare;

/// A kernel that can be fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// Its release, such as `6.1.0-57-amd64`; `debian:RELEASE` means exactly this one.
    pub release: String,
    /// The package's version, such as `6.1.174-1`.
    pub version: String,
    /// The suite that carries it, such as `bookworm-security`; of several, the first in the sources.
    pub suite: String,
    /// The package's name: `linux-image-RELEASE`, or with `-unsigned` where only that is offered.
    pub package: String,
}

impl Offer {
    /// Whether it is of the plain flavour, neither `cloud` nor `rt`. A series means only these.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        flavour(&self.release).is_none()
    }

    /// One line of `apt-cache madison`:
    ///
    /// ```text
    /// linux-image-6.1.0-57-amd64 |  6.1.192-3 | URI bookworm-security/main amd64 Packages
    /// ```
    fn from_madison(line: &str) -> Option<Offer> {
        let mut fields = line.split('|').map(str::trim);
        let (package, version, source) = (fields.next()?, fields.next()?, fields.next()?);
        let (release, _) = of_package(package)?;
        let mut source = source.split_whitespace();
        let (_, suite, architecture) = (source.next()?, source.next()?, source.next()?);
        (architecture == "amd64").then(|| Offer {
            release: release.to_owned(),
            version: version.to_owned(),
            suite: suite.split('/').next().unwrap_or(suite).to_owned(),
            package: package.to_owned(),
        })
    }

    /// One line of [`to_text`].
    fn from_text(line: &str) -> Option<Offer> {
        let mut fields = line.split(' ').map(str::to_owned);
        let (package, version, suite) = (fields.next()?, fields.next()?, fields.next()?);
        let release = of_package(&package)?.0.to_owned();
        Some(Offer { release, version, suite, package })
    }

    /// Of two packages with the same release, the signed one is better, then the later build.
    fn compare_same_release(&self, other: &Offer) -> Ordering {
        let signed = |offer: &Offer| !offer.package.ends_with("-unsigned");
        signed(self).cmp(&signed(other)).then_with(|| compare(&self.version, &other.version))
    }
}

/// Those of `apt-cache pkgnames` that hold a kernel.
pub(crate) fn kernel_packages(pkgnames: &str) -> Vec<&str> {
    let mut packages: Vec<&str> =
        pkgnames.lines().map(str::trim).filter(|name| of_package(name).is_some()).collect();
    packages.sort_unstable();
    packages
}

/// What `apt-cache madison` printed: each release once, newest first.
pub(crate) fn from_madison(text: &str) -> Vec<Offer> {
    let mut best = BTreeMap::<String, Offer>::new();
    for offer in text.lines().filter_map(Offer::from_madison) {
        match best.get(&offer.release) {
            Some(other) if offer.compare_same_release(other).is_le() => {}
            _ => drop(best.insert(offer.release.clone(), offer)),
        }
    }
    let mut offers: Vec<Offer> = best.into_values().collect();
    offers.sort_by(|left, right| compare(&right.release, &left.release));
    offers
}

/// One offer a line, as `PACKAGE VERSION SUITE`.
pub(crate) fn to_text(offers: &[Offer]) -> String {
    let line = |offer: &Offer| format!("{} {} {}\n", offer.package, offer.version, offer.suite);
    offers.iter().map(line).collect()
}

/// Reads [`to_text`] back; lines that are none are left out.
pub(crate) fn from_text(text: &str) -> Vec<Offer> {
    text.lines().filter_map(Offer::from_text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MADISON: &str = "\
linux-image-6.1.0-50-amd64 |  6.1.176-1 | http://archive.example/debian bookworm/main amd64 Packages
linux-image-6.1.0-50-amd64 |  6.1.176-1 | http://archive.example/debian-security bookworm-security/main amd64 Packages
linux-image-6.1.0-50-amd64-unsigned |  6.1.176-1 | http://archive.example/debian bookworm/main amd64 Packages
linux-image-6.1.0-50-amd64-dbg |  6.1.176-1 | http://archive.example/debian bookworm/main amd64 Packages
linux-image-6.1.0-57-cloud-amd64-unsigned |  6.1.192-3 | http://archive.example/debian bookworm/main amd64 Packages
linux-image-6.12-amd64 | 6.12.117-1 | http://archive.example/debian trixie/main amd64 Packages
linux-image-6.12.9+deb13-amd64 | 6.12.9-1 | http://archive.example/debian trixie/main amd64 Packages
linux-image-6.12.9+deb13-amd64 | 6.12.9-2 | http://archive.example/debian trixie-updates/main amd64 Packages
linux-image-6.12.10+deb13-amd64 | 6.12.10-1 | http://archive.example/debian trixie/main i386 Packages
     linux | 6.12.9-1 | http://archive.example/debian trixie/main Sources
N: Unable to locate package linux-image-6.9.1-amd64
";

    fn shown(offers: &[Offer]) -> Vec<String> {
        to_text(offers).lines().map(str::to_owned).collect()
    }

    #[test]
    fn each_release_once_signed_if_possible_newest_first() {
        let offers = from_madison(MADISON);
        assert_eq!(
            shown(&offers),
            [
                "linux-image-6.12.9+deb13-amd64 6.12.9-2 trixie-updates",
                "linux-image-6.1.0-57-cloud-amd64-unsigned 6.1.192-3 bookworm",
                "linux-image-6.1.0-50-amd64 6.1.176-1 bookworm",
            ]
        );
        assert_eq!(offers[1].release, "6.1.0-57-cloud-amd64");
        assert!(!offers[1].is_plain() && offers[2].is_plain());
    }

    #[test]
    fn the_signed_one_wins_in_either_order() {
        let backwards: Vec<&str> = MADISON.lines().rev().collect();
        let offers = from_madison(&backwards.join("\n"));
        assert_eq!(offers[2].package, "linux-image-6.1.0-50-amd64");
    }

    #[test]
    fn the_text_form_reads_back() {
        let offers = from_madison(MADISON);
        assert_eq!(from_text(&to_text(&offers)), offers);
        assert!(from_text("no offer\n\nlinux-image-6.1.0-50-amd64 6.1.176-1").is_empty());
    }

    #[test]
    fn package_names_without_a_kernel_are_left_out() {
        let names =
            "linux-image-amd64\nlinux-image-6.1.0-9-amd64\nlinux-image-6.1.0-10-amd64-dbg\n";
        assert_eq!(kernel_packages(names), ["linux-image-6.1.0-9-amd64"]);
    }
}

//! Where the machine gets Debian's packages from.
//!
//! Nothing is known here of any host: all of it is the machine's own configuration.

/// What [`Target::all`] reads; for `apt-get indextargets --format`.
pub(crate) const FORMAT: &str =
    "$(CREATED_BY)|$(RELEASE)|$(COMPONENT)|$(REPO_URI)|$(SOURCESENTRY)|$(ORIGIN)";

/// The suites that kernels are taken from, in the main archive and in the security archive.
const SUITES: [&str; 6] = [
    "bookworm",
    "bookworm-updates",
    "bookworm-backports",
    "trixie",
    "trixie-updates",
    "trixie-backports",
];
const SECURITY_SUITES: [&str; 2] = ["bookworm-security", "trixie-security"];

/// Names of Debian's releases; other distributions and vendors use those of [`ROLES`], too.
const CODENAMES: [&str; 6] = ["bullseye", "bookworm", "trixie", "forky", "duke", "sid"];
const ROLES: [&str; 5] = ["oldoldstable", "oldstable", "stable", "testing", "unstable"];

/// One package list that the machine's sources name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// The suite, as the sources call it.
    pub(crate) release: String,
    /// The archive.
    pub(crate) uri: String,
    /// The file of sources that names it.
    pub(crate) file: String,
    /// Who made it, where the machine has fetched its lists.
    pub(crate) origin: Option<String>,
}

/// The archives to fetch from.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Archives {
    main: String,
    security: String,
}

impl Target {
    /// What `apt-get indextargets` printed in [`FORMAT`]; package lists of `main` alone:
    ///
    /// ```text
    /// Packages|bookworm|main|URI|/etc/apt/sources.list.d/debian.sources:1|Debian
    /// ```
    pub(crate) fn all(text: &str) -> Vec<Target> {
        text.lines().filter_map(Target::from_line).collect()
    }

    /// Adds those that are not there yet. What is known of an origin stays.
    pub(crate) fn add(targets: &mut Vec<Target>, more: Vec<Target>) {
        for target in more {
            let same = |known: &Target| known.release == target.release && known.uri == target.uri;
            if !targets.iter().any(same) {
                targets.push(target);
            }
        }
    }

    fn from_line(line: &str) -> Option<Target> {
        let fields: Vec<&str> = line.split('|').collect();
        let ["Packages", release, "main", uri, entry, origin] = fields[..] else { return None };
        let file = entry.rsplit_once(':').map_or(entry, |(file, _)| file);
        // A field that the client does not know stays as it is.
        let known = !origin.is_empty() && !origin.starts_with("$(");
        (!uri.starts_with("cdrom:")).then(|| Target {
            release: release.to_owned(),
            uri: uri.to_owned(),
            file: file.to_owned(),
            origin: known.then(|| origin.to_owned()),
        })
    }

    /// How sure it is that this is Debian's archive; `None` when it is another's.
    ///
    /// Vendors call their suites `stable` or `bookworm` as well.
    fn debian(&self) -> Option<u8> {
        let release = self.release.strip_suffix("-security").unwrap_or(&self.release);
        let codename = CODENAMES.contains(&release);
        if !codename && !ROLES.contains(&release) {
            return None;
        }
        match &self.origin {
            Some(origin) if origin.starts_with("Debian") => Some(2),
            Some(_) => None,
            None if self.uri.contains("debian") => Some(1),
            None => codename.then_some(0),
        }
    }

    fn is_security(&self) -> bool {
        self.release.ends_with("-security")
    }
}

/// The surest of Debian's main archives, or of its security archives; the first of equals.
pub(crate) fn debian_target(targets: &[Target], security: bool) -> Option<&Target> {
    let fitting = targets.iter().filter(|target| target.is_security() == security);
    let ranked = fitting.filter_map(|target| Some((target.debian()?, target)));
    // Of equals, max_by_key takes the last.
    ranked.rev().max_by_key(|(sure, _)| *sure).map(|(_, target)| target)
}

impl Archives {
    /// The archive `mirror`, else the machine's; `None` when it names none.
    ///
    /// The security archive is not part of the main one. Where the machine names none, it lies
    /// beside the main one by custom.
    pub(crate) fn find(targets: &[Target], mirror: Option<&str>) -> Option<Archives> {
        let own = |security| debian_target(targets, security).map(|target| target.uri.as_str());
        let main = mirror.or_else(|| own(false))?.trim_end_matches('/');
        let security = match (mirror, own(true)) {
            (None, Some(security)) => security.trim_end_matches('/').to_owned(),
            _ => format!("{main}-security"),
        };
        Some(Archives { main: main.to_owned(), security })
    }

    /// The lines of a sources.list, each checked by the keyrings; none leaves it to the client's
    /// trusted keys.
    pub(crate) fn source_lines(&self, keyrings: &[String]) -> String {
        let checked = match keyrings {
            [] => String::new(),
            _ => format!(" signed-by={}", keyrings.join(",")),
        };
        let line = |uri: &str, suite: &str| {
            // Package lists only: no translations, no application metadata.
            format!("deb [arch=amd64 target=Packages lang=none{checked}] {uri} {suite} main\n")
        };
        let main = SUITES.iter().map(|suite| line(&self.main, suite));
        main.chain(SECURITY_SUITES.iter().map(|suite| line(&self.security, suite))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(lines: &[&str]) -> Vec<Target> {
        let lines = lines.iter().map(|line| {
            let [release, uri, origin] = line.split(' ').collect::<Vec<_>>()[..] else {
                panic!("{line}")
            };
            format!("Packages|{release}|main|{uri}|/etc/apt/sources.list:3|{origin}\n")
        });
        Target::all(&lines.collect::<String>())
    }

    fn found(lines: &[&str]) -> Option<(String, String)> {
        Archives::find(&targets(lines), None).map(|archives| (archives.main, archives.security))
    }

    #[test]
    fn only_package_lists_of_main_are_read() {
        let text = "\
DEP-11|bookworm|main|http://a.example/|/etc/apt/a.sources:1|$(ORIGIN)
Packages|bookworm|contrib|http://b.example/|/etc/apt/a.sources:1|$(ORIGIN)
Packages|bookworm|main|cdrom:[Debian]/|/etc/apt/a.sources:1|$(ORIGIN)
Packages|bookworm|main|http://c.example/|/etc/apt/a.sources:2|Debian Backports
nonsense
";
        let [target] = &Target::all(text)[..] else { panic!("one target") };
        assert_eq!(target.uri, "http://c.example/");
        assert_eq!(target.file, "/etc/apt/a.sources");
        assert_eq!(target.origin.as_deref(), Some("Debian Backports"));
    }

    #[test]
    fn debians_archive_is_told_from_others() {
        let pair = |main: &str, security: &str| Some((main.to_owned(), security.to_owned()));
        let unknown = "$(ORIGIN)";
        let vendor = format!("bookworm http://vendor.example/apt/ {unknown}");
        let own = format!("bookworm http://own.example/debian/ {unknown}");
        let security = format!("bookworm-security http://own.example/safe/ {unknown}");
        let expected = pair("http://own.example/debian", "http://own.example/debian-security");
        assert_eq!(found(&[&vendor, &own]), expected);
        let expected = pair("http://own.example/debian", "http://own.example/safe");
        assert_eq!(found(&[&security, &own]), expected);
        // The machine's own lists know best.
        let lines = [
            "bookworm http://vendor.example/debian/ Vendor",
            "stable http://mirror.example/all/ Debian",
        ];
        let expected = pair("http://mirror.example/all", "http://mirror.example/all-security");
        assert_eq!(found(&lines), expected);
        // The first of equals.
        assert_eq!(found(&[&own, "sid http://b.example/debian/ "]), found(&[&own]));
    }

    #[test]
    fn another_distributions_sources_are_not_taken() {
        assert_eq!(found(&["noble http://a.example/ubuntu/ Ubuntu"]), None);
        assert_eq!(found(&["stable http://vendor.example/browser/deb/ $(ORIGIN)"]), None);
        assert_eq!(found(&["stable http://vendor.example/browser/deb/ Vendor"]), None);
    }

    #[test]
    fn what_is_known_of_an_origin_is_not_forgotten() {
        let mut all = targets(&["bookworm http://vendor.example/debian/ Vendor"]);
        let unknown = ["bookworm http://vendor.example/debian/ ", "sid http://a.example/debian/ "];
        Target::add(&mut all, targets(&unknown));
        assert_eq!(all.len(), 2);
        assert_eq!(Archives::find(&all, None).unwrap().main, "http://a.example/debian");
    }

    #[test]
    fn a_named_mirror_goes_before_the_machines_sources() {
        let targets = targets(&["bookworm-security http://a.example/debian-security/ Debian"]);
        let archives = Archives::find(&targets, Some("http://m.example/debian/")).unwrap();
        assert_eq!(archives.main, "http://m.example/debian");
        assert_eq!(archives.security, "http://m.example/debian-security");
    }

    #[test]
    fn every_suite_has_its_line_and_its_keyrings() {
        let archives = Archives { main: "M".to_owned(), security: "S".to_owned() };
        let lines = archives.source_lines(&["/a.gpg".to_owned(), "/b.gpg".to_owned()]);
        assert_eq!(lines.lines().count(), SUITES.len() + SECURITY_SUITES.len());
        let first =
            "deb [arch=amd64 target=Packages lang=none signed-by=/a.gpg,/b.gpg] M bookworm main";
        assert_eq!(lines.lines().next(), Some(first));
        let last = archives.source_lines(&[]);
        assert!(
            last.ends_with("deb [arch=amd64 target=Packages lang=none] S trixie-security main\n")
        );
    }
}

//! What apt's programs print.

/// How many lines of an error are passed on.
const LINES: usize = 3;

/// How far a download is, in percent, by one line of `APT::Status-Fd`:
///
/// ```text
/// dlstatus:1:40.0213:Retrieving file 1 of 1 (2s remaining)
/// ```
pub(crate) fn percent(line: &str) -> Option<u8> {
    let percent: f64 = line.strip_prefix("dlstatus:")?.split(':').nth(1)?.parse().ok()?;
    (0.0..=100.0).contains(&percent).then_some(percent as u8)
}

/// How large a download is, as `apt-get download` says it when it begins:
///
/// ```text
/// Get:1 URI SUITE/main amd64 PACKAGE amd64 VERSION [70.6 MB]
/// ```
pub(crate) fn size(line: &str) -> Option<&str> {
    let (_, size) = line.strip_prefix("Get:")?.strip_suffix(']')?.rsplit_once('[')?;
    Some(size)
}

/// The last words of a program, on one line.
pub(crate) fn last_words(stderr: &str) -> String {
    let lines: Vec<&str> = stderr.lines().map(plain).filter(|line| !line.is_empty()).collect();
    let start = lines.len().saturating_sub(LINES);
    lines[start..].join("; ")
}

/// A complaint without its mark.
fn plain(line: &str) -> &str {
    let line = line.trim();
    let line = line.strip_prefix("E: ").or_else(|| line.strip_prefix("W: ")).unwrap_or(line);
    line.trim_end_matches('.')
}

/// Whether the archive does not have the file any more.
pub(crate) fn is_gone(reason: &str) -> bool {
    reason.contains("  404 ") || reason.contains("File not found")
}

/// Why `apt-get update` did not bring every list up to date; `None` when it did.
///
/// A suite that the archive does not carry (`does not have a Release file`) is no reason to give up
/// the others, and asking again would not help. Without a network the client says so in warnings and
/// ends well.
pub(crate) fn update_trouble(ended_well: bool, stderr: &str) -> Option<String> {
    let lines = || stderr.lines().filter(|line| !line.contains("Some index files failed"));
    let errors = lines().filter(|line| line.starts_with("E: "));
    let warnings = lines().filter(|line| {
        ["W: Failed to fetch", "W: GPG error", "W: OpenPGP"]
            .iter()
            .any(|start| line.starts_with(start))
    });
    let said: Vec<&str> = errors.chain(warnings).collect();
    let absent = |line: &str| {
        line.ends_with("have a Release file.") || line.ends_with("has a Release file.")
    };
    let troubles: Vec<&str> =
        said.iter().copied().filter(|line| !absent(line)).map(plain).collect();
    match (troubles.is_empty(), said.is_empty()) {
        (false, _) => Some(each_kind_once(&troubles)),
        (true, true) if !ended_well => Some(last_words(stderr)),
        (true, _) => None,
    }
}

/// One of each kind of complaint: those about several files differ only before the last two spaces.
fn each_kind_once(troubles: &[&str]) -> String {
    let kind = |line: &str| line.rsplit_once("  ").map_or(line, |(_, kind)| kind).to_owned();
    let mut kinds: Vec<(String, &str)> = Vec::new();
    for line in troubles {
        if !kinds.iter().any(|(known, _)| *known == kind(line)) {
            kinds.push((kind(line), line));
        }
    }
    let more = troubles.len() - kinds.len().min(LINES);
    let shown: Vec<&str> = kinds.iter().take(LINES).map(|(_, line)| *line).collect();
    match more {
        0 => shown.join("; "),
        more => format!("{} (and {more} more)", shown.join("; ")),
    }
}

/// What to do about a fetch that failed for this reason.
pub(crate) fn advice(reason: &str) -> &'static str {
    let unchecked = ["NO_PUBKEY", "is not signed", "signature"];
    if unchecked.iter().any(|word| reason.contains(word)) {
        return "install the package debian-archive-keyring, or renew it, so that the archive's signatures can be checked";
    }
    if reason.contains("No space left") {
        return "make room in the cache";
    }
    "check the network and the proxy that apt is set up with, or unpack a linux-image package yourself and name its folder"
}

#[cfg(test)]
mod tests {
    use super::*;

    const OFFLINE: &str = "\
W: Failed to fetch http://a.example/debian/dists/bookworm/InRelease  Temporary failure resolving 'a.example'
W: Failed to fetch http://a.example/debian/dists/trixie/InRelease  Temporary failure resolving 'a.example'
W: Some index files failed to download. They have been ignored, or old ones used instead.
";

    #[test]
    fn progress_and_size() {
        assert_eq!(percent("dlstatus:1:40.0213:Retrieving file 1 of 1 (2s remaining)"), Some(40));
        assert_eq!(percent("dlstatus:1:100.0000:Retrieving file 1 of 1"), Some(100));
        for line in ["", "dlstatus:1", "dlstatus:1:much:x", "dlstatus:1:-3:x", "Get:1 x [1 B]"] {
            assert_eq!(percent(line), None, "{line}");
        }
        let line = "Get:1 http://a.example/debian bookworm/main amd64 linux-image-6.1.0-9-amd64 amd64 6.1.9-1 [70.6 MB]";
        assert_eq!(size(line), Some("70.6 MB"));
        assert_eq!(size("Fetched 70.6 MB in 0s (341 MB/s)"), None);
    }

    #[test]
    fn an_update_that_went_well() {
        assert_eq!(update_trouble(true, ""), None);
        assert_eq!(update_trouble(true, "W: the list is configured twice\n"), None);
        let absent = "E: The repository 'http://a.example/debian duke Release' does not have a Release file.\n";
        assert_eq!(update_trouble(false, absent), None);
        let gone = absent.replace("does not have", "no longer has");
        assert_eq!(update_trouble(false, &gone), None);
    }

    #[test]
    fn an_update_without_network_or_keys() {
        let offline = update_trouble(true, OFFLINE).unwrap();
        assert!(offline.starts_with("Failed to fetch http://a.example/debian/dists/bookworm"));
        assert!(
            offline.ends_with("  Temporary failure resolving 'a.example' (and 1 more)"),
            "{offline}"
        );
        assert!(advice(&offline).starts_with("check the network"));
        let unsigned =
            "E: The repository 'http://a.example/debian bookworm InRelease' is not signed.\n";
        let unsigned = update_trouble(false, unsigned).unwrap();
        assert!(advice(&unsigned).contains("debian-archive-keyring"));
        assert_eq!(update_trouble(false, "Segmentation fault\n").unwrap(), "Segmentation fault");
    }

    #[test]
    fn long_complaints_are_cut() {
        let kinds = OFFLINE.to_owned() + &OFFLINE.replace("Temporary failure", "Trouble");
        let said = update_trouble(true, &kinds).unwrap();
        assert_eq!(said.matches("Failed to fetch").count(), 2, "{said}");
        assert!(said.ends_with("(and 2 more)"), "{said}");
        assert_eq!(last_words("a\n\nE: b\nc\n d \n"), "b; c; d");
        assert_eq!(last_words(""), "");
    }

    #[test]
    fn a_file_that_is_gone_is_told_from_a_network_that_is_not_there() {
        assert!(is_gone(
            "Failed to fetch http://a.example/x.deb  404  Not Found [IP: 192.0.2.1 80]"
        ));
        assert!(is_gone("Failed to fetch file:/srv/x.deb  File not found - /srv/x.deb"));
        assert!(!is_gone("Failed to fetch http://a.example/x.deb  Connection timed out"));
    }
}

//! By whose keys the machine checks Debian's archive.

use std::fs::{self, File};
use std::path::Path;

use super::sources::{Target, debian_target};

/// Where Debian's own keys lie once the package debian-archive-keyring is installed.
const DEBIAN_KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// Debian's own keyring, and those by which the machine's sources check Debian's archive; only what
/// this user can read.
pub(crate) fn keyrings(targets: &[Target]) -> Vec<String> {
    let named = [false, true].into_iter().filter_map(|security| debian_target(targets, security));
    let named = named.flat_map(|target| {
        signed_by(&fs::read_to_string(&target.file).unwrap_or_default(), target)
    });
    let mut keyrings: Vec<String> = named.chain([DEBIAN_KEYRING.to_owned()]).collect();
    keyrings.retain(|keyring| File::open(Path::new(keyring)).is_ok());
    keyrings.sort();
    keyrings.dedup();
    keyrings
}

/// The keyrings by which a file of sources checks this target, in either of apt's two formats
/// (sources.list(5)).
fn signed_by(sources: &str, target: &Target) -> Vec<String> {
    let uri = target.uri.trim_end_matches('/');
    let names = |text: &str| text.split_whitespace().any(|word| word.trim_end_matches('/') == uri);
    let deb822 = target.file.ends_with(".sources");
    let entries: Vec<&str> =
        if deb822 { sources.split("\n\n").collect() } else { sources.lines().collect() };
    let ours = entries.into_iter().filter(|entry| names(entry));
    let values = ours.filter_map(|entry| if deb822 { field(entry) } else { option(entry) });
    let names = values.flat_map(|value| value.split([',', ' ']));
    // A fingerprint or a key in the file itself is no keyring's name.
    names.filter(|name| name.starts_with('/')).map(str::to_owned).collect()
}

/// `Signed-By: FILE` of a stanza.
fn field(stanza: &str) -> Option<&str> {
    let fields = stanza.lines().filter_map(|line| line.split_once(':'));
    let mut signed = fields.filter(|(name, _)| name.eq_ignore_ascii_case("signed-by"));
    signed.next().map(|(_, value)| value.trim())
}

/// `signed-by=FILE` among the options of a line.
fn option(line: &str) -> Option<&str> {
    let line = line.trim();
    let (options, _) = line.strip_prefix("deb ")?.trim().strip_prefix('[')?.split_once(']')?;
    options.split_whitespace().find_map(|option| option.strip_prefix("signed-by="))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(file: &str) -> Target {
        let uri = "http://a.example/debian/".to_owned();
        let (release, file) = ("bookworm".to_owned(), file.to_owned());
        Target { release, uri, file, origin: None }
    }

    #[test]
    fn keyrings_of_a_stanza() {
        let sources = "\
Types: deb
URIs: http://a.example/debian
Suites: bookworm
Signed-By: /usr/share/keyrings/a.gpg

Types: deb
URIs: http://vendor.example/debian
Signed-By: /usr/share/keyrings/vendor.gpg

Types: deb
URIs: http://a.example/debian/
signed-by:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
";
        assert_eq!(signed_by(sources, &target("/x.sources")), ["/usr/share/keyrings/a.gpg"]);
    }

    #[test]
    fn keyrings_of_a_line() {
        let sources = "\
# deb [signed-by=/old.gpg] http://a.example/debian bookworm main
deb [arch=amd64 signed-by=/a.gpg,/b.gpg,0123ABCD] http://a.example/debian bookworm main
deb [signed-by=/vendor.gpg] http://vendor.example/debian bookworm main
deb http://a.example/debian bookworm-updates main
";
        assert_eq!(signed_by(sources, &target("/x.list")), ["/a.gpg", "/b.gpg"]);
    }
}

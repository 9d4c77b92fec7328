//! A source in words, for whoever looks into the cache.

use crate::source::{Origin, Source};

/// What a kernel was built from.
pub(crate) fn source_in_words(source: &Source) -> String {
    let mut words = match &source.origin {
        Origin::Revision { repository, revision } => {
            format!("{revision} of {}", repository.display())
        }
        Origin::Tree(folder) => folder.display().to_string(),
    };
    for commit in &source.reverts {
        words.push_str(&format!(", without {commit}"));
    }
    for patch in &source.patches {
        words.push_str(&format!(", with {}", patch.display()));
    }
    for config in &source.config {
        words.push_str(&format!(", configured by {}", config.display()));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_goes_in() {
        let source = Source {
            origin: Origin::Revision { repository: "/src/linux".into(), revision: "v6.12".into() },
            reverts: vec!["0123456789ab".to_owned()],
            patches: vec!["fix.patch".into()],
            config: vec!["more.config".into()],
        };
        assert_eq!(
            source_in_words(&source),
            "v6.12 of /src/linux, without 0123456789ab, with fix.patch, configured by more.config"
        );
    }
}

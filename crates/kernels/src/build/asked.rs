//! The configuration that is asked for: the lab's own or a whole one, with the user's lines on top.

use std::fs;
use std::path::{Path, PathBuf};

use super::digest::Digest;
use super::kconfig::{Line, Options};
use crate::source::SourceError;

/// What the lab's kernels have on top of `make tinyconfig`.
const LAB: &str = include_str!("lab.config");

/// What explaining a trial reads: the types in the image, which pahole makes from debugging information.
const TYPES: &str = "CONFIG_DEBUG_INFO=y
CONFIG_DEBUG_INFO_DWARF_TOOLCHAIN_DEFAULT=y
CONFIG_BPF_SYSCALL=y
CONFIG_DEBUG_INFO_BTF=y
# CONFIG_DEBUG_INFO_BTF_MODULES is not set
";

/// Without pahole, debugging information would only cost time.
const NO_TYPES: &str = "CONFIG_DEBUG_INFO_NONE=y\n";

/// What is changed in a whole configuration, so that the same source gives the same bytes and wants no files
/// of a distribution: no key made at random, no layout by chance, no keys from `debian/certs`.
const REPEATABLE: &str = "# CONFIG_LOCALVERSION_AUTO is not set
# CONFIG_SECURITY_LOCKDOWN_LSM is not set
# CONFIG_MODULE_SIG is not set
CONFIG_SYSTEM_TRUSTED_KEYS=\"\"
CONFIG_SYSTEM_REVOCATION_KEYS=\"\"
# CONFIG_RANDSTRUCT_FULL is not set
# CONFIG_RANDSTRUCT_PERFORMANCE is not set
CONFIG_RANDSTRUCT_NONE=y
";

/// So many options make a whole configuration; a fragment has some dozens.
const WHOLE: usize = 1000;

/// The configuration that is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// What it starts from.
    pub(crate) base: Base,
    /// Our lines on top of it, which a kernel may not know.
    pub(crate) ours: Vec<Line>,
    /// The user's lines on top of that, each with its file. They hold, or nothing is built.
    pub(crate) theirs: Vec<(Line, PathBuf)>,
}

/// What a configuration starts from.
#[derive(Clone, Debug)]
pub(crate) enum Base {
    /// `make tinyconfig`.
    Tiny,
    /// A file of the user's.
    Whole {
        /// The file.
        file: PathBuf,
        /// What is in it.
        text: String,
    },
}

impl Asked {
    /// Reads the user's files. `pahole` is whether that program is there.
    ///
    /// # Errors
    /// A file cannot be read, two of them are whole configurations, or a line in a fragment is no option.
    pub(crate) fn read(files: &[PathBuf], pahole: bool) -> Result<Asked, SourceError> {
        let mut asked = Asked { base: Base::Tiny, ours: lab(pahole), theirs: Vec::new() };
        for file in files {
            let text =
                fs::read_to_string(file).map_err(|error| SourceError::io("read", file, error))?;
            match is_whole(&text) {
                true => asked.start_from(file, text)?,
                false => asked.theirs.extend(fragment(file, &text)?),
            }
        }
        Ok(asked)
    }

    /// Hash of all that is in it, 64 hexadecimal digits.
    pub(crate) fn hash(&self) -> String {
        let mut digest = Digest::new("configuration");
        if let Base::Whole { text, .. } = &self.base {
            digest.add("whole", text);
        }
        for line in self.ours.iter().chain(self.theirs.iter().map(|(line, _)| line)) {
            digest.add("line", &line.text());
        }
        digest.hex()
    }

    /// All lines on top of the base, a later one before those it replaces.
    pub(crate) fn on_top(&self) -> Vec<Line> {
        let theirs = self.theirs.iter().map(|(line, _)| line);
        self.ours.iter().chain(theirs).cloned().collect()
    }

    /// Of our lines, those that the user does not say anything else about.
    pub(crate) fn our_own(&self) -> impl Iterator<Item = &Line> {
        let theirs = |line: &Line| self.theirs.iter().any(|(other, _)| other.symbol == line.symbol);
        self.ours.iter().filter(move |line| !theirs(line))
    }

    /// What of a whole configuration is taken otherwise, in a sentence.
    pub(crate) fn changes(&self) -> Option<String> {
        let Base::Whole { file, text } = &self.base else { return None };
        let given = Options::parse(text);
        let otherwise = |line: &&Line| {
            given.value(&line.symbol).is_some_and(|value| line.value.as_deref() != Some(value))
        };
        let changed = self.our_own().filter(otherwise);
        let changed: Vec<String> = changed.map(Line::text).collect();
        (!changed.is_empty()).then(|| {
            let (file, changed) = (file.display(), changed.join(", "));
            format!("{file} is taken with {changed}, so that the same source gives the same kernel")
        })
    }

    fn start_from(&mut self, file: &Path, text: String) -> Result<(), SourceError> {
        if let Base::Whole { file: first, .. } = &self.base {
            return Err(SourceError::Refused {
                options: vec![format!(
                    "two whole configurations ({}, {})",
                    first.display(),
                    file.display()
                )],
                advice: "name one of them, and fragments with what is to differ".to_owned(),
            });
        }
        self.base = Base::Whole { file: file.to_path_buf(), text };
        self.ours = lines(REPEATABLE);
        Ok(())
    }
}

fn lab(pahole: bool) -> Vec<Line> {
    let types = if pahole { TYPES } else { NO_TYPES };
    [lines(LAB), lines(types)].concat()
}

fn lines(text: &str) -> Vec<Line> {
    text.lines().filter_map(Line::parse).collect()
}

fn is_whole(text: &str) -> bool {
    let options = text.lines().filter(|line| line.starts_with("CONFIG_")).count();
    options > WHOLE || text.lines().any(|line| line.starts_with("CONFIG_CC_VERSION_TEXT="))
}

/// A fragment's lines. One that is neither an option nor a comment is a slip of the pen that kconfig would
/// pass over.
fn fragment(file: &Path, text: &str) -> Result<Vec<(Line, PathBuf)>, SourceError> {
    let mut lines = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match Line::parse(line) {
            Some(line) => lines.push((line, file.to_path_buf())),
            None if line.starts_with('#') => {}
            None => {
                return Err(SourceError::Refused {
                    options: vec![format!("`{line}` in {}", file.display())],
                    advice: "write CONFIG_X=y, CONFIG_X=m, CONFIG_X=n or # CONFIG_X is not set"
                        .to_owned(),
                });
            }
        }
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(files: &[(&str, &str)]) -> Result<Asked, SourceError> {
        let folder = tempfile::tempdir().unwrap();
        let put = |(name, text): &(&str, &str)| {
            let file = folder.path().join(name);
            fs::write(&file, text).unwrap();
            file
        };
        let files: Vec<PathBuf> = files.iter().map(put).collect();
        Asked::read(&files, true)
    }

    #[test]
    fn types_are_asked_for_where_pahole_is() {
        let has = |pahole, wanted: &str| {
            let asked = Asked::read(&[], pahole).unwrap();
            asked.ours.iter().any(|line| line.text() == wanted)
        };
        assert!(has(true, "CONFIG_DEBUG_INFO_BTF=y") && !has(true, "CONFIG_DEBUG_INFO_NONE=y"));
        assert!(has(false, "CONFIG_DEBUG_INFO_NONE=y") && !has(false, "CONFIG_DEBUG_INFO_BTF=y"));
        assert!(has(true, "CONFIG_EXT4_FS=y") && has(false, "# CONFIG_SMP is not set"));
    }

    #[test]
    fn the_hash_is_of_what_is_asked_and_not_of_how() {
        let hash = |files| asked(files).unwrap().hash();
        let one = hash(&[("a", "CONFIG_HZ_100=y\n")]);
        assert_eq!(one, hash(&[("b", "# Why\n\n  CONFIG_HZ_100=y\n")]));
        assert_ne!(one, hash(&[("a", "CONFIG_HZ_100=n\n")]));
        assert_ne!(one, hash(&[]));
        assert_ne!(hash(&[]), Asked::read(&[], false).unwrap().hash());
    }

    #[test]
    fn a_whole_configuration_takes_the_place_of_the_labs() {
        let whole = "CONFIG_CC_VERSION_TEXT=\"gcc 12\"\nCONFIG_MODULE_SIG=y\nCONFIG_SMP=y\n";
        let asked = asked(&[("whole", whole), ("more", "CONFIG_HZ_100=y\n")]).unwrap();
        assert!(matches!(&asked.base, Base::Whole { text, .. } if text == whole));
        assert!(asked.ours.iter().all(|line| line.symbol != "EXT4_FS"));
        assert_eq!(asked.theirs.len(), 1);
        let note = asked.changes().unwrap();
        assert!(note.contains("whole is taken with # CONFIG_MODULE_SIG is not set, so"), "{note}");
        let long: String = (0..=WHOLE).map(|number| format!("CONFIG_A{number}=y\n")).collect();
        assert!(is_whole(&long) && !is_whole("CONFIG_A=y\n"));
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        let whole = "CONFIG_CC_VERSION_TEXT=\"gcc 12\"\n";
        let error = asked(&[("one", whole), ("two", whole)]).unwrap_err().to_string();
        assert!(error.contains("two whole configurations"), "{error}");
        let error = asked(&[("a", "CONFIG_EXT4_FS y\n")]).unwrap_err().to_string();
        assert!(error.contains("`CONFIG_EXT4_FS y` in "), "{error}");
        let missing = Asked::read(&[PathBuf::from("no/such/file")], true).unwrap_err();
        assert!(matches!(missing, SourceError::Io { action: "read", .. }), "{missing}");
    }
}

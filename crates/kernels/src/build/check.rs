//! What became of the lines that were asked for.

use std::collections::BTreeSet;

use super::asked::{Asked, Base};
use super::kconfig::{Line, Options, latest};
use crate::source::SourceError;

/// Without these the exact lab cannot boot a kernel or measure in it.
const ESSENTIAL: [&str; 22] = [
    "64BIT",
    "BINFMT_ELF",
    "BLK_DEV_INITRD",
    "BLK_DEV_NULL_BLK",
    "BLOCK",
    "CONFIGFS_FS",
    "DEVTMPFS",
    "EPOLL",
    "FUTEX",
    "HIGH_RES_TIMERS",
    "KALLSYMS",
    "MULTIUSER",
    "POSIX_TIMERS",
    "PRINTK",
    "PROC_FS",
    "PVH",
    "SERIAL_8250",
    "SERIAL_8250_CONSOLE",
    "SYSFS",
    "TMPFS",
    "TTY",
    "X86_IOPL_IOPERM",
];

/// Of a whole configuration, what the lab's machine needs built in.
const BOOTS: [&str; 5] =
    ["64BIT", "BINFMT_ELF", "BLK_DEV_INITRD", "SERIAL_8250_CONSOLE", "PROC_FS"];

/// What of our lines a kernel does not take, and need not.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Left {
    /// It has no such option.
    pub(crate) unknown: Vec<String>,
    /// It has it, but something forbids it.
    pub(crate) refused: Vec<String>,
}

/// Compares what was asked with the configuration that came of it. `symbols` are those of the tree.
///
/// # Errors
/// [`SourceError::Refused`] for each of the user's lines that does not hold, and for what the lab cannot do without.
pub(crate) fn check(
    asked: &Asked,
    options: &Options,
    symbols: &BTreeSet<String>,
) -> Result<Left, SourceError> {
    refuse_theirs(asked, options, symbols)?;
    let lost: Vec<&Line> = asked.our_own().filter(|line| !line.holds_in(options)).collect();
    let (known, unknown): (Vec<&Line>, Vec<&Line>) =
        lost.into_iter().partition(|line| symbols.contains(&line.symbol));
    let essential = |line: &&&Line| ESSENTIAL.contains(&line.symbol.as_str());
    let needed: Vec<&Line> = known.iter().filter(essential).copied().collect();
    if matches!(asked.base, Base::Tiny) && !needed.is_empty() {
        let became = |line: &&Line| became(line, options, symbols);
        return Err(SourceError::Refused {
            options: needed.iter().map(became).collect(),
            advice: "the lab cannot do without; name what they depend on too, in a fragment: --config FILE"
                .to_owned(),
        });
    }
    let text = |lines: Vec<&Line>| lines.into_iter().map(Line::text).collect();
    Ok(Left { unknown: text(unknown), refused: text(known) })
}

/// What of a whole configuration would keep the lab from booting it.
pub(crate) fn does_not_boot(asked: &Asked, options: &Options) -> Option<String> {
    let Base::Whole { file, .. } = &asked.base else { return None };
    let missing = BOOTS.iter().filter(|symbol| options.value(symbol) != Some("y"));
    let missing: Vec<String> = missing.map(|symbol| format!("CONFIG_{symbol}=y")).collect();
    (!missing.is_empty()).then(|| {
        format!("{} lacks {}, which the exact lab needs", file.display(), missing.join(", "))
    })
}

fn refuse_theirs(
    asked: &Asked,
    options: &Options,
    symbols: &BTreeSet<String>,
) -> Result<(), SourceError> {
    let all: Vec<Line> = asked.theirs.iter().map(|(line, _)| line.clone()).collect();
    let lost = latest(&all).into_iter().filter(|line| !line.holds_in(options));
    let lost: Vec<String> = lost.map(|line| became(line, options, symbols)).collect();
    match lost.is_empty() {
        true => Ok(()),
        false => Err(SourceError::Refused {
            options: lost,
            advice: "name what they depend on too, or leave them out of the files of --config"
                .to_owned(),
        }),
    }
}

fn became(line: &Line, options: &Options, symbols: &BTreeSet<String>) -> String {
    let text = line.text();
    match options.value(&line.symbol) {
        _ if !symbols.contains(&line.symbol) => format!("{text} (it has no such option)"),
        Some(value) => format!("{text} (it makes it CONFIG_{}={value})", line.symbol),
        None => format!("{text} (something that it depends on is not set)"),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn lines(text: &str) -> Vec<Line> {
        text.lines().map(|line| Line::parse(line).unwrap()).collect()
    }

    fn asked(ours: &str, theirs: &str) -> Asked {
        let theirs = lines(theirs).into_iter().map(|line| (line, PathBuf::from("mine")));
        Asked { base: Base::Tiny, ours: lines(ours), theirs: theirs.collect() }
    }

    fn outcome(ours: &str, theirs: &str, config: &str) -> Result<Left, SourceError> {
        let symbols = ["TTY", "EXT4_FS", "SMP", "HZ_100"].map(str::to_owned).into();
        check(&asked(ours, theirs), &Options::parse(config), &symbols)
    }

    #[test]
    fn what_holds_is_well() {
        let config = "CONFIG_TTY=y\n# CONFIG_SMP is not set\nCONFIG_HZ_100=y\n";
        let left = outcome("CONFIG_TTY=y\n# CONFIG_SMP is not set", "CONFIG_HZ_100=y", config);
        assert_eq!(left.unwrap(), Left::default());
    }

    #[test]
    fn of_ours_only_what_is_essential_is_missed() {
        let left = outcome("CONFIG_EXT4_FS=y\nCONFIG_NEWER=y", "", "").unwrap();
        assert_eq!(left.refused, ["CONFIG_EXT4_FS=y"]);
        assert_eq!(left.unknown, ["CONFIG_NEWER=y"]);
        let error = outcome("CONFIG_TTY=y\nCONFIG_EXT4_FS=y", "", "").unwrap_err().to_string();
        let begins = "this kernel does not take CONFIG_TTY=y (something that it depends on is not set); the lab";
        assert!(error.starts_with(begins), "{error}");
    }

    #[test]
    fn theirs_hold_each_or_nothing_is_built() {
        let theirs = "CONFIG_EXT4_FS=m\n# CONFIG_SMP is not set\nCONFIG_NEWER=y\nCONFIG_HZ_100=y";
        let config = "CONFIG_EXT4_FS=y\nCONFIG_SMP=y\nCONFIG_HZ_100=y\n";
        let error = outcome("CONFIG_EXT4_FS=y", theirs, config).unwrap_err();
        let SourceError::Refused { options, .. } = &error else { panic!("{error}") };
        let expected = [
            "CONFIG_EXT4_FS=m (it makes it CONFIG_EXT4_FS=y)",
            "# CONFIG_SMP is not set (it makes it CONFIG_SMP=y)",
            "CONFIG_NEWER=y (it has no such option)",
        ];
        assert_eq!(options[..], expected);
    }

    #[test]
    fn the_user_may_take_back_what_is_ours() {
        let left = outcome("CONFIG_TTY=y", "# CONFIG_TTY is not set", "");
        assert_eq!(left.unwrap(), Left::default());
    }

    #[test]
    fn a_whole_configuration_that_cannot_boot_is_noted() {
        let base = Base::Whole { file: PathBuf::from("theirs"), text: String::new() };
        let asked = Asked { base, ours: Vec::new(), theirs: Vec::new() };
        let all: String = BOOTS.iter().map(|symbol| format!("CONFIG_{symbol}=y\n")).collect();
        assert_eq!(does_not_boot(&asked, &Options::parse(&all)), None);
        let note = does_not_boot(&asked, &Options::parse(&all.replace("64BIT=y", "64BIT=n")));
        assert_eq!(note.unwrap(), "theirs lacks CONFIG_64BIT=y, which the exact lab needs");
    }
}

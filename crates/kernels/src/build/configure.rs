//! Makes a `.config` of what is asked for.

use std::fs;
use std::path::Path;

use super::asked::{Asked, Base};
use super::check::{Left, check, does_not_boot};
use super::digest::Digest;
use super::kconfig::{Options, merged};
use super::log::Log;
use super::make::Make;
use super::menus::Menus;
use crate::source::SourceError;

/// What a build folder was configured from. Configuring takes longer than compiling a file.
const STAMP: &str = ".slowpath-configured";

/// A configured build folder.
#[derive(Debug)]
pub(crate) struct Configured {
    /// The whole `.config`.
    pub(crate) text: String,
    /// What is in it.
    pub(crate) options: Options,
    /// What is otherwise than one would think, in sentences.
    pub(crate) notes: Vec<String>,
}

/// Configures the build folder, unless all that its configuration follows from is as it was.
///
/// # Errors
/// [`SourceError::Refused`] where a line does not hold; make fails.
pub(crate) fn configure(
    make: &Make<'_>,
    asked: &Asked,
    log: &mut Log,
) -> Result<Configured, SourceError> {
    let menus = Menus::find(make.tree)?;
    let config = make.out.join(".config");
    let stamp = stamp(make, asked, &menus)?;
    let stamp_file = make.out.join(STAMP);
    if fs::read_to_string(&stamp_file).ok().as_ref() != Some(&stamp) || !config.is_file() {
        (make.tell)("configuring the kernel");
        make_config(make, asked, &config, log)?;
        write(&stamp_file, &stamp)?;
    }
    let text = read(&config)?;
    let options = Options::parse(&text);
    let left = check(asked, &options, &menus.symbols()?)?;
    let notes = notes(make, asked, &options, &left);
    note_down(log, &left).map_err(|error| SourceError::io("write", log.path(), error))?;
    Ok(Configured { text, options, notes })
}

fn make_config(
    make: &Make<'_>,
    asked: &Asked,
    config: &Path,
    log: &mut Log,
) -> Result<(), SourceError> {
    let base = match &asked.base {
        Base::Whole { text, .. } => text.clone(),
        Base::Tiny => {
            make.run(log, &["tinyconfig"], &[])?;
            read(config)?
        }
    };
    write(config, &merged(&base, &asked.on_top()))?;
    make.run(log, &["olddefconfig"], &[])
}

fn stamp(make: &Make<'_>, asked: &Asked, menus: &Menus) -> Result<String, SourceError> {
    let mut digest = Digest::new("stamp");
    digest.add("asked", &asked.hash());
    digest.add("menus", &menus.hash()?);
    make.tools.versions.add_to(&mut digest);
    Ok(digest.hex())
}

fn notes(make: &Make<'_>, asked: &Asked, options: &Options, left: &Left) -> Vec<String> {
    let mut notes: Vec<String> =
        asked.changes().into_iter().chain(does_not_boot(asked, options)).collect();
    if options.value("DEBUG_INFO_BTF") != Some("y") {
        notes.push(without_types(make.tools.versions.pahole.as_deref()));
    }
    let lab = matches!(asked.base, Base::Tiny);
    let types = |line: &str| line.contains("DEBUG_INFO") || line.contains("BPF_SYSCALL");
    let refused: Vec<&str> =
        left.refused.iter().map(String::as_str).filter(|line| !types(line)).collect();
    if lab && !refused.is_empty() {
        notes
            .push(format!("this kernel does not take {} of the lab's options", refused.join(", ")));
    }
    notes
}

/// What is lost without BTF, and the cure.
fn without_types(pahole: Option<&str>) -> String {
    let lost = "the kernel does not describe its own structures (BTF), so what a slow trial waits for can be \
                told less exactly";
    match pahole {
        None => format!("{lost}; install pahole: apt-get install dwarves"),
        Some(version) => {
            format!("{lost}: its configuration refuses CONFIG_DEBUG_INFO_BTF with pahole {version}")
        }
    }
}

fn note_down(log: &mut Log, left: &Left) -> std::io::Result<()> {
    for line in &left.unknown {
        log.note(&format!("slowpath: this kernel knows nothing of {line}"))?;
    }
    for line in &left.refused {
        log.note(&format!("slowpath: this kernel does not take {line}"))?;
    }
    Ok(())
}

fn read(file: &Path) -> Result<String, SourceError> {
    fs::read_to_string(file).map_err(|error| SourceError::io("read", file, error))
}

fn write(file: &Path, text: &str) -> Result<(), SourceError> {
    fs::write(file, text).map_err(|error| SourceError::io("write", file, error))
}

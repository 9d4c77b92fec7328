//! Reads profiles: lines, then sections with their options, then what they mean together.

mod ageing;
mod entry;
mod error;
mod filesystem;
mod inherit;
mod lines;
mod location;
mod nearest;
mod needs;
mod number;
mod options;
mod reach;
mod section;
mod stats;
mod threadgroup;
mod value;

pub use self::error::ProfileError;
use self::lines::{Line, lines};
use self::section::{Kind, Section};
use super::Profile;

/// Whether a text looks like a profile rather than a case file: it has a section of a profile, and
/// nothing that only a case file has, which may hold a profile.
#[must_use]
pub fn looks_like_one(text: &str) -> bool {
    lines(text).any(opens_section) && !lines(text).any(of_case_file)
}

/// A case file's `format = 1`, or the head of a step.
fn of_case_file(line: Line<'_>) -> bool {
    let key = line.text.split(['=', ' ', '\t']).next();
    key == Some("format") || line.text.starts_with("[[")
}

fn opens_section(line: Line<'_>) -> bool {
    let inner = line.text.strip_prefix('[').map_or("", str::trim_start);
    inner.starts_with("filesystem") || inner.starts_with("threadgroup")
}

/// Reads a profile, in the numbered or the new style.
///
/// # Errors
/// The first line that is not understood; then what is not supported, is missing or does not fit
/// together, with its line where there is one.
pub fn parse(text: &str) -> Result<Profile, ProfileError> {
    let global = section::read(text)?;
    if global.is_empty() {
        return Err(ProfileError::whole(
            "the profile is empty; expected `time`, a [filesystem] and a [threadgroup] section",
        ));
    }
    let filesystems: Vec<&Section<'_>> = global.of(Kind::Filesystem).collect();
    let threadgroups: Vec<&Section<'_>> = global.of(Kind::Threadgroup).collect();
    let directio = global.flag("directio");
    let profile = Profile {
        time: time(&global, &filesystems, &threadgroups)?,
        directio,
        bufferio: global.flag("bufferio"),
        alignio: global.flag("alignio"),
        callout: global.text("callout").map(str::to_owned),
        filesystems: filesystem::filesets(&filesystems)?,
        threadgroups: threadgroup::all(&threadgroups, &filesystems)?,
        stats: stats::stats(&global, &threadgroups)?,
    };
    if directio {
        needs::aligned_blocks(filesystems.iter().chain(&threadgroups))?;
    }
    for (section, group) in threadgroups.iter().zip(&profile.threadgroups) {
        needs::options(section, group, directio)?;
        reach::files(section, group, &profile)?;
    }
    Ok(profile)
}

/// The seconds of the run, with what they want: something to run on, and something to run.
fn time(
    global: &Section<'_>,
    filesystems: &[&Section<'_>],
    threadgroups: &[&Section<'_>],
) -> Result<u64, ProfileError> {
    if filesystems.is_empty() {
        return Err(ProfileError::whole(
            "the profile has no [filesystem] section; expected at least one, with its `location`",
        ));
    }
    match (global.entry("time"), threadgroups.is_empty()) {
        (None, true) => Ok(0),
        (None, false) => Err(ProfileError::whole(
            "`time` is missing; expected for how many seconds the thread groups run, as `time = 60` \
             at the top (`time = 0` only builds the files)",
        )),
        (Some(time), true) if time.number() > 0 => Err(time.line.error(
            "there is time, but no [threadgroup] section to run in it; expected at least one \
             (`time = 0` only builds the files)",
        )),
        (Some(time), _) => Ok(time.number()),
    }
}

//! The plugin's arguments: what QEMU hands over from `-plugin PATH,key=value,...`.
//!
//! Text in, values out; nothing here asks the system whether a descriptor is open.

use std::fmt;

use crate::probe::Probe;
use crate::sample::Sample;

/// The largest `shift` QEMU itself accepts for `-icount`.
const MAX_SHIFT: u8 = 10;

/// What the command line asks of the plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Arguments {
    /// Inherited file descriptor that takes the frames.
    pub(crate) fd: i32,
    /// Count instructions by translation block.
    pub(crate) profile: bool,
    /// Stop the machine at the marker "ready".
    pub(crate) stop: bool,
    /// An instruction costs 2^shift ns of guest time, when the caller says so.
    pub(crate) shift: Option<u8>,
    /// Where to look at the guest, and what at.
    pub(crate) probes: Vec<Probe>,
    /// Look at whatever runs, every so many instructions.
    pub(crate) sample: Option<Sample>,
}

/// Why the arguments cannot be used; names the argument and what it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ArgumentError {
    /// The key is none of ours.
    Unknown(String),
    /// The key is ours, the value is not.
    Value { argument: String, wanted: &'static str },
    /// `fd` is missing.
    NoDescriptor,
}

impl fmt::Display for ArgumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(argument) => {
                write!(
                    f,
                    "unknown argument `{argument}`: known are fd, profile, stop, shift, probe, sample"
                )
            }
            Self::Value { argument, wanted } => {
                write!(f, "bad argument `{argument}`: the value must be {wanted}")
            }
            Self::NoDescriptor => {
                write!(f, "argument `fd` is missing: give an open file descriptor, fd=N")
            }
        }
    }
}

impl Arguments {
    /// Parses `key=value` strings; a key given twice counts as given last,
    /// but for `probe`, of which there may be many.
    pub(crate) fn parse<'a>(
        arguments: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, ArgumentError> {
        let mut fd = None;
        let mut parsed = Self {
            fd: -1,
            profile: false,
            stop: false,
            shift: None,
            probes: Vec::new(),
            sample: None,
        };
        for argument in arguments {
            let (key, value) = argument.split_once('=').unwrap_or((argument, ""));
            match key {
                "fd" => fd = Some(descriptor(argument, value)?),
                "profile" => parsed.profile = switch(argument, value)?,
                "stop" => parsed.stop = switch(argument, value)?,
                "shift" => parsed.shift = Some(shift(argument, value)?),
                "sample" => parsed.sample = Some(sample(argument, value)?),
                "probe" => parsed.probes.push(probe(argument, value)?),
                _ => return Err(ArgumentError::Unknown(argument.to_owned())),
            }
        }
        parsed.fd = fd.ok_or(ArgumentError::NoDescriptor)?;
        Ok(parsed)
    }
}

fn bad(argument: &str, wanted: &'static str) -> ArgumentError {
    ArgumentError::Value { argument: argument.to_owned(), wanted }
}

fn descriptor(argument: &str, value: &str) -> Result<i32, ArgumentError> {
    // i32 would take "-1" and "+3" as well.
    let number = value.parse::<u32>().ok().filter(|_| !value.starts_with('+'));
    number
        .and_then(|number| i32::try_from(number).ok())
        .ok_or_else(|| bad(argument, "the number of an open file descriptor"))
}

/// `on` or `off`. QEMU itself hands a bare `key` over as `key=on`.
fn switch(argument: &str, value: &str) -> Result<bool, ArgumentError> {
    match value {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(bad(argument, "on or off")),
    }
}

fn shift(argument: &str, value: &str) -> Result<u8, ArgumentError> {
    let number = value.parse::<u8>().ok().filter(|number| *number <= MAX_SHIFT);
    number.ok_or_else(|| bad(argument, "a number from 0 to 10, as in -icount shift=N"))
}

fn probe(argument: &str, value: &str) -> Result<Probe, ArgumentError> {
    Probe::parse(value).map_err(|wanted| bad(argument, wanted))
}

fn sample(argument: &str, value: &str) -> Result<Sample, ArgumentError> {
    Sample::parse(value).map_err(|wanted| bad(argument, wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(fd: i32, profile: bool, stop: bool, shift: Option<u8>) -> Arguments {
        Arguments { fd, profile, stop, shift, probes: Vec::new(), sample: None }
    }

    #[test]
    fn every_argument_is_understood() {
        let table: [(&[&str], Arguments); 3] = [
            (&["fd=3"], arguments(3, false, false, None)),
            (&["profile=on", "stop=on", "shift=1", "fd=9"], arguments(9, true, true, Some(1))),
            (
                &["fd=3", "profile=on", "profile=off", "shift=0"],
                arguments(3, false, false, Some(0)),
            ),
        ];
        for (given, wanted) in table {
            assert_eq!(Arguments::parse(given.iter().copied()), Ok(wanted), "{given:?}");
        }
    }

    #[test]
    fn any_number_of_probes_is_kept_in_order() {
        let given = ["probe=2@ffffffff81000010/di:8", "fd=3", "probe=1@ffffffff81000000~5"];
        let parsed = Arguments::parse(given).expect("these are arguments");
        let wanted = ["2@ffffffff81000010/di:8", "1@ffffffff81000000~5"];
        assert_eq!(parsed.probes, wanted.map(|text| Probe::parse(text).expect(text)));
    }

    #[test]
    fn the_last_sample_counts() {
        let given = ["sample=1000", "fd=3", "sample=50021/sp:4096^16384"];
        let parsed = Arguments::parse(given).expect("these are arguments");
        let wanted = Sample::parse("50021/sp:4096^16384").expect("a sample");
        assert_eq!(parsed.sample, Some(wanted));
    }

    #[test]
    fn a_refusal_names_the_argument() {
        let table: [(&[&str], &str); 13] = [
            (&[], "argument `fd` is missing: give an open file descriptor, fd=N"),
            (&["stop=on"], "argument `fd` is missing: give an open file descriptor, fd=N"),
            (
                &["fd=-1"],
                "bad argument `fd=-1`: the value must be the number of an open file descriptor",
            ),
            (
                &["fd=+3"],
                "bad argument `fd=+3`: the value must be the number of an open file descriptor",
            ),
            (&["fd"], "bad argument `fd`: the value must be the number of an open file descriptor"),
            (
                &["fd=4294967295"],
                "bad argument `fd=4294967295`: the value must be the number of an open file descriptor",
            ),
            (&["fd=3", "profile=yes"], "bad argument `profile=yes`: the value must be on or off"),
            (&["fd=3", "stop="], "bad argument `stop=`: the value must be on or off"),
            (
                &["fd=3", "shift=11"],
                "bad argument `shift=11`: the value must be a number from 0 to 10, as in -icount shift=N",
            ),
            (
                &["fd=3", "probe=1@401000"],
                "bad argument `probe=1@401000`: the value must be ID@ADDRESS[~NS][/PIECE]... \
                 with a kernel ADDRESS in hexadecimal",
            ),
            (
                &["fd=3", "probe=1@ffffffff81000000/ax:8"],
                "bad argument `probe=1@ffffffff81000000/ax:8`: the value must be pieces that begin \
                 with di, si, dx, sp, bp or =ADDRESS in hexadecimal",
            ),
            (
                &["fd=3", "sample=999"],
                "bad argument `sample=999`: the value must be N[/PIECE]... \
                 with N from 1000 to 1099511627776 instructions",
            ),
            (
                &["fd=3", "hlt=off"],
                "unknown argument `hlt=off`: known are fd, profile, stop, shift, probe, sample",
            ),
        ];
        for (given, wanted) in table {
            let error = Arguments::parse(given.iter().copied()).expect_err(wanted);
            assert_eq!(error.to_string(), wanted, "{given:?}");
        }
    }
}

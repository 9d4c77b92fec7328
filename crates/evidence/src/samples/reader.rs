//! Reads the container record by record.

use super::{FORMAT, Moment, TITLE};
use crate::Parsed;

pub(super) fn read(bytes: &[u8]) -> Parsed<Vec<Moment<'_>>> {
    let mut parsed = Parsed::default();
    let mut rest = Rest { bytes };
    let mut outcome = title(&mut rest);
    let mut record_at = 0;
    while outcome.is_ok() && !rest.bytes.is_empty() {
        record_at = bytes.len() - rest.bytes.len();
        outcome = record(&mut rest, &mut parsed.value);
    }
    if let Err(why) = outcome {
        parsed.notes.push(format!("byte {record_at}: {why}; nothing is read from there on"));
    }
    parsed
}

/// What has not been read yet.
struct Rest<'a> {
    bytes: &'a [u8],
}

impl<'a> Rest<'a> {
    fn line(&mut self) -> Result<&'a str, String> {
        let end = self.bytes.iter().position(|&byte| byte == b'\n');
        let (line, rest) = end.and_then(|end| self.bytes.split_at_checked(end)).ok_or(CUT)?;
        self.bytes = rest.get(1..).unwrap_or_default();
        str::from_utf8(line).map_err(|_| "it begins with no text".to_owned())
    }

    /// A text, and the line break after it.
    fn text(&mut self, path: &str, length: usize) -> Result<&'a [u8], String> {
        let have = self.bytes.len();
        let parts = self.bytes.split_at_checked(length);
        let (text, rest) = parts.ok_or_else(|| {
            format!("the text of {path} is cut short, {have} of {length} bytes are there")
        })?;
        let (end, rest) = rest.split_first().ok_or(CUT)?;
        if *end != b'\n' {
            return Err(format!("the text of {path} is longer than its {length} bytes"));
        }
        self.bytes = rest;
        Ok(text)
    }
}

const CUT: &str = "it is cut short";

fn title(rest: &mut Rest<'_>) -> Result<(), String> {
    match rest.line()?.strip_prefix(TITLE) {
        Some(FORMAT) => Ok(()),
        Some(other) => Err(format!("these samples are of format `{other}`, {FORMAT} is read here")),
        None => Err("these are no samples of slowpath".to_owned()),
    }
}

fn record<'a>(rest: &mut Rest<'a>, moments: &mut Vec<Moment<'a>>) -> Result<(), String> {
    let line = rest.line()?;
    let unknown = || format!("`{line}` begins no record");
    let (kind, said) = line.split_once(' ').ok_or_else(unknown)?;
    if kind == "@" {
        moments.push(moment(said).ok_or_else(|| format!("`{said}` is no moment"))?);
        return Ok(());
    }
    let moment = moments.last_mut();
    let moment = moment.ok_or("a record stands before the first moment")?;
    match kind {
        ":" => {
            let (path, length) = file(said).ok_or_else(|| format!("`{said}` is no file"))?;
            let text = rest.text(path, length)?;
            moment.files.push((path, String::from_utf8_lossy(text)));
        }
        "!" => {
            let unread = said.split_once(' ');
            moment.unread.push(unread.ok_or_else(|| format!("`{said}` gives no reason"))?);
        }
        _ => return Err(unknown()),
    }
    Ok(())
}

fn moment(said: &str) -> Option<Moment<'_>> {
    let (at_ns, phase) = said.split_once(' ')?;
    let phase = if phase == "-" { None } else { Some(phase.parse().ok()?) };
    Some(Moment { at_ns: at_ns.parse().ok()?, phase, files: Vec::new(), unread: Vec::new() })
}

fn file(said: &str) -> Option<(&str, usize)> {
    let (path, length) = said.rsplit_once(' ')?;
    Some((path, length.parse().ok()?))
}

//! The environment as a text file; `docs/snapshot.md` tells of its form.

use std::io::{self, Write};

use super::Environment;

/// The first line of such a file: what it is and the number of its form.
pub const FIRST_LINE: &str = "slowpath snapshot 1";

impl Environment {
    /// Writes the file: [`FIRST_LINE`], the summary, the sections.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{FIRST_LINE}")?;
        for (key, value) in &self.summary {
            writeln!(out, "{}: {}", one_line(key), one_line(value))?;
        }
        for section in &self.sections {
            writeln!(out, "\n== {} ({})", one_line(&section.title), one_line(&section.source))?;
            match &section.text {
                Ok(text) => write_text(out, text)?,
                Err(why) => writeln!(out, "not available: {}", one_line(why))?,
            }
        }
        Ok(())
    }
}

fn write_text(out: &mut impl Write, text: &str) -> io::Result<()> {
    for line in text.trim_matches('\n').lines() {
        let marked = ["== ", "not available: ", "\\"].iter().any(|mark| line.starts_with(mark));
        writeln!(out, "{}{}", if marked { "\\" } else { "" }, shown(line))?;
    }
    Ok(())
}

/// Control characters as `U+FFFD`, but tabs as they are.
fn shown(line: &str) -> String {
    line.replace(|c: char| c.is_control() && c != '\t', "\u{fffd}")
}

fn one_line(text: &str) -> String {
    shown(text).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::written;
    use super::super::{Environment, Section};

    fn one(text: Result<&str, &str>) -> Environment {
        let section = Section {
            title: "mount of /a (b)".to_owned(),
            source: "/proc/self/mountinfo".to_owned(),
            text: text.map(str::to_owned).map_err(str::to_owned),
        };
        let summary = vec![("host".to_owned(), "one\ntwo".to_owned())];
        Environment { summary, sections: vec![section] }
    }

    #[test]
    fn the_file_is_regular() {
        let mut file = Vec::new();
        one(Ok("\na\tb\x1b[1m\n\n== x\nnot available: y\n\\z\n\n")).write(&mut file).unwrap();
        let expected = "slowpath snapshot 1\nhost: one\u{fffd}two\n\n\
                        == mount of /a (b) (/proc/self/mountinfo)\n\
                        a\tb\u{fffd}[1m\n\n\\== x\n\\not available: y\n\\\\z\n";
        assert_eq!(String::from_utf8(file).unwrap(), expected);
        let read = written(&one(Err("a\nreason")));
        assert_eq!(read["mount of /a (b)"], "not available: a\u{fffd}reason\n");
    }

    proptest! {
        #[test]
        fn any_text_is_read_back(text in "[a =\\\\\nnot vilbe:(]*[a-z]") {
            let read = written(&one(Ok(&text)));
            let kept = text.trim_matches('\n');
            prop_assert_eq!(read["mount of /a (b)"].trim_end_matches('\n'), kept);
        }
    }
}

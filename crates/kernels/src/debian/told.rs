//! Tells how far a download is.

use super::apt_output::{percent, size};

/// Every how many percent of a download progress is told.
const STEP: u8 = 10;

/// Tells how far a download is, in steps.
pub(crate) struct Told<'a> {
    what: String,
    next: u8,
    last: String,
    progress: &'a dyn Fn(&str),
}

impl<'a> Told<'a> {
    /// Tells that it begins.
    pub(crate) fn new(what: &str, progress: &'a dyn Fn(&str)) -> Told<'a> {
        progress(&format!("fetching {what}"));
        Told { what: what.to_owned(), next: STEP, last: String::new(), progress }
    }

    /// Takes a line that the client printed, and says whether it shows that things move on. The
    /// client repeats its status twice a second, moving or not.
    pub(crate) fn line(&mut self, line: &str) -> bool {
        if let Some(percent) = percent(line).filter(|percent| *percent >= self.next) {
            self.next = percent - percent % STEP + STEP;
            (self.progress)(&format!("fetching {}: {percent} %", self.what));
        }
        let status = line.starts_with("dlstatus:") && line != self.last;
        if status {
            self.last = line.to_owned();
        }
        status || line.starts_with("Get:") || line.starts_with("Hit:")
    }

    /// As [`Told::line`] for a download of one file, whose size is told.
    pub(crate) fn line_on_one_file(&mut self, line: &str) -> bool {
        if let Some(size) = size(line) {
            self.what = format!("{} ({size})", self.what);
            (self.progress)(&format!("fetching {}", self.what));
        }
        self.line(line)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn the_size_comes_once_and_progress_in_steps() {
        let heard = RefCell::new(Vec::new());
        let progress = |words: &str| heard.borrow_mut().push(words.to_owned());
        let mut told = Told::new("linux-image-6.1.0-9-amd64", &progress);
        told.line_on_one_file(
            "Get:1 http://a.example/debian bookworm/main amd64 x amd64 1 [70.6 MB]",
        );
        for percent in ["0.1", "9.9", "25.0", "29.9", "30.0", "100.0", "100.0"] {
            told.line_on_one_file(&format!("dlstatus:1:{percent}:Retrieving file 1 of 1"));
        }
        let heard = heard.borrow();
        let ends: Vec<&str> =
            heard.iter().filter_map(|words| words.split("amd64").nth(1)).collect();
        let steps = ["25", "30", "100"].map(|percent| format!(" (70.6 MB): {percent} %"));
        assert_eq!(ends[..2], ["", " (70.6 MB)"]);
        assert_eq!(ends[2..], steps);
    }

    #[test]
    fn what_is_only_repeated_does_not_move() {
        let mut told = Told::new("lists", &|_| ());
        let table = [
            ("dlstatus:1:0.0000:Retrieving file 1 of 8", true),
            ("dlstatus:1:0.0000:Retrieving file 1 of 8", false),
            ("Ign:1 http://a.example/debian bookworm InRelease", false),
            ("dlstatus:1:0.0000:Retrieving file 1 of 8", false),
            ("Get:1 http://a.example/debian bookworm InRelease [151 kB]", true),
            ("dlstatus:1:0.1000:Retrieving file 1 of 8", true),
            ("Err:2 http://a.example/debian trixie InRelease", false),
        ];
        for (line, moves) in table {
            assert_eq!(told.line(line), moves, "{line}");
        }
    }
}

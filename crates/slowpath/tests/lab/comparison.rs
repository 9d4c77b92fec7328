//! Comparisons: their command lines, and what `--json -` says of them.

use std::path::Path;

use serde_json::Value;

use super::Ran;

/// What keeps a trial of the disks short, and its machine small. All comparisons use one size of
/// memory, so that the seeds' machines are booted once for all of them.
pub(crate) const SMALL: [&str; 3] = ["mem=512M", "size=8M", "disk.size=8M"];

/// Arguments that compare variants of a case.
pub(crate) fn compare(case: &str, vary: &str, settings: &[&str], more: &[&str]) -> Vec<String> {
    let settings = settings.iter().flat_map(|setting| ["--set", setting]);
    let words = ["compare", case, "--vary", vary].into_iter().chain(settings);
    words.chain(more.iter().copied()).map(str::to_owned).collect()
}

/// The setting that names a kernel.
pub(crate) fn kernel_setting(kernel: &Path) -> String {
    format!("kernel={}", kernel.display())
}

/// The place that a directory is.
pub(crate) fn place(directory: &Path) -> String {
    format!("dir:{}", directory.display())
}

/// A comparison's JSON document.
pub(crate) struct Compared(pub(crate) Value);

impl Compared {
    #[track_caller]
    pub(crate) fn of(ran: &Ran) -> Self {
        let document = ran.json();
        assert_eq!(document["format"], 1);
        Compared(document)
    }

    pub(crate) fn id(&self) -> &str {
        self.0["comparison"]["id"].as_str().expect("an ID")
    }

    /// The entry by which a variant is judged.
    #[track_caller]
    pub(crate) fn headline(&self, variant: &str) -> &Value {
        let rows = self.0["verdicts"].as_array().expect("verdicts");
        let mut headlines =
            rows.iter().filter(|row| row["variant"] == variant && row["headline"] == true);
        let headline = headlines.next().unwrap_or_else(|| panic!("none of {variant}: {rows:#?}"));
        assert!(headlines.next().is_none(), "one headline: {rows:#?}");
        headline
    }

    /// The word that is said of a variant.
    #[track_caller]
    pub(crate) fn verdict(&self, variant: &str) -> &str {
        self.headline(variant)["verdict"].as_str().expect("a word")
    }

    /// Each variant's trials, by seed: the seed and the trial's ID.
    pub(crate) fn trials(&self) -> Vec<Vec<(u64, String)>> {
        let sides = self.0["comparison"]["sides"].as_array().expect("sides");
        sides.iter().map(|side| samples(&side["series"][0])).collect()
    }

    /// All notes as one text.
    pub(crate) fn notes(&self) -> String {
        self.0["comparison"]["notes"].to_string()
    }
}

fn samples(series: &Value) -> Vec<(u64, String)> {
    let values = series["values"].as_array().map(Vec::as_slice).unwrap_or_default();
    let sample = |value: &Value| {
        let id = value["trial"].as_str().expect("a trial");
        (value["seed"].as_u64().expect("a seed"), id.to_owned())
    };
    values.iter().map(sample).collect()
}

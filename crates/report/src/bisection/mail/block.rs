//! What the sender should know, in a block that is to be deleted.

use model::bisection::Step;
use model::{Bisection, ChangeKind};

use super::letter::{COLUMNS, Letter};

const TITLE: &str = "--- delete this block before sending ";

/// Writes whom the tree names for the culprits, and what is left to the sender.
pub(super) fn write(
    letter: &mut Letter,
    bisection: &Bisection,
    steps: &[Step],
    recipe_file: Option<&str>,
) {
    letter.header(&format!("{TITLE:-<COLUMNS$}"));
    letter.paragraph("To: and Cc: are left to you.");
    let mut told: Vec<&str> = Vec::new();
    for commit in steps.iter().filter_map(|step| step.commit.as_ref()) {
        let new: Vec<&str> = commit
            .maintainers
            .iter()
            .map(String::as_str)
            .filter(|line| !told.contains(line))
            .collect();
        if !new.is_empty() {
            let short = commit.id.get(..12).unwrap_or(&commit.id);
            letter.paragraph(&format!(
                "For {short} the tree's own scripts/get_maintainer.pl suggests:"
            ));
        }
        for line in new {
            letter.item("    ", line);
            told.push(line);
        }
    }
    if let Some(file) = recipe_file {
        let id = &bisection.id;
        letter.paragraph("The recipe that this mail names comes from");
        letter.header(&format!("    slowpath show {id} --recipe > {file}"));
    }
    if bisection.hunt.kind == ChangeKind::Commit {
        letter.paragraph(
            "The #regzbot line at the end is for commits of mainline and stable kernels, and is read where \
             regressions@lists.linux.dev is in Cc. Delete it for others.",
        );
        if steps.len() > 1 {
            letter.paragraph(
                "It names the largest step; a regression is followed in a mail of its own.",
            );
        }
    }
    letter.header(&"-".repeat(COLUMNS));
}

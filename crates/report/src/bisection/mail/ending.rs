//! How the figures are had again, and the line for the robot.

use model::bisection::Step;
use model::{Bisection, ChangeKind};

use super::letter::Letter;
use super::{MailFacts, subject};
use crate::bisection::again::{self, Names};

/// Writes the commands that make the proofs again, or the search where there is none.
pub(super) fn reproduce(
    letter: &mut Letter,
    bisection: &Bisection,
    steps: &[Step],
    facts: &MailFacts<'_>,
) {
    let hunt = &bisection.hunt;
    let one = |step: &Step| {
        again::compare(hunt, facts.spec, (step.parent, step.culprit()?), Names::Public)
    };
    let mut commands: Vec<Vec<String>> = steps.iter().filter_map(one).collect();
    if commands.is_empty() {
        commands.push(again::bisect(hunt, facts.spec, Names::Public));
    }
    letter.blank();
    letter.paragraph("To reproduce:");
    for command in &commands {
        letter.blank();
        letter.command(command);
    }
    if let Some(file) = &facts.recipe_file {
        letter.blank();
        letter.paragraph(&format!(
            "Or take {file}, which goes with this mail: `slowpath run {file}` runs a trial of it and says \
             whether every nanosecond came out again, or what differs."
        ));
    }
}

/// A line for the robot that follows regressions, where commits are known. It follows one in a mail: that of
/// the largest step.
pub(super) fn regzbot(letter: &mut Letter, bisection: &Bisection, steps: &[Step]) {
    let hunt = &bisection.hunt;
    let (ChangeKind::Commit, Some(step)) = (hunt.kind, subject::main_step(steps)) else { return };
    let introduced = match (step.culprit(), step.among.last()) {
        (Some(culprit), _) => hunt.change(Some(culprit)).name.clone(),
        (None, Some(last)) => {
            let (older, newer) = (hunt.change(step.parent), hunt.change(Some(*last)));
            format!("{}..{}", older.short(hunt.kind), newer.short(hunt.kind))
        }
        (None, None) => return,
    };
    letter.blank();
    letter.header(&format!("#regzbot introduced: {introduced}"));
}

//! The environment of a measurement, without asking anybody: what the kernel, the disks below a
//! directory, its filesystem and the installed programs tell of themselves.
//!
//! [`collect`] reads `/proc`, `/sys` and a few files of `/etc`, `/boot` and `/lib/modules`. It writes
//! nothing, needs no root (with root it sees more) and keeps the text as the kernel gives it. It
//! reads no serial numbers, no arguments and no environment of processes, and no file of a user.
//! What it writes is told in `docs/snapshot.md`.

mod attributes;
mod cgroup;
mod cpu;
mod disks;
mod filesystem;
mod interrupts;
mod kernel;
mod layers;
mod machine;
mod memory;
mod mount;
mod patience;
mod plan;
mod processes;
mod programs;
mod summary;
#[cfg(test)]
mod testing;
mod text;
mod tree;

use std::path::Path;

use mount::Place;
use plan::Plan;
pub use text::FIRST_LINE;
use tree::Tree;

/// What a machine tells of itself at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    /// The most important facts as keys and values, in the order to show; what is not known has no
    /// key. `docs/snapshot.md` lists them.
    pub summary: Vec<(String, String)>,
    /// The texts that they come from, and more.
    pub sections: Vec<Section>,
}

/// One text of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// What it is, such as `meminfo` or `disk sda`; no two sections have the same.
    pub title: String,
    /// The file, files or programs that it comes from.
    pub source: String,
    /// The text, never empty; or why there is none.
    pub text: Result<String, String>,
}

/// Whether programs may be started to ask for their versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Programs {
    /// Those that are listed in `docs/snapshot.md`, each for at most two seconds.
    Ask,
    /// None is started.
    Leave,
}

/// Reads the machine whose files lie below `root`: `/`, or a copy of such a tree.
///
/// `about` is a directory (in a copy: by its path there) whose filesystem and disks are of
/// interest; without it that is `/`. Nothing that hangs holds this up: a section that takes longer
/// than five seconds says so instead. Programs are only asked where `root` is `/`.
#[must_use]
pub fn collect(root: &Path, about: Option<&Path>, programs: Programs) -> Environment {
    let tree = Tree::new(root);
    let place = place(&tree, about);
    let plans = plans(&tree, &place, programs);
    let summary = {
        let (tree, place) = (tree.clone(), place.clone());
        patience::within(patience::SHORT, move || summary::of(&tree, place.as_ref().ok()))
    };
    Environment {
        summary: summary.unwrap_or_default(),
        sections: plans.into_iter().map(Plan::carry_out).collect(),
    }
}

/// Where `about` lies; a path below a dead server may not answer.
fn place(tree: &Tree, about: Option<&Path>) -> Result<Place, String> {
    let (tree, about) = (tree.clone(), about.unwrap_or(Path::new("/")).to_owned());
    patience::within(patience::SHORT, move || Place::find(&tree, &about))?
}

fn plans(tree: &Tree, place: &Result<Place, String>, programs: Programs) -> Vec<Plan> {
    let mut plans = kernel::plans(tree);
    plans.extend(machine::plans(tree));
    plans.extend(cpu::plans(tree));
    plans.extend(memory::plans(tree));
    plans.extend(cgroup::plans(tree));
    plans.extend(interrupts::plans(tree));
    plans.extend(filesystem::plans(tree, place));
    plans.extend(disks::plans(tree));
    plans.extend(processes::plans(tree));
    plans.push(programs::plan(tree, programs));
    plans
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::testing::{Machine, written};
    use super::*;

    #[test]
    fn the_running_machine_tells_or_says_why_not() {
        let environment = collect(Path::new("/"), Some(Path::new(".")), Programs::Ask);
        let mut titles = BTreeSet::new();
        for section in &environment.sections {
            let (Ok(said) | Err(said)) = &section.text;
            assert!(!said.trim().is_empty(), "{}", section.title);
            assert!(titles.insert(&section.title), "{} twice", section.title);
            assert!(!section.source.is_empty() && !section.source.contains(" ("));
        }
        let text = |title: &str| {
            let mut sections = environment.sections.iter();
            sections.find(|section| section.title == title).unwrap().text.clone().unwrap()
        };
        assert!(text("meminfo").contains("MemTotal:"));
        assert!(text("processes").contains(&format!("\n{} ", std::process::id())));
        assert!(environment.summary.iter().any(|(key, _)| key == "kernel"));
        let read_back = written(&environment);
        assert_eq!(read_back.len(), environment.sections.len());
    }

    #[test]
    fn an_empty_tree_has_a_reason_for_everything() {
        let machine = Machine::new();
        let environment = collect(machine.root(), None, Programs::Ask);
        for section in &environment.sections {
            assert!(section.text.is_err(), "{section:?}");
        }
        let known: Vec<_> = environment.summary.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(known, ["unix time", "root"]);
    }

    #[test]
    fn a_file_that_cannot_be_read_costs_only_its_section() {
        let machine = Machine::new();
        machine.write("/proc/meminfo", "MemTotal: 4 kB\n");
        // No one can read a folder as a file, not even root.
        machine.write("/proc/pagetypeinfo/in", "");
        machine.write("/proc/vmstat", "");
        let environment = collect(machine.root(), None, Programs::Leave);
        let sections = written(&environment);
        assert_eq!(sections["meminfo"], "MemTotal: 4 kB\n");
        assert_eq!(sections["pagetypeinfo"], "not available: Is a directory (os error 21)\n");
        assert_eq!(sections["vmstat"], "not available: it is empty\n");
        assert_eq!(sections["buddyinfo"], "not available: there is no such file\n");
    }
}

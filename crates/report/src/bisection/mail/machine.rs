//! On what it was run, and what that machine is not.

use model::place::is_exact;
use model::{Bisection, ChangeKind, Fingerprint};

use super::MailFacts;
use super::letter::Letter;
use crate::machine::disks;

/// Items of the fingerprint that make up the exact lab's machine, with what they are called.
const EXACT: [(&str, &str); 5] =
    [("qemu", "QEMU"), ("machine", "machine"), ("cpu", "CPU"), ("cpus", "CPUs"), ("mem", "memory")];

/// The same of a directory.
const DIRECTORY: [(&str, &str); 3] =
    [("dir.filesystem", "filesystem"), ("dir.mount_options", "mounted"), ("dir.disk", "disk")];

/// Writes the machine's model.
pub(super) fn write(letter: &mut Letter, bisection: &Bisection, facts: &MailFacts<'_>) {
    letter.blank();
    let hunt = &bisection.hunt;
    if !is_exact(&hunt.place) {
        let text = "Where it was run: in a directory of a real machine, whose times depend on all that it \
                    does besides.";
        letter.paragraph(text);
        items(letter, facts.fingerprint, &DIRECTORY);
        return kernel(letter, bisection);
    }
    letter.paragraph(&format!(
        "Where it was run: in slowpath's exact lab, an emulated machine whose clock counts instructions, \
         {} ns each. The same trial gives the same nanoseconds on any host with the same QEMU. This clock knows \
         no caches and no memory latency: what a list walk costs in instructions is seen, what it costs in \
         cache misses is not. User and system time are the kernel's account, by ticks.",
        hunt.settings.insn_ns
    ));
    items(letter, facts.fingerprint, &EXACT);
    letter.item("  disks       ", &format!("simulated in the guest: {}", disks(&hunt.settings)));
    kernel(letter, bisection);
}

fn items(letter: &mut Letter, fingerprint: Option<&Fingerprint>, named: &[(&str, &str)]) {
    let Some(fingerprint) = fingerprint else { return };
    for (item, called) in named {
        if let Some(value) = fingerprint.get(item).filter(|value| !value.is_empty()) {
            letter.item(&format!("  {called:<10}  "), value);
        }
    }
}

/// The kernel's release where all ran on the same.
fn kernel(letter: &mut Letter, bisection: &Bisection) {
    let mut releases = bisection.ends.sides.iter().map(|side| side.kernel.as_deref());
    let first = releases.next().flatten();
    if let Some(release) = first.filter(|_| bisection.hunt.kind == ChangeKind::Setting)
        && releases.all(|other| other == first)
    {
        letter.item("  kernel      ", release);
    }
}

//! Where the plugin looks, and what it copies there.

use kernels::{Layout, LayoutError, Symbols};

use super::samples;

/// The probes by their numbers.
pub(super) mod id {
    /// A task leaves its CPU to another: `__switch_to_asm(prev, next)`, arch/x86/entry/entry_64.S.
    pub(crate) const SWITCH: u8 = 1;
    /// A task is to be woken if it is in one of these states: `try_to_wake_up(p, state, …)`,
    /// kernel/sched/core.c.
    pub(crate) const WAKE: u8 = 2;
    /// The disk's driver is asked to take a request, again while it has no bandwidth left:
    /// `null_queue_rq(hctx, bd)`, drivers/block/null_blk/main.c.
    pub(crate) const ASK: u8 = 3;
    /// A driver took a request: `blk_mq_start_request(rq)`, block/blk-mq.c; where the other is not
    /// found.
    pub(crate) const START: u8 = 6;
    /// Bytes of a request are done: `blk_update_request(rq, error, nr_bytes)`.
    pub(crate) const DONE: u8 = 4;
    /// The kernel's counts of memory, at a task switch.
    pub(crate) const MEMORY: u8 = 5;
}

/// How much of a kernel stack is copied, bytes. Deeper call paths end there.
const STACK: &str = "sp+0:4096^16384";

/// How often memory is looked at, at most, ns of guest time.
const MEMORY_EVERY: u64 = 2_000_000;

/// Bytes of a task's name (`TASK_COMM_LEN`) and of a disk's (`DISK_NAME_LEN`).
const COMM: u32 = 16;
const DISK_NAME: u32 = 32;

/// What a set of probes asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Probes {
    /// The plugin's arguments.
    pub(crate) arguments: Vec<String>,
    /// Which of the kernel's counts are where among those that the memory probe copies.
    pub(super) counts: Counts,
    /// What cannot be seen, and why.
    pub(crate) notes: Vec<String>,
}

/// Indices of the kernel's counts of pages; `None` where the kernel has no such count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) free: Option<usize>,
    pub(super) cache: Option<usize>,
    pub(super) dirty: Option<usize>,
    pub(super) writeback: Option<usize>,
}

/// A pointer's target in a piece: where it lies in its struct.
struct Member<'a> {
    layout: &'a Layout,
    of: &'static str,
}

impl Member<'_> {
    /// `di+1a8:4` for a member at 0x1a8 of what `base` points to.
    fn piece(&self, base: &str, names: &[&str], length: u32) -> Option<String> {
        let member = names.iter().find_map(|name| self.layout.offset(self.of, name))?;
        Some(format!("{base}+{:x}:{length}", member.offset))
    }
}

impl Probes {
    /// All that can be seen of this kernel: samples, and probes as far as its structs are known.
    pub(crate) fn all(symbols: &Symbols<'_>, layout: Result<&Layout, &LayoutError>) -> Self {
        let mut probes = match layout {
            Ok(layout) => Probes::new(symbols, layout),
            Err(error) => {
                let lacking = format!(
                    "task switches, wake-ups, disk requests and memory were not seen from outside: {error}"
                );
                Probes { notes: vec![lacking], ..Probes::default() }
            }
        };
        probes.arguments.push(format!("sample={}/{STACK}", samples::EVERY));
        probes
    }

    /// The probes for which this kernel has what they need.
    fn new(symbols: &Symbols<'_>, layout: &Layout) -> Self {
        let mut probes = Probes::default();
        probes.add(
            id::SWITCH,
            "",
            symbols.address_of("__switch_to_asm"),
            switch(layout),
            "switches",
        );
        probes.add(id::WAKE, "", symbols.address_of("try_to_wake_up"), wake(layout), "wake-ups");
        let requests = "disk requests";
        let ask = symbols.address_of("null_queue_rq").zip(asked(layout));
        match ask {
            Some((ask, pieces)) => probes.add(id::ASK, "", Some(ask), Some(pieces), requests),
            None => {
                let start = symbols.address_of("blk_mq_start_request");
                probes.add(id::START, "", start, request(layout, "di"), requests);
            }
        }
        let done = symbols.address_of("blk_update_request");
        probes.add(id::DONE, "", done, request(layout, "di").map(|_| Vec::new()), requests);
        let every = format!("~{MEMORY_EVERY}");
        let at = symbols.address_of("__switch_to_asm");
        probes.add(id::MEMORY, &every, at, memory(symbols, layout), "memory");
        probes.counts = counts(layout);
        probes
    }

    fn add(
        &mut self,
        id: u8,
        every: &str,
        address: Option<u64>,
        pieces: Option<Vec<String>>,
        what: &str,
    ) {
        match (address, pieces) {
            (Some(address), Some(pieces)) => {
                let pieces: String = pieces.iter().map(|piece| format!("/{piece}")).collect();
                self.arguments.push(format!("probe={id}@{address:x}{every}{pieces}"));
            }
            (address, _) => {
                let lacks = if address.is_none() { "function" } else { "struct" };
                let note = format!(
                    "{what} were not seen from outside: this kernel has no {lacks} of the name that is \
                     known"
                );
                if !self.notes.contains(&note) {
                    self.notes.push(note);
                }
            }
        }
    }
}

/// A task's number, process, flags and name.
fn task(layout: &Layout, base: &str) -> Option<Vec<String>> {
    let task = Member { layout, of: "task_struct" };
    Some(vec![
        task.piece(base, &["pid"], 4)?,
        task.piece(base, &["tgid"], 4)?,
        task.piece(base, &["flags"], 4)?,
        task.piece(base, &["comm"], COMM)?,
    ])
}

fn switch(layout: &Layout) -> Option<Vec<String>> {
    let mut pieces = task(layout, "di")?;
    pieces.extend(task(layout, "si")?);
    pieces.push(task_state(layout)?);
    pieces.push(STACK.to_owned());
    Some(pieces)
}

fn task_state(layout: &Layout) -> Option<String> {
    // Before 5.14 it was called `state`, of 8 bytes.
    Member { layout, of: "task_struct" }.piece("di", &["__state", "state"], 4)
}

fn wake(layout: &Layout) -> Option<Vec<String>> {
    let mut pieces = task(layout, "di")?;
    pieces.push(task_state(layout)?);
    pieces.push(STACK.to_owned());
    Some(pieces)
}

/// The request's address, and what is told of it.
fn asked(layout: &Layout) -> Option<Vec<String>> {
    let bd = Member { layout, of: "blk_mq_queue_data" };
    let mut pieces = vec![bd.piece("si", &["rq"], 8)?];
    let rq = layout.offset("blk_mq_queue_data", "rq")?.offset;
    pieces.extend(request(layout, &format!("si+{rq:x}>"))?);
    Some(pieces)
}

/// What is told of the request to which `base` points.
fn request(layout: &Layout, base: &str) -> Option<Vec<String>> {
    let offset = |of: &str, name: &str| layout.offset(of, name).map(|member| member.offset);
    let name = offset("gendisk", "disk_name")?;
    let disk = match (offset("request", "rq_disk"), offset("request_queue", "disk")) {
        // Until 5.16 a request named its disk itself.
        (Some(disk), _) => format!("{base}+{disk:x}>+{name:x}:{DISK_NAME}"),
        (None, Some(disk)) => {
            format!("{base}+{:x}>+{disk:x}>+{name:x}:{DISK_NAME}", offset("request", "q")?)
        }
        (None, None) => return None,
    };
    let request = Member { layout, of: "request" };
    Some(vec![
        request.piece(base, &["cmd_flags"], 4)?,
        request.piece(base, &["__data_len"], 4)?,
        disk,
    ])
}

/// The kernel's sums over all zones and nodes: `vm_zone_stat`, `vm_node_stat`, mm/vmstat.c.
fn memory(symbols: &Symbols<'_>, layout: &Layout) -> Option<Vec<String>> {
    let array = |name: &str, of: &str, length: &str| {
        let address = symbols.data_address_of(name)?;
        let bytes = layout.enumerator(of, length)? * 8;
        Some(format!("={address:x}:{bytes}"))
    };
    Some(vec![
        array("vm_zone_stat", "zone_stat_item", "NR_VM_ZONE_STAT_ITEMS")?,
        array("vm_node_stat", "node_stat_item", "NR_VM_NODE_STAT_ITEMS")?,
    ])
}

fn counts(layout: &Layout) -> Counts {
    let index = |of: &str, name: &str| {
        layout.enumerator(of, name).and_then(|index| usize::try_from(index).ok())
    };
    Counts {
        free: index("zone_stat_item", "NR_FREE_PAGES"),
        cache: index("node_stat_item", "NR_FILE_PAGES"),
        dirty: index("node_stat_item", "NR_FILE_DIRTY"),
        writeback: index("node_stat_item", "NR_WRITEBACK"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_without_btf_is_sampled_all_the_same() {
        let probes = Probes::all(&Symbols::parse(""), Layout::of(b"no kernel").as_ref());
        assert_eq!(probes.arguments, ["sample=50021/sp+0:4096^16384"]);
        assert_eq!(probes.notes.len(), 1);
        let lacking = "task switches, wake-ups, disk requests and memory were not seen";
        assert!(probes.notes[0].starts_with(lacking), "{:?}", probes.notes);
    }
}

//! What QEMU calls: small functions that find the plugin and pass the call on.
//!
//! A panic here would abort QEMU and lose a run, so nothing in their reach may panic.

use std::ffi::{c_uint, c_void};

use crate::look::Standing;
use crate::marker::{self, KERNEL_START, Marker};
use crate::plugin::Plugin;
use crate::qemu::Handle;
use crate::qemu::symbol::{Missing, required};
use crate::qemu::translation::{Block, Registers};
use crate::sites::Sites;
use crate::user_blocks::Pending;

/// Bits of a callback's number that hold a count of instructions: a block has 512 at most.
const COUNT_BITS: u32 = 16;

/// Bits that hold the number of a phase.
const PHASE_BITS: u32 = 8;

/// The one byte of `hlt`.
const HLT: [u8; 1] = [0xf4];

/// Has QEMU call us for plugin `id`.
pub(crate) fn register(id: u64) -> Result<(), Missing> {
    type OnBlock = unsafe extern "C" fn(u64, extern "C" fn(u64, Handle));
    type OnCpu = unsafe extern "C" fn(u64, extern "C" fn(u64, c_uint));
    type OnExit = unsafe extern "C" fn(u64, extern "C" fn(u64, *mut c_void), *mut c_void);
    // SAFETY: the types are those of qemu-plugin.h, versions 1 to 4.
    let (block, cpu, exit) = unsafe {
        (
            required::<OnBlock>(c"qemu_plugin_register_vcpu_tb_trans_cb")?,
            required::<OnCpu>(c"qemu_plugin_register_vcpu_init_cb")?,
            required::<OnExit>(c"qemu_plugin_register_atexit_cb")?,
        )
    };
    // SAFETY: the identity is QEMU's own, and the functions stay as long as the plugin does.
    unsafe {
        block(id, translated);
        cpu(id, cpu_started);
        exit(id, exiting, std::ptr::null_mut());
    }
    Ok(())
}

extern "C" fn translated(_id: u64, block: Handle) {
    let Some(plugin) = Plugin::get() else { return };
    // SAFETY: this is the translation callback of that block.
    let block = unsafe { plugin.translation.block(block) };
    let name = plugin.name(&block);
    if plugin.tally.count(&block, name).is_err() {
        plugin.note("profile: no counter is left; further blocks are summed at address 1");
    }
    // Before what looks at single instructions: a sample at a marker or a probe comes first.
    if let Some(sampling) = &plugin.sampling {
        sampling.watch(&block, name, block_begins);
    }
    if block.address < KERNEL_START {
        watch_markers(&block, name);
    } else {
        watch_halt(&block);
        watch_sites(&plugin.sites, &block);
    }
}

fn watch_markers(block: &Block<'_>, key: u64) {
    for index in 0..block.length {
        let instruction = block.instruction(index);
        let marker = instruction.bytes::<{ marker::LENGTH }>().as_ref().and_then(Marker::read);
        let pending = || (key as usize) << COUNT_BITS | (block.length - index);
        match marker {
            None => {}
            Some(Marker::Out) => instruction.on_execution(out, Registers::Read, index),
            Some(Marker::Ready) => instruction.on_execution(ready, Registers::Untouched, pending()),
            Some(Marker::Phase(phase)) => {
                let number = pending() << PHASE_BITS | usize::from(phase);
                instruction.on_execution(phase_begins, Registers::Untouched, number);
            }
        }
    }
}

/// What [`watch_markers`] put into a callback's number, besides a phase. Keys are small.
fn pending(number: usize) -> Pending {
    let (key, rest) = (number >> COUNT_BITS, number & ((1 << COUNT_BITS) - 1));
    Pending { key: key as u64, rest: rest as u64 }
}

/// A `hlt` is the last instruction of its block.
fn watch_halt(block: &Block<'_>) {
    let Some(last) = block.length.checked_sub(1) else { return };
    let instruction = block.instruction(last);
    if instruction.bytes() == Some(HLT) {
        instruction.on_execution(halt, Registers::Untouched, 0);
    }
}

/// Sites are few, and most blocks are near none.
fn watch_sites(sites: &Sites, block: &Block<'_>) {
    let near = sites.near(block.address, block.length);
    if near.is_empty() {
        return;
    }
    for index in 0..block.length {
        let instruction = block.instruction(index);
        let address = instruction.address();
        let found = near
            .clone()
            .find(|number| sites.get(*number).is_some_and(|site| site.address == address));
        if let Some(site) = found {
            let number = (site << COUNT_BITS | index) << COUNT_BITS | (block.length - index);
            instruction.on_execution(probed, Registers::Read, number);
        }
    }
}

/// What a block calls when it cannot count inline.
pub(crate) extern "C" fn executed(_vcpu: c_uint, number: *mut c_void) {
    if let Some(plugin) = Plugin::get() {
        plugin.tally.executed(number.addr());
    }
}

/// What a block calls when samples are taken: every block, or the one at which one is due.
extern "C" fn block_begins(vcpu: c_uint, number: *mut c_void) {
    if let Some(plugin) = Plugin::get() {
        plugin.block_begins(vcpu, number.addr());
    }
}

extern "C" fn halt(vcpu: c_uint, _number: *mut c_void) {
    let Some(plugin) = Plugin::get() else { return };
    plugin.tally.halt();
    if let Some(count) = plugin.hlt_cure {
        count.update(vcpu);
    }
}

extern "C" fn phase_begins(vcpu: c_uint, number: *mut c_void) {
    let number = number.addr();
    if let Some(plugin) = Plugin::get() {
        plugin.begin_phase(vcpu, number.to_le_bytes()[0], pending(number >> PHASE_BITS));
    }
}

extern "C" fn ready(vcpu: c_uint, number: *mut c_void) {
    if let Some(plugin) = Plugin::get() {
        plugin.ready(vcpu, pending(number.addr()));
    }
}

extern "C" fn out(vcpu: c_uint, index: *mut c_void) {
    if let Some(plugin) = Plugin::get() {
        plugin.out(vcpu, index.addr());
    }
}

extern "C" fn probed(vcpu: c_uint, number: *mut c_void) {
    let Some(plugin) = Plugin::get() else { return };
    let number = number.addr();
    let count = |number: usize| number & ((1 << COUNT_BITS) - 1);
    let standing = Standing { index: count(number >> COUNT_BITS), rest: count(number) as u64 };
    plugin.look(vcpu, number >> (2 * COUNT_BITS), standing);
}

extern "C" fn cpu_started(_id: u64, _vcpu: c_uint) {
    if let Some(registers) = Plugin::get().and_then(|plugin| plugin.registers.as_ref()) {
        registers.cpu_started();
    }
}

extern "C" fn exiting(_id: u64, _data: *mut c_void) {
    if let Some(plugin) = Plugin::get() {
        plugin.end();
    }
}

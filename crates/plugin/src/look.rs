//! What happens when the guest is about to execute an instruction at which probes look.

use std::ffi::c_uint;
use std::sync::PoisonError;

use crate::frame::{self, Seen};
use crate::piece::{Piece, REGISTERS, Values};
use crate::plugin::Plugin;
use crate::qemu::memory::Memory;
use crate::qemu::registers::Registers;
use crate::sites::Watching;

/// Where in its block the instruction stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Standing {
    /// How many instructions of the block come before it.
    pub(crate) index: usize,
    /// How many are counted but still to come, itself included.
    pub(crate) rest: u64,
}

impl Plugin {
    /// The guest is at the site of that number.
    pub(crate) fn look(&self, vcpu: c_uint, site: usize, standing: Standing) {
        let (Some(site), Some(registers), Some(memory)) =
            (self.sites.get(site), &self.registers, self.memory)
        else {
            return;
        };
        let clock = self.clock_before(vcpu, standing.rest);
        let mut values = None;
        for watching in site.probes.iter().filter(|watching| watching.due(clock)) {
            let values = values.get_or_insert_with(|| values_at(registers, vcpu, standing.index));
            match values {
                Ok(values) => {
                    let seen = Seen {
                        id: watching.probe.id,
                        vcpu: self.cpu.map_or(vcpu, |cpu| cpu.index(vcpu)),
                        clock,
                        instructions: self.tally.instructions(standing.rest),
                        values: *values,
                    };
                    self.tell(vcpu, memory, watching, &seen);
                }
                Err(why) => self.complain(watching, why),
            }
        }
    }

    /// Writes the frame, in a buffer that grows once.
    fn tell(&self, vcpu: c_uint, memory: Memory, watching: &Watching, seen: &Seen) {
        let mut buffer = self.buffer.lock().unwrap_or_else(PoisonError::into_inner);
        frame::probe(&mut buffer, seen, &watching.probe.pieces, |piece, into| {
            copy(memory, vcpu, piece, &seen.values, into);
        });
        self.outlet.write(&buffer);
    }

    fn complain(&self, watching: &Watching, why: &str) {
        if watching.may_complain() {
            let (id, address) = (watching.probe.id, watching.probe.address);
            self.note(&format!("probe {id} at {address:x}: {why}"));
        }
    }
}

/// Appends a piece of the guest's memory.
pub(crate) fn copy(
    memory: Memory,
    vcpu: c_uint,
    piece: &Piece,
    values: &Values,
    into: &mut Vec<u8>,
) {
    let found = piece.find(values, |at| memory.word_at(vcpu, at));
    if let Some((address, length)) = found {
        // What could not be read is missing from the piece, and its length says so.
        let _ = memory.append(vcpu, address, length, into);
    }
}

/// The registers at the instruction `index` of the block in whose callback we are.
pub(crate) fn values_at(
    registers: &Registers,
    vcpu: c_uint,
    index: usize,
) -> Result<Values, &'static str> {
    if !registers.up_to_date_at(index) {
        return Err("not the first instruction of its block: take one that is jumped to");
    }
    let mut values = Values::default();
    for (value, (_, register)) in values.iter_mut().zip(REGISTERS) {
        *value = registers.read(vcpu, register).ok_or("a register cannot be read")?;
    }
    Ok(values)
}

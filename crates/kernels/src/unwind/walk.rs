//! From a function to its caller, and so on.

use super::Unwound;
use super::code::{Code, may_be_code};
use super::orc::{Base, Kind, Row};
use super::pt_regs;
use super::stack::Stack;
use super::table::Table;

/// More frames than this are not looked for.
const DEEPEST: usize = 64;

/// Where a walk up a stack has got to.
pub(super) struct Walk<'a> {
    pub(super) table: &'a Table,
    pub(super) code: &'a Code,
    pub(super) stack: Stack<'a>,
    pub(super) ip: u64,
    pub(super) sp: u64,
    /// `None` once it is lost.
    pub(super) bp: Option<u64>,
    /// Whether `ip` is the next instruction rather than the one behind a call.
    pub(super) exact: bool,
    /// Where the registers of an interrupted function lie, as long as they are its caller's too.
    pub(super) saved: Option<u64>,
}

/// What came of a step.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The walk stands in the caller.
    On,
    /// There is no caller, or none within the kernel or the copy of its stack.
    End,
    /// Nobody says where the caller is.
    Lost,
}

impl Walk<'_> {
    /// All frames from here on.
    pub(super) fn all_frames(mut self) -> Unwound {
        let mut unwound = Unwound { frames: Vec::with_capacity(32), guessed: false };
        loop {
            unwound.frames.push(self.ip);
            if unwound.frames.len() == DEEPEST {
                return unwound;
            }
            let step = self.step();
            // After a guess the end may be one of a call that is done.
            let search = step == Step::Lost || (step == Step::End && unwound.guessed);
            if search && self.guess() {
                unwound.guessed = true;
            } else if step != Step::On {
                return unwound;
            }
        }
    }

    fn step(&mut self) -> Step {
        if self.table.len() == 0 {
            return self.by_frame_pointer();
        }
        // A call that never returns may be a function's last instruction: the byte before the
        // return address is in the caller in any case.
        let at = if self.exact { self.ip } else { self.ip.wrapping_sub(1) };
        let Some(row) = self.table.find(at) else { return Step::Lost };
        match row.kind {
            Kind::Undefined => Step::Lost,
            Kind::End => Step::End,
            Kind::Call | Kind::Regs | Kind::RegsPartial => match self.base(&row) {
                Ok(base) if row.kind == Kind::Call => self.enter_caller(&row, base),
                Ok(base) => self.enter_interrupted(&row, base),
                Err(step) => step,
            },
        }
    }

    /// The caller's stack pointer before the call, or where the registers lie.
    fn base(&self, row: &Row) -> Result<u64, Step> {
        let offset = i64::from(row.sp_offset);
        let plus = |base: Option<u64>| base.map(|base| base.wrapping_add_signed(offset));
        let base = match row.sp {
            Base::Sp => plus(Some(self.sp)),
            Base::Bp => plus(self.bp),
            Base::SpIndirect => plus(Some(self.read(self.sp)?)),
            Base::BpIndirect => Some(self.read(plus(self.bp).ok_or(Step::Lost)?)?),
            Base::R10 => plus(self.saved(pt_regs::R10)),
            Base::R13 => plus(self.saved(pt_regs::R13)),
            Base::Di => plus(self.saved(pt_regs::DI)),
            Base::Dx => plus(self.saved(pt_regs::DX)),
            Base::PrevSp | Base::Undefined => None,
        };
        base.ok_or(Step::Lost)
    }

    fn enter_caller(&mut self, row: &Row, sp: u64) -> Step {
        let ip = match self.read(sp.wrapping_sub(8)) {
            Ok(ip) => ip,
            Err(step) => return step,
        };
        self.saved = None;
        self.bp = self.callers_bp(row, sp);
        self.go(ip, sp, row.signal)
    }

    /// An interrupt, exception or system call put the registers there. The CPU itself wrote only
    /// those from `ip` on; if no more is there, the row gives the place of `ip`.
    fn enter_interrupted(&mut self, row: &Row, base: u64) -> Step {
        let whole = row.kind == Kind::Regs;
        let frame = if whole { base } else { base.wrapping_sub(pt_regs::IP) };
        if whole {
            self.saved = Some(frame);
        }
        let bp = self.callers_bp(row, base);
        self.enter_registers(frame, bp, row.signal)
    }

    /// Goes on where the registers were taken, unless that was in user space.
    pub(super) fn enter_registers(&mut self, frame: u64, bp: Option<u64>, exact: bool) -> Step {
        let at = |offset| self.read(frame.wrapping_add(offset));
        match (at(pt_regs::IP), at(pt_regs::SP)) {
            (Ok(ip), _) if ip >> 63 == 0 => Step::End,
            (Ok(ip), Ok(sp)) => {
                self.bp = bp;
                self.go(ip, sp, exact)
            }
            (Err(step), _) | (_, Err(step)) => step,
        }
    }

    /// The frame pointer of the caller. `base` is what [`Walk::base`] found.
    fn callers_bp(&self, row: &Row, base: u64) -> Option<u64> {
        let plus = |base: u64| base.wrapping_add_signed(i64::from(row.bp_offset));
        match row.bp {
            Base::PrevSp => self.stack.word(plus(base)),
            Base::Bp => self.stack.word(plus(self.bp?)),
            // It is in the register still, or among those of the interrupted function.
            Base::Undefined if self.saved.is_some() => self.saved(pt_regs::BP),
            Base::Undefined => self.bp,
            _ => None,
        }
    }

    fn saved(&self, offset: u64) -> Option<u64> {
        self.stack.word(self.saved?.wrapping_add(offset))
    }

    /// A word of the stack. What is above the copy ends the walk, all else is no place to read.
    pub(super) fn read(&self, address: u64) -> Result<u64, Step> {
        let beyond = self.stack.is_beyond(address);
        self.stack.word(address).ok_or(if beyond { Step::End } else { Step::Lost })
    }

    /// Stacks grow downwards, so each caller's frame is higher up.
    pub(super) fn go(&mut self, ip: u64, sp: u64, exact: bool) -> Step {
        if !may_be_code(ip) || sp <= self.sp {
            return Step::Lost;
        }
        (self.ip, self.sp, self.exact) = (ip, sp, exact);
        Step::On
    }

    /// Takes the next word that may be a return address for one. It may as well be left over from a
    /// call that is done.
    fn guess(&mut self) -> bool {
        let mut at = self.sp;
        while let Some(word) = self.stack.word(at) {
            at = at.wrapping_add(8);
            if self.code.is_return_address(word) {
                (self.ip, self.sp, self.exact) = (word, at, false);
                (self.bp, self.saved) = (None, None);
                return true;
            }
        }
        false
    }
}

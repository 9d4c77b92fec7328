//! The text of the `hello` frame: which QEMU this is and what the plugin can do in it.

use std::ffi::c_int;
use std::fmt::Write;

use crate::arguments::Arguments;
use crate::qemu::info::Info;
use crate::qemu::memory::Memory;
use crate::qemu::registers::Registers;
use crate::qemu::symbol;

/// The number of this byte format and of what the symbols in it promise; the program takes no other.
const CONTRACT: &str = "4";

/// What was found and what will be done.
pub(crate) struct Hello<'a> {
    pub(crate) info: &'a Info,
    pub(crate) api_used: c_int,
    pub(crate) arguments: &'a Arguments,
    pub(crate) hlt_cure: bool,
    pub(crate) clock: bool,
    pub(crate) memory: Option<Memory>,
    pub(crate) registers: Option<&'a Registers>,
    pub(crate) stop: bool,
    /// How many probes will look; `None` where they cannot.
    pub(crate) probes: Option<usize>,
    /// Instructions from one sample to the next, 0 without; `None` where none can be taken.
    pub(crate) sample: Option<u64>,
    /// How instructions are counted.
    pub(crate) counters: &'static str,
}

impl Hello<'_> {
    /// `key=value` lines.
    pub(crate) fn lines(&self) -> String {
        let mut text = String::new();
        let mut line = |key: &str, value: &str| {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{key}={value}");
        };
        line("plugin", env!("CARGO_PKG_VERSION"));
        line("contract", CONTRACT);
        line("api.min", &self.info.api_min.to_string());
        line("api.current", &self.info.api_current.to_string());
        line("api.used", &self.api_used.to_string());
        line("target", &self.info.target);
        for name in symbol::NOT_PUBLIC {
            let key = format!("sym.{}", name.to_string_lossy());
            line(&key, yes(symbol::address(name).is_some()));
        }
        line("hlt_cure", yes(self.hlt_cure));
        line("clock", yes(self.clock));
        line("guest_memory", Memory::word(self.memory));
        line("registers", Registers::word(self.registers));
        line("stop", yes(self.stop));
        line("profile", if self.arguments.profile { "on" } else { "off" });
        line("counters", self.counters);
        let probes = self.probes.map(|probes| probes.to_string());
        line("probes", probes.as_deref().unwrap_or("no"));
        let sample = self.sample.map(|every| every.to_string());
        line("sample", sample.as_deref().unwrap_or("no"));
        if let Some(shift) = self.arguments.shift {
            line("shift", &shift.to_string());
        }
        text
    }
}

fn yes(yes: bool) -> &'static str {
    if yes { "yes" } else { "no" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_qemu_without_private_symbols_is_told_as_such() {
        let info = Info {
            target: "x86_64".to_owned(),
            api_min: 0,
            api_current: 1,
            system: true,
            max_cpus: 1,
        };
        let arguments = Arguments {
            fd: 3,
            profile: true,
            stop: true,
            shift: Some(1),
            probes: Vec::new(),
            sample: None,
        };
        let hello = Hello {
            info: &info,
            api_used: 1,
            arguments: &arguments,
            hlt_cure: false,
            clock: false,
            memory: None,
            registers: None,
            stop: false,
            probes: None,
            sample: None,
            counters: "memory",
        };
        let wanted = format!(
            "plugin={}\ncontract=4\napi.min=0\napi.current=1\napi.used=1\ntarget=x86_64\n\
             sym.icount_update=no\nsym.qemu_get_cpu=no\nsym.current_cpu=no\nsym.vm_stop=no\n\
             sym.runstate_is_running=no\n\
             sym.cpu_memory_rw_debug=no\nsym.x86_cpu_gdb_read_register=no\n\
             sym.qemu_clock_get_ns=no\nsym.RunState_lookup=no\nsym.qapi_enum_parse=no\n\
             hlt_cure=no\nclock=no\nguest_memory=no\nregisters=no\nstop=no\nprofile=on\ncounters=memory\nprobes=no\nsample=no\nshift=1\n",
            env!("CARGO_PKG_VERSION")
        );
        assert_eq!(hello.lines(), wanted);
    }
}

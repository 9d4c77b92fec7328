//! The machine model: QEMU's arguments and the kernel's command line.

use model::Settings;

/// The machine's type. ACPI is off and the RTC on, so that the date is the model's.
pub(crate) const MACHINE: &str = "microvm,acpi=off,rtc=on";

/// The date at which every boot begins; the RTC then runs on the guest's clock.
const RTC: &str = "base=2020-01-01T00:00:00,clock=vm";

/// For every kernel: console; no reboot after a panic; nothing at random addresses; without the
/// crypto self-tests, which are 40 % of a Debian kernel's boot; and without page-table isolation,
/// which costs the guest two instructions a system call and the emulator its translated addresses
/// (a quarter of a trial's host time). What comes later on the line wins, so `cmdline` can undo it.
const COMMAND_LINE: &str = "console=ttyS0 quiet panic=-1 reboot=t nokaslr norandmaps \
    randomize_kstack_offset=off cryptomgr.notests pti=off null_blk.nr_devices=0";

/// Calibrating the APIC timer polls the TSC for 100 ms of guest time, which takes seconds of host
/// time. With one CPU the PIT serves as well; with more, each needs its APIC timer.
const ONE_CPU: &str = "nolapic_timer";

/// QEMU runs the CPUs in turn, so one may look late to another; Linux would then take the TSC for
/// unstable and round times to ticks. It is one counter here.
const SEVERAL_CPUS: &str = "tsc=reliable";

/// How an instruction becomes time, and what else of QEMU has to be known to make it exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    /// `-icount` alone; the plugin closes the `hlt` leak.
    Counted,
    /// QEMU's record mode, where no plugin closes the leak: slower, and cannot be saved.
    Recorded,
}

/// The kernel's command line.
pub(crate) fn command_line(settings: &Settings) -> String {
    let cpus = if settings.cpus == 1 { ONE_CPU } else { SEVERAL_CPUS };
    let mut words = vec![COMMAND_LINE, cpus];
    if !settings.cmdline.is_empty() {
        words.push(&settings.cmdline);
    }
    words.join(" ")
}

/// QEMU's arguments for the machine, without kernel, console and control.
pub(crate) fn arguments(settings: &Settings, clock: Clock) -> Vec<String> {
    let shift = settings.insn_ns.trailing_zeros();
    let icount = match clock {
        Clock::Counted => format!("shift={shift},sleep=off"),
        Clock::Recorded => format!("shift={shift},sleep=off,rr=record,rrfile=/dev/null"),
    };
    let mib = settings.mem.0 >> 20;
    let pairs = [
        ("-M", MACHINE.to_owned()),
        ("-rtc", RTC.to_owned()),
        ("-accel", "tcg".to_owned()),
        ("-icount", icount),
        ("-cpu", settings.cpu.clone()),
        ("-smp", settings.cpus.to_string()),
        ("-m", mib.to_string()),
        ("-display", "none".to_owned()),
        ("-monitor", "none".to_owned()),
        ("-append", command_line(settings)),
    ];
    let mut arguments = vec!["-nodefaults".to_owned(), "-no-user-config".to_owned()];
    arguments.push("-no-reboot".to_owned());
    arguments.extend(pairs.into_iter().flat_map(|(flag, value)| [flag.to_owned(), value]));
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instructions_cost_is_a_shift() {
        let settings = Settings { insn_ns: 8, ..Settings::default() };
        let arguments = arguments(&settings, Clock::Counted);
        assert!(arguments.contains(&"shift=3,sleep=off".to_owned()), "{arguments:?}");
    }

    #[test]
    fn several_cpus_keep_their_apic_timers() {
        let one = Settings::default();
        let two =
            Settings { cpus: 2, cmdline: "mitigations=off".to_owned(), ..Settings::default() };
        assert!(command_line(&one).ends_with("nolapic_timer"));
        assert!(!command_line(&two).contains("nolapic_timer"));
        assert!(command_line(&two).ends_with(" mitigations=off"));
    }
}

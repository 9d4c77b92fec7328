//! The machine model: QEMU's arguments and the kernel's command line.

use model::Settings;
use model::units::Bytes;

use crate::seeds::{Boot, Twin};

/// The machine's type. ACPI is off and the RTC on, so that the date is the model's.
pub(crate) const MACHINE: &str = "microvm,acpi=off,rtc=on";

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

/// What sets one boot of the same settings apart from another.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shifts {
    /// The seed's.
    pub(crate) boot: Boot,
    /// The neutral twin's.
    pub(crate) twin: Twin,
}

/// The kernel's command line.
pub(crate) fn command_line(settings: &Settings, shifts: &Shifts) -> String {
    let cpus = if settings.cpus == 1 { ONE_CPU } else { SEVERAL_CPUS };
    let mut words = vec![COMMAND_LINE.to_owned(), cpus.to_owned()];
    // The kernel takes a name with a dot for a module's parameter and tells nobody of it.
    words.extend(padding("slowpath.boot", shifts.boot.padding));
    words.extend(padding("slowpath.twin", shifts.twin.padding));
    if !settings.cmdline.is_empty() {
        words.push(settings.cmdline.clone());
    }
    words.join(" ")
}

fn padding(name: &str, characters: u64) -> Option<String> {
    let text = "x".repeat(usize::try_from(characters).unwrap_or_default());
    (characters > 0).then(|| format!("{name}={text}"))
}

/// The machine's memory.
pub(crate) fn memory(settings: &Settings, shifts: &Shifts) -> Bytes {
    Bytes(settings.mem.0 - shifts.boot.less)
}

/// The date on which the machine boots, as QEMU's `-rtc base` takes it: 2020-01-01 and what the
/// seed adds to it, which stays within that month. The RTC then runs on the guest's clock.
pub(crate) fn date(shifts: &Shifts) -> String {
    const DAY: u64 = 24 * 3600;
    let (day, second) = (1 + shifts.boot.later / DAY, shifts.boot.later % DAY);
    format!("2020-01-{day:02}T{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60)
}

/// QEMU's arguments for the machine, without kernel, console and control.
pub(crate) fn arguments(settings: &Settings, clock: Clock, shifts: &Shifts) -> Vec<String> {
    let shift = settings.insn_ns.trailing_zeros();
    let icount = match clock {
        Clock::Counted => format!("shift={shift},sleep=off"),
        Clock::Recorded => format!("shift={shift},sleep=off,rr=record,rrfile=/dev/null"),
    };
    let mib = memory(settings, shifts).0 >> 20;
    let pairs = [
        ("-M", MACHINE.to_owned()),
        ("-rtc", format!("base={},clock=vm", date(shifts))),
        ("-accel", "tcg".to_owned()),
        ("-icount", icount),
        ("-cpu", settings.cpu.clone()),
        ("-smp", settings.cpus.to_string()),
        ("-m", mib.to_string()),
        ("-display", "none".to_owned()),
        ("-monitor", "none".to_owned()),
        ("-append", command_line(settings, shifts)),
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
        let arguments = arguments(&settings, Clock::Counted, &Shifts::default());
        assert!(arguments.contains(&"shift=3,sleep=off".to_owned()), "{arguments:?}");
    }

    #[test]
    fn several_cpus_keep_their_apic_timers() {
        let none = Shifts::default();
        let one = Settings::default();
        let two =
            Settings { cpus: 2, cmdline: "mitigations=off".to_owned(), ..Settings::default() };
        assert!(command_line(&one, &none).ends_with("nolapic_timer"));
        assert!(!command_line(&two, &none).contains("nolapic_timer"));
        assert!(command_line(&two, &none).ends_with(" mitigations=off"));
    }

    #[test]
    fn shifts_move_the_date_the_memory_and_the_length_of_the_command_line() {
        let settings = Settings::default();
        let later = 27 * 24 * 3600 + 3661;
        let boot = Boot { number: 1, padding: 3, later, less: 2 << 20 };
        let shifts = Shifts { boot, twin: Twin { padding: 2, file: 9 } };
        let arguments = arguments(&settings, Clock::Counted, &shifts);
        for expected in ["base=2020-01-28T01:01:01,clock=vm", "2046"] {
            assert!(arguments.iter().any(|argument| argument == expected), "{arguments:?}");
        }
        assert!(command_line(&settings, &shifts).ends_with(" slowpath.boot=xxx slowpath.twin=xx"));
    }
}

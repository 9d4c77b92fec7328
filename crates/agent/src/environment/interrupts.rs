//! Interrupts, added up over the processors, and where the processors' time went.

use super::plan::Plan;
use super::tree::Tree;

pub(super) fn plans(tree: &Tree) -> Vec<Plan> {
    let sums = |title: &str, file: &'static str| {
        Plan::new(tree, title, format!("{file}, added up over all cpus"), move |tree| {
            tree.read(file).map(|text| added_up(&text)).map_err(|why| why.to_string())
        })
    };
    vec![
        sums("interrupts", "/proc/interrupts"),
        sums("softirqs", "/proc/softirqs"),
        Plan::new(tree, "cpu time", "/proc/stat, without interrupts", |tree| {
            let text = tree.read("/proc/stat").map_err(|why| why.to_string())?;
            let kept = text.lines().filter(|l| !l.starts_with("intr") && !l.starts_with("softirq"));
            Ok(kept.map(|line| format!("{line}\n")).collect())
        }),
        Plan::file(tree, "load", "/proc/loadavg"),
    ]
}

/// The first line names the processors, each further one has a number for each of them.
//            CPU0       CPU1
//   0:         25          3   IO-APIC   2-edge      timer
// ERR:          0
fn added_up(text: &str) -> String {
    let mut lines = text.lines();
    let cpus = lines.next().unwrap_or_default().split_whitespace().count();
    lines.map(|line| sum(line, cpus) + "\n").collect()
}

fn sum(line: &str, cpus: usize) -> String {
    let Some((label, rest)) = line.split_once(':') else { return line.to_owned() };
    let words: Vec<&str> = rest.split_whitespace().collect();
    let counts: Vec<u64> = words.iter().take(cpus).map_while(|word| word.parse().ok()).collect();
    let total: u64 = counts.iter().fold(0, |sum, count| sum.saturating_add(*count));
    let what = words[counts.len()..].join(" ");
    format!("{}: {total} {what}", label.trim()).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_added_up() {
        let text = "           CPU0       CPU1       \n\
                    \x20 0:         25          3   IO-APIC   2-edge      timer\n\
                    \x20 9:          1          2\n\
                    ERR:          7\n\
                    [cut here]\n";
        let expected = "0: 28 IO-APIC 2-edge timer\n9: 3\nERR: 7\n[cut here]\n";
        assert_eq!(added_up(text), expected);
        assert_eq!(added_up(""), "");
    }

    #[test]
    fn time_is_told_without_the_long_lines() {
        let machine = super::super::testing::Machine::new();
        machine.write("/proc/stat", "cpu  1 2\ncpu0 1 2\nintr 5 6 7\nctxt 9\nsoftirq 1\n");
        let section = plans(&machine.tree()).remove(2).carry_out();
        assert_eq!(section.text.as_deref(), Ok("cpu  1 2\ncpu0 1 2\nctxt 9\n"));
    }
}

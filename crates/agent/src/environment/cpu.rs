//! The processors: model, number, frequency, mitigations.

use super::attributes::{files, lines, names, push};
use super::plan::Plan;
use super::tree::Tree;

const FOLDER: &str = "/sys/devices/system/cpu";

pub(super) fn plans(tree: &Tree) -> Vec<Plan> {
    let vulnerabilities = format!("{FOLDER}/vulnerabilities");
    let mitigations = files(tree, &vulnerabilities, "", 0);
    vec![
        Plan::new(tree, "cpu", "/proc/cpuinfo, the first of each model", |tree| {
            let text = tree.read("/proc/cpuinfo").map_err(|why| why.to_string())?;
            Ok(models(&text))
        }),
        Plan::list(tree, "cpu topology", FOLDER, topology(tree)),
        Plan::new(tree, "cpu frequency", FOLDER, frequency),
        Plan::list(tree, "cpu mitigations", &vulnerabilities, mitigations),
        Plan::list(
            tree,
            "clock source",
            "/sys/devices/system/clocksource/clocksource0",
            names(&["current_clocksource", "available_clocksource"]),
        ),
    ]
}

/// The models, each once, with how many processors are of it.
fn counted(tree: &Tree) -> Vec<(String, usize)> {
    let text = tree.read("/proc/cpuinfo").unwrap_or_default();
    let mut counts: Vec<(String, usize)> = Vec::new();
    for model in paragraphs(&text).map(model) {
        match counts.iter_mut().find(|(known, _)| *known == model) {
            Some((_, count)) => *count += 1,
            None => counts.push((model, 1)),
        }
    }
    counts
}

/// What /proc/cpuinfo has of each processor; other architectures end with one on the whole machine.
fn paragraphs(text: &str) -> impl Iterator<Item = &str> {
    text.split("\n\n").filter(|paragraph| paragraph.trim_start().starts_with("processor"))
}

fn model(paragraph: &str) -> String {
    let fields = paragraph.lines().filter_map(|line| line.split_once(':'));
    let mut named =
        fields.filter(|(key, _)| ["model name", "cpu", "CPU part"].contains(&key.trim()));
    named.next().map_or_else(|| "unknown".to_owned(), |(_, value)| value.trim().to_owned())
}

fn models(text: &str) -> String {
    let mut seen: Vec<String> = Vec::new();
    let is_new = |paragraph: &&str| {
        let model = model(paragraph);
        let new = !seen.contains(&model);
        seen.push(model);
        new
    };
    let first: Vec<&str> = paragraphs(text).filter(is_new).map(str::trim_end).collect();
    if first.is_empty() { text.to_owned() } else { first.join("\n\n") + "\n" }
}

fn topology(tree: &Tree) -> Vec<String> {
    let mut list = names(&["possible", "present", "online", "isolated", "nohz_full"]);
    list.extend(names(&["smt/control", "smt/active"]));
    list.extend(files(tree, FOLDER, "cpu0/topology", 0));
    let caches = tree.names(&format!("{FOLDER}/cpu0/cache")).into_iter();
    list.extend(caches.filter(|name| name.starts_with("index")).flat_map(|index| {
        ["level", "type", "size", "shared_cpu_list"]
            .map(|file| format!("cpu0/cache/{index}/{file}"))
    }));
    list
}

/// Of one policy for each processor only what differs is told, with how many have it.
fn frequency(tree: &Tree) -> Result<String, String> {
    let general = [
        "cpufreq/boost",
        "intel_pstate/status",
        "intel_pstate/no_turbo",
        "cpuidle/current_driver",
        "cpuidle/current_governor",
    ];
    let mut text = lines(tree, FOLDER, &general);
    let mut policies = tree.names(&format!("{FOLDER}/cpufreq"));
    policies.retain(|name| name.starts_with("policy"));
    for file in [
        "scaling_driver",
        "scaling_governor",
        "scaling_min_freq",
        "scaling_max_freq",
        "cpuinfo_max_freq",
        "energy_performance_preference",
    ] {
        for (value, count) in values(tree, &policies, file) {
            push(&mut text, file, &format!("{value} ({count} of {})", policies.len()));
        }
    }
    if text.is_empty() { Err("the kernel does not govern it".to_owned()) } else { Ok(text) }
}

fn values(tree: &Tree, policies: &[String], file: &str) -> Vec<(String, usize)> {
    let mut counts = std::collections::BTreeMap::new();
    for policy in policies {
        if let Some(value) = tree.line(&format!("{FOLDER}/cpufreq/{policy}/{file}")) {
            *counts.entry(value).or_insert(0) += 1;
        }
    }
    counts.into_iter().collect()
}

/// As in `/proc/cpuinfo`, and how many.
pub(super) fn facts(tree: &Tree) -> [(&'static str, String); 2] {
    let counted = counted(tree);
    let models: Vec<&str> = counted.iter().map(|(model, _)| model.as_str()).collect();
    let count: usize = counted.iter().map(|(_, count)| count).sum();
    let count = if count == 0 { String::new() } else { count.to_string() };
    [("cpu", models.join(", ")), ("cpus", count)]
}

/// The governors, each once.
pub(super) fn governors(tree: &Tree) -> String {
    let mut policies = tree.names(&format!("{FOLDER}/cpufreq"));
    policies.retain(|name| name.starts_with("policy"));
    let values = values(tree, &policies, "scaling_governor");
    values.into_iter().map(|(value, _)| value).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::testing::Machine;
    use super::*;

    #[test]
    fn processors_of_a_model_are_told_once() {
        let machine = Machine::new();
        let one =
            |number: u32, model: &str| format!("processor\t: {number}\nmodel name\t: {model}\n\n");
        let text = one(0, "Big: one") + &one(1, "Small") + &one(2, "Big: one");
        machine.write("/proc/cpuinfo", &text);
        let expected =
            "processor\t: 0\nmodel name\t: Big: one\n\nprocessor\t: 1\nmodel name\t: Small\n";
        assert_eq!(models(&text), expected);
        let [models, count] = facts(&machine.tree());
        assert_eq!((models.1.as_str(), count.1.as_str()), ("Big: one, Small", "3"));
        assert_eq!(super::models("no processor"), "no processor");
    }

    #[test]
    fn governors_are_counted() {
        let machine = Machine::new();
        for (policy, governor) in [(0, "powersave"), (1, "performance"), (2, "powersave")] {
            machine.write(&format!("{FOLDER}/cpufreq/policy{policy}/scaling_governor"), governor);
        }
        let text = frequency(&machine.tree()).unwrap();
        let expected =
            "scaling_governor: performance (1 of 3)\nscaling_governor: powersave (2 of 3)\n";
        assert_eq!(text, expected);
        assert_eq!(governors(&machine.tree()), "performance, powersave");
    }
}

//! What a trial's JSON says.

use serde_json::Value;

/// What a trial measured; fails the test where it is broken.
#[track_caller]
pub(crate) fn measured(trial: &Value) -> &Value {
    let measured = &trial["outcome"]["measured"];
    assert!(measured.is_object(), "not measured: {:#}", trial["outcome"]);
    measured
}

/// The phases that a trial measured.
#[track_caller]
pub(crate) fn phases(trial: &Value) -> &[Value] {
    list(&measured(trial)["phases"])
}

/// The names of the phases in their order.
#[track_caller]
pub(crate) fn names(trial: &Value) -> Vec<&str> {
    phases(trial).iter().map(|phase| super::text(phase, "name")).collect()
}

/// The first phase of that name.
#[track_caller]
pub(crate) fn phase<'t>(trial: &'t Value, name: &str) -> &'t Value {
    let found = phases(trial).iter().find(|phase| phase["name"] == name);
    found.unwrap_or_else(|| panic!("no phase `{name}` among {:?}", names(trial)))
}

/// Why a trial is broken; fails the test unless it is broken in this way.
#[track_caller]
pub(crate) fn broken<'t>(trial: &'t Value, kind: &str) -> &'t str {
    let broken = &trial["outcome"]["broken"];
    assert_eq!(broken["kind"], kind, "{:#}", trial["outcome"]);
    super::text(broken, "reason")
}

/// The value as a list; fails the test where it is none.
#[track_caller]
pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no list: {value:#}"))
}

/// The count under a key.
#[track_caller]
pub(crate) fn count(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap_or_else(|| panic!("no number `{key}` in {value:#}"))
}

/// Bytes that all disks of a phase took.
#[track_caller]
pub(crate) fn written(phase: &Value) -> u64 {
    list(&phase["disks"]).iter().map(|disk| count(disk, "written_bytes")).sum()
}

/// An observation's view of the phase of that label.
#[track_caller]
pub(crate) fn view<'o>(observation: &'o Value, label: &str) -> &'o Value {
    let found = list(&observation["phases"]).iter().find(|phase| phase["phase"] == label);
    found.unwrap_or_else(|| panic!("no view of `{label}`"))
}

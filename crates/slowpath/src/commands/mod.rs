//! One file a command: it resolves the arguments against this machine and wires the rooms.

pub(crate) mod bench;
pub(crate) mod bisect;
pub(crate) mod bisected;
pub(crate) mod bisections;
pub(crate) mod cases;
pub(crate) mod compare;
pub(crate) mod comparisons;
pub(crate) mod doctor;
pub(crate) mod dry_run;
pub(crate) mod kernels;
pub(crate) mod made;
pub(crate) mod observe;
pub(crate) mod outcome;
pub(crate) mod output;
pub(crate) mod plan_run;
pub(crate) mod recipe;
pub(crate) mod run;
pub(crate) mod settings;
pub(crate) mod show;
pub(crate) mod snapshot;
pub(crate) mod stored;
pub(crate) mod trials;
pub(crate) mod twins;
pub(crate) mod why;

use std::env;
use std::io::{IsTerminal, stdout};

use report::Style;
use rustix::termios::tcgetwinsize;

/// How standard output is written to.
fn style() -> Style {
    let terminal = stdout().is_terminal();
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .filter_map(|name| env::var(name).ok())
        .find(|value| !value.is_empty())
        .unwrap_or_default()
        .to_uppercase();
    let plain = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = env::var("TERM").is_ok_and(|term| term == "dumb");
    let asked = || tcgetwinsize(stdout()).ok().map(|size| usize::from(size.ws_col));
    let named = env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    // A pipe has no width: a list there is not cut for one.
    let width = named.or_else(asked).filter(|width| *width > 0);
    let width = width.unwrap_or(if terminal { 100 } else { 240 });
    Style {
        color: terminal && !plain && !dumb,
        unicode: locale.contains("UTF-8") || locale.contains("UTF8"),
        width,
    }
}

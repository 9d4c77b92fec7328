//! What the renderers write, as snapshots, and what must hold of it whatever the trial.

mod bisected;
mod bisection;
mod bisection_log;
mod bisection_mail;
mod compared;
mod comparison;
mod comparison_json;
mod example;
mod explained;
mod json;
mod list;
mod measurements;
mod observation;
mod observed;
mod recipe;
mod show;
mod terminal;
mod twins;
mod values;
mod why;
mod why_json;
mod why_summary;

use std::io::{self, Write};

use report::Style;

/// A pipe: no colours, a given width.
const PIPE: Style = Style { color: false, unicode: false, width: 100 };

const TERMINAL: Style = Style { color: true, unicode: true, width: 100 };

/// What a renderer writes.
fn written(render: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> String {
    let mut out = Vec::new();
    render(&mut out).expect("a vector takes everything");
    String::from_utf8(out).expect("renderers write UTF-8")
}

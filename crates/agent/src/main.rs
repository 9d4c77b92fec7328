//! The agent's program: PID 1 in a guest, a small command elsewhere.

use std::process::ExitCode;

fn main() -> ExitCode {
    if std::process::id() == 1 {
        agent::guest::run();
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    agent::command::run(&arguments)
}

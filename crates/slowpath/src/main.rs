//! The program: arguments, exit codes, messages, wiring.

mod case_source;
mod clock;
mod commands;
mod exit;
mod hunts;
mod places;
mod progress;
mod sources;
mod variants;

use std::env;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use slowpath::{Arguments, Command};

use crate::exit::{Exit, Failure};

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return wrong_arguments(&error),
    };
    let exit = match dispatch(&arguments) {
        Ok(exit) => exit,
        Err(failure) => {
            // Nobody is left to tell when standard error is gone.
            let _ = writeln!(io::stderr(), "slowpath: {}", failure.message);
            failure.exit
        }
    };
    match &arguments.command {
        Command::Compare(compare) if compare.for_git_bisect => exit.for_git_bisect(),
        _ => exit.into(),
    }
}

/// Says what is wrong with the arguments; `--help` and `--version` end here, too.
fn wrong_arguments(error: &clap::Error) -> ExitCode {
    let _ = error.print();
    match (error.use_stderr(), env::args().any(|argument| argument == "--for-git-bisect")) {
        (false, _) => Exit::Done.into(),
        (true, false) => Exit::Usage.into(),
        (true, true) => Exit::Usage.for_git_bisect(),
    }
}

fn dispatch(arguments: &Arguments) -> Result<Exit, Failure> {
    let done = match &arguments.command {
        Command::Run(run) => commands::run::run(arguments, run),
        Command::Compare(compare) => commands::compare::compare(arguments, compare),
        Command::Bisect(bisect) => commands::bisect::bisect(arguments, bisect),
        Command::Show(show) => commands::show::show(arguments, show),
        Command::Observe(observe) => commands::observe::observe(arguments, observe),
        Command::Trials(trials) => commands::trials::list(arguments, trials),
        Command::Comparisons => commands::comparisons::list(arguments),
        Command::Bisections => commands::bisections::list(arguments),
        Command::Cases(cases) => commands::cases::cases(cases),
        Command::Kernels(kernels) => commands::kernels::list(arguments, kernels),
        Command::Settings => commands::settings::list(),
        Command::Snapshot(snapshot) => commands::snapshot::snapshot(snapshot),
        Command::Doctor => commands::doctor::doctor(arguments),
    };
    match done {
        // `slowpath trials | head` is no failure.
        Err(failure) if failure.closed_pipe => Ok(Exit::Done),
        other => other,
    }
}

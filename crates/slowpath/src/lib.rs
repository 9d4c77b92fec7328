//! The program's command line.

pub mod arguments;

pub use arguments::{Arguments, Command};

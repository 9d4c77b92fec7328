//! The program's command line.

pub mod arguments;
mod share;

pub use arguments::{Arguments, Command};
pub use share::{NoShare, Share};

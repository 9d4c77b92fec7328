//! What people and scripts see of a trial, of a comparison and of a bisection.
//!
//! Every renderer takes model types and a writer. Nothing here opens a file, starts a process,
//! reads a clock or asks what terminal there is: [`Style`] is handed in. Text that came from
//! elsewhere (a guest's console, a mount option) passes one place, `text`, so that no escape
//! sequence reaches a terminal and nothing but ASCII is written where that was asked.
//!
//! Times are shown with four digits; JSON has the nanoseconds. Rates are in MiB/s, 2^20 bytes a
//! second.

pub mod anonymise;
pub mod bisection;
mod broken;
pub mod comparison;
mod dots;
mod effect;
pub mod ffsb;
mod ffsb_detail;
mod ffsb_result;
mod groups;
mod heading;
mod histogram;
mod hyperfine;
pub mod json;
pub mod list;
mod machine;
mod memory_lists;
pub mod observation;
mod page;
mod phase_detail;
mod phase_table;
mod probability;
pub mod profile;
pub mod quantity;
pub mod recipe;
mod repeats;
mod scale;
pub mod show;
mod sparkline;
mod statistics;
mod table;
pub mod terminal;
mod text;
pub mod twins;
pub mod values;
pub mod why;

pub use ffsb_result::{FfsbResult, ffsb_of};
pub use page::Style;
pub use recipe::{Recipe, RecipeError, is_recipe, parse_recipe};
pub use scale::scale_line;

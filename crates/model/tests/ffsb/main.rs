//! Profiles of FFSB: texts in, profiles or errors out.

mod any_text;
mod good;
mod wrong;

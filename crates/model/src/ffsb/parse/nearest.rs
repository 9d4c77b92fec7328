//! The option that was probably meant.

use super::options;
use super::section::Kind;
use crate::setting_table::edits;

/// Names of before FFSB 6.0, and what they became.
const RENAMED: [(&str, &str); 3] =
    [("bucket", "msec_range"), ("bufferedio", "bufferio"), ("meta_weight", "metaop_weight")];

/// The most edits by which a name is still like another.
const LIKE: usize = 3;

/// The option whose name is most like `name`, if one is like it at all.
pub(super) fn nearest(name: &str) -> Option<String> {
    if let Some((_, now)) = RENAMED.iter().find(|(old, _)| *old == name) {
        return Some((*now).to_owned());
    }
    let kinds = [Kind::Global, Kind::Filesystem, Kind::Threadgroup, Kind::Stats];
    let most = LIKE.min(name.len() / 2);
    kinds
        .into_iter()
        .flat_map(options::names)
        .map(|known| (edits(name, &known), known))
        .min()
        .filter(|(distance, _)| *distance <= most)
        .map(|(_, known)| known)
}

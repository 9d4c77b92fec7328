//! From what a user types to one ID.

use crate::id::LAST;

/// Why no ID was found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Miss {
    Empty,
    Unknown { nearest: String },
    Ambiguous { candidates: Vec<String> },
}

/// The ID that is `wanted`, or the only one that begins so; nothing and `last` mean the newest.
/// `ids` are sorted, oldest first.
pub(crate) fn resolve<'a>(ids: &'a [String], wanted: &str) -> Result<&'a str, Miss> {
    let newest = ids.last().ok_or(Miss::Empty)?;
    if wanted.is_empty() || wanted == LAST {
        return Ok(newest);
    }
    if let Some(id) = ids.iter().find(|id| *id == wanted) {
        return Ok(id);
    }
    let matching: Vec<&String> = ids.iter().filter(|id| id.starts_with(wanted)).collect();
    match matching.as_slice() {
        [] => Err(Miss::Unknown { nearest: nearest(ids, wanted).to_owned() }),
        [id] => Ok(id),
        several => {
            Err(Miss::Ambiguous { candidates: several.iter().map(|id| (*id).clone()).collect() })
        }
    }
}

/// The ID with most of its characters where `wanted` has them; IDs are all built alike, so that is
/// what a slip of a finger leaves. Of equals the newest.
pub(crate) fn nearest<'a>(ids: &'a [String], wanted: &str) -> &'a str {
    let alike = |id: &&String| id.bytes().zip(wanted.bytes()).filter(|(a, b)| a == b).count();
    ids.iter().max_by_key(alike).map_or("", String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids() -> Vec<String> {
        ["20260130-090000-0001", "20260131-090000-0002", "20260131-100000-0003"]
            .map(str::to_owned)
            .to_vec()
    }

    #[test]
    fn what_is_typed_becomes_one_id_or_a_reason() {
        let ids = ids();
        let unknown = |nearest: &str| Err(Miss::Unknown { nearest: nearest.to_owned() });
        let ambiguous = Err(Miss::Ambiguous { candidates: ids[1..].to_vec() });
        for (wanted, expected) in [
            ("", Ok(ids[2].as_str())),
            ("last", Ok(ids[2].as_str())),
            ("20260130", Ok(ids[0].as_str())),
            ("20260131-09", Ok(ids[1].as_str())),
            ("20260131-100000-0003", Ok(ids[2].as_str())),
            ("20260131", ambiguous),
            ("20260130-090000-0007", unknown("20260130-090000-0001")),
            ("20260131-090001", unknown("20260131-090000-0002")),
            ("nonsense", unknown("20260131-100000-0003")),
        ] {
            assert_eq!(resolve(&ids, wanted), expected, "{wanted}");
        }
        assert_eq!(resolve(&[], "last"), Err(Miss::Empty));
    }

    #[test]
    fn an_id_that_begins_another_is_itself() {
        let ids = ["a-1".to_owned(), "a-10".to_owned()];
        assert_eq!(resolve(&ids, "a-1"), Ok("a-1"));
    }
}

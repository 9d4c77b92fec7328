//! A probe as the argument `probe` describes it: `ID@ADDRESS[~NS][/PIECE]...`.

use crate::marker::KERNEL_START;
use crate::piece::{Piece, decimal, hexadecimal};

const FORM: &str = "ID@ADDRESS[~NS][/PIECE]...";
const ID: &str = "ID@ADDRESS[~NS][/PIECE]... with an ID from 0 to 255";
const ADDRESS: &str = "ID@ADDRESS[~NS][/PIECE]... with a kernel ADDRESS in hexadecimal";
const INTERVAL: &str = "ID@ADDRESS[~NS][/PIECE]... with NS in nanoseconds, from 1";

/// Where to look, what at, and how often.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Probe {
    /// Told back in each frame.
    pub(crate) id: u8,
    /// The kernel instruction before whose execution it looks.
    pub(crate) address: u64,
    /// The least guest time between two frames, in nanoseconds; `None` for a frame each time.
    pub(crate) interval: Option<u64>,
    /// What is copied, besides registers.
    pub(crate) pieces: Vec<Piece>,
}

impl Probe {
    /// Reads the argument's value; the error says what it must be.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let mut parts = text.split('/');
        let (id, place) = parts.next().and_then(|head| head.split_once('@')).ok_or(FORM)?;
        let (address, interval) = match place.split_once('~') {
            Some((address, interval)) => (address, Some(interval)),
            None => (place, None),
        };
        let address = hexadecimal(address).filter(|address| *address >= KERNEL_START);
        let interval = interval.map(|interval| {
            decimal(interval).filter(|nanoseconds| *nanoseconds > 0).ok_or(INTERVAL)
        });
        Ok(Self {
            id: decimal(id).and_then(|id| u8::try_from(id).ok()).ok_or(ID)?,
            address: address.ok_or(ADDRESS)?,
            interval: interval.transpose()?,
            pieces: parts.map(Piece::parse).collect::<Result<_, _>>()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probe_has_an_address_and_may_have_an_interval_and_pieces() {
        let bare = Probe { id: 0, address: KERNEL_START, interval: None, pieces: Vec::new() };
        assert_eq!(Probe::parse("0@ffff800000000000"), Ok(bare));
        let pieces = ["di+0>+60>+c:32", "=ffffffff82000000:8", "sp+0:8192^16384"];
        let full = Probe {
            id: 255,
            address: 0xffff_ffff_8123_4560,
            interval: Some(1_000_000),
            pieces: pieces.map(|piece| Piece::parse(piece).expect(piece)).into(),
        };
        let text = format!("255@ffffffff81234560~1000000/{}", pieces.join("/"));
        assert_eq!(Probe::parse(&text), Ok(full));
    }

    #[test]
    fn a_text_that_is_no_probe_is_refused_with_what_is_wanted() {
        let table = [
            ("", FORM),
            ("on", FORM),
            ("1/di:8", FORM),
            ("256@ffffffff81000000", ID),
            ("-1@ffffffff81000000", ID),
            ("@ffffffff81000000", ID),
            ("1@", ADDRESS),
            ("1@401000", ADDRESS),
            ("1@0xffffffff81000000", ADDRESS),
            ("1@try_to_wake_up", ADDRESS),
            ("1@ffffffff81000000~", INTERVAL),
            ("1@ffffffff81000000~0", INTERVAL),
            ("1@ffffffff81000000~1ms", INTERVAL),
        ];
        for (text, wanted) in table {
            assert_eq!(Probe::parse(text), Err(wanted), "{text}");
        }
        assert!(Probe::parse("1@ffffffff81000000/").is_err_and(|wanted| wanted.contains("LENGTH")));
    }
}

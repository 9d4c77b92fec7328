//! What the argument `sample` describes: `N[/PIECE]...`.

use crate::piece::{Piece, decimal};

const EVERY: &str = "N[/PIECE]... with N from 1000 to 1099511627776 instructions";

/// The least and the most instructions from one sample to the next. A block, of 512 at most, then
/// never holds two samples.
const RANGE: std::ops::RangeInclusive<u64> = 1000..=1 << 40;

/// How often to look at what runs, and what at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sample {
    /// Instructions from one sample to the next, over all virtual CPUs.
    pub(crate) every: u64,
    /// What is copied at kernel blocks, besides registers.
    pub(crate) pieces: Vec<Piece>,
}

impl Sample {
    /// Reads the argument's value; the error says what it must be.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let mut parts = text.split('/');
        let every = parts.next().and_then(decimal).filter(|every| RANGE.contains(every));
        Ok(Self {
            every: every.ok_or(EVERY)?,
            pieces: parts.map(Piece::parse).collect::<Result<_, _>>()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_has_a_distance_and_may_have_pieces() {
        let bare = |every| Ok(Sample { every, pieces: Vec::new() });
        assert_eq!(Sample::parse("1000"), bare(1000));
        assert_eq!(Sample::parse("1099511627776"), bare(1 << 40));
        let pieces = ["sp+0:4096^16384", "bp:16"];
        let full = Sample {
            every: 50_021,
            pieces: pieces.map(|piece| Piece::parse(piece).expect(piece)).into(),
        };
        assert_eq!(Sample::parse(&format!("50021/{}", pieces.join("/"))), Ok(full));
    }

    #[test]
    fn a_text_that_is_no_sample_is_refused_with_what_is_wanted() {
        for text in ["", "on", "999", "1099511627777", "0x1000", "-5000", "+5000", "/sp:8"] {
            assert_eq!(Sample::parse(text), Err(EVERY), "{text}");
        }
        assert!(Sample::parse("5000/").is_err_and(|wanted| wanted.contains("LENGTH")));
        assert!(Sample::parse("5000/ax:8").is_err_and(|wanted| wanted.contains("begin with")));
    }
}

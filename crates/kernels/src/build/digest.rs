//! SHA-256 over named pieces of text.

use sha2::{Digest as _, Sha256};

/// A hash in the making. Pieces cannot run into each other: each is hashed with its name and length.
pub(crate) struct Digest(Sha256);

impl Digest {
    /// Begins with what is hashed.
    pub(crate) fn new(of: &str) -> Digest {
        let mut digest = Digest(Sha256::new());
        digest.add("of", of);
        digest
    }

    /// Adds a piece.
    pub(crate) fn add(&mut self, name: &str, text: &str) {
        self.0.update(format!("{name} {}\n", text.len()));
        self.0.update(text);
    }

    /// The hash, 64 hexadecimal digits.
    pub(crate) fn hex(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_stay_apart() {
        let hex = |pieces: &[(&str, &str)]| {
            let mut digest = Digest::new("test");
            pieces.iter().for_each(|(name, text)| digest.add(name, text));
            digest.hex()
        };
        assert_eq!(hex(&[]).len(), 64);
        assert_ne!(hex(&[("a", "bc")]), hex(&[("a", "b"), ("c", "")]));
        assert_ne!(hex(&[("a", "b"), ("a", "c")]), hex(&[("a", "bc")]));
    }
}

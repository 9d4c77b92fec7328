//! What the payloads of frames say.

/// The first `N` bytes, taken off.
pub(crate) fn take<const N: usize>(bytes: &mut &[u8]) -> [u8; N] {
    let (first, rest) = bytes.split_first_chunk().expect("a longer frame");
    *bytes = rest;
    *first
}

/// The next number.
pub(crate) fn number(bytes: &mut &[u8]) -> u64 {
    u64::from_le_bytes(take(bytes))
}

/// All pieces to the end.
pub(crate) fn pieces(bytes: &mut &[u8]) -> Vec<Vec<u8>> {
    let mut pieces = Vec::new();
    while !bytes.is_empty() {
        let length = u32::from_le_bytes(take(bytes)) as usize;
        let (piece, rest) = bytes.split_at(length);
        pieces.push(piece.to_vec());
        *bytes = rest;
    }
    pieces
}

/// Clock and instructions of a `mark`.
pub(crate) fn mark(payload: &[u8]) -> (u64, u64) {
    let bytes = &mut &payload[1..];
    (number(bytes), number(bytes))
}

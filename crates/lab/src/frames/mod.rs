//! What the plugin writes: frames of a length (`u32`, little-endian), a kind (`u8`) and a payload.
//! The plugin's own documentation describes them; unknown kinds are passed over.

mod looks;

use std::io::{self, Read};

pub(crate) use looks::{Code, Probe, Registers, Sample};

/// One frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// What the plugin found in this QEMU: `key=value` lines.
    Hello(String),
    /// The guest executed a marker.
    Mark(Mark),
    /// The guest sent a message on a channel.
    Data(u8, Vec<u8>),
    /// Instructions by block, of the phase with that number: by a kernel block's address, by a user block's key.
    Profile(u8, Vec<(u64, u64)>),
    /// The emulator ends in order.
    End,
    /// Something went wrong in the plugin.
    Note(String),
    /// The guest came to an instruction at which a probe looks.
    Probe(Probe),
    /// So many instructions were executed since the last one.
    Sample(Sample),
    /// The guest executed a user block for the first time.
    Code(Code),
}

/// A marker with the machine's counters at that moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The marker's number.
    pub(crate) number: u8,
    /// The guest's clock in nanoseconds, if it could be read.
    pub(crate) clock: Option<u64>,
    /// Instructions that all CPUs executed so far.
    pub(crate) instructions: u64,
    /// Those of them in the kernel.
    pub(crate) kernel_instructions: u64,
}

/// Longer frames are taken for damage.
const LONGEST: usize = 64 << 20;

/// Reads the next frame; `None` at the end.
///
/// # Errors
/// A frame that is cut or larger than the plugin makes them.
pub(crate) fn read(source: &mut impl Read) -> io::Result<Option<Frame>> {
    loop {
        let mut head = [0u8; 5];
        match source.read(&mut head[..1])? {
            0 => return Ok(None),
            _ => source.read_exact(&mut head[1..])?,
        }
        let length = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
        if length > LONGEST {
            return Err(io::Error::other(format!("the plugin sent a frame of {length} bytes")));
        }
        let mut payload = vec![0u8; length];
        source.read_exact(&mut payload)?;
        if let Some(frame) = frame(head[4], payload)? {
            return Ok(Some(frame));
        }
    }
}

fn frame(kind: u8, payload: Vec<u8>) -> io::Result<Option<Frame>> {
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let short = || io::Error::other(format!("the plugin sent a short frame of kind {kind}"));
    Ok(Some(match kind {
        1 => Frame::Hello(text(payload)),
        2 => Frame::Mark(mark(&payload).ok_or_else(short)?),
        3 => {
            let (channel, bytes) = payload.split_first().ok_or_else(short)?;
            Frame::Data(*channel, bytes.to_vec())
        }
        4 => {
            let (phase, counts) = payload.split_first().ok_or_else(short)?;
            let pairs = counts.chunks_exact(16);
            Frame::Profile(*phase, pairs.filter_map(|c| Some((word(c, 0)?, word(c, 8)?))).collect())
        }
        5 => Frame::End,
        6 => Frame::Note(text(payload)),
        7 => Frame::Probe(Probe::read(&payload).ok_or_else(short)?),
        8 => Frame::Sample(Sample::read(&payload).ok_or_else(short)?),
        9 => Frame::Code(Code::read(&payload).ok_or_else(short)?),
        _ => return Ok(None),
    }))
}

fn mark(payload: &[u8]) -> Option<Mark> {
    Some(Mark {
        number: *payload.first()?,
        clock: clock(payload, 1)?,
        instructions: word(payload, 9)?,
        kernel_instructions: word(payload, 17)?,
    })
}

/// A clock; all ones stand for an unknown one.
fn clock(bytes: &[u8], at: usize) -> Option<Option<u64>> {
    word(bytes, at).map(|clock| (clock != u64::MAX).then_some(clock))
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(super) fn raw(kind: u8, payload: &[u8]) -> Vec<u8> {
        let length = u32::try_from(payload.len()).unwrap();
        [&length.to_le_bytes()[..], &[kind], payload].concat()
    }

    #[test]
    fn frames_follow_one_another_and_unknown_kinds_are_passed_over() {
        let mut mark = vec![3u8];
        for value in [1_000u64, 70, 50, 9] {
            mark.extend(value.to_le_bytes());
        }
        let bytes = [raw(99, b"new"), raw(2, &mark), raw(3, b"\x01hi"), raw(5, &[0; 24])].concat();
        let mut source = &bytes[..];
        let expected =
            Mark { number: 3, clock: Some(1_000), instructions: 70, kernel_instructions: 50 };
        assert_eq!(read(&mut source).unwrap(), Some(Frame::Mark(expected)));
        assert_eq!(read(&mut source).unwrap(), Some(Frame::Data(1, b"hi".to_vec())));
        assert_eq!(read(&mut source).unwrap(), Some(Frame::End));
        assert_eq!(read(&mut source).unwrap(), None);
    }

    #[test]
    fn a_cut_frame_is_an_error() {
        assert!(read(&mut &raw(1, b"hello")[..7]).is_err());
        assert!(read(&mut &raw(2, b"\x01")[..]).is_err());
        assert!(read(&mut &[0xff, 0xff, 0xff, 0xff, 1][..]).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(bytes: Vec<u8>) {
            let mut source = &bytes[..];
            while let Ok(Some(_)) = read(&mut source) {}
        }
    }
}

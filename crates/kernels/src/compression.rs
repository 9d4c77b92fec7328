//! The ways in which kernels and modules are packed, told apart by their first bytes.
//!
//! Source of the magic numbers: `scripts/extract-vmlinux` and `lib/decompress.c` in Linux.

use std::io::{self, Read};

use liblzma::read::XzDecoder;
use liblzma::stream::Stream;

/// Memory that an xz or lzma stream may ask for. Kernels use dictionaries of at most 128 MiB.
const XZ_MEMORY: u64 = 512 << 20;
/// No kernel or module is larger than this, in bytes; it stops a damaged file from filling memory.
const OUTPUT_LIMIT: u64 = 2 << 30;
/// The size of all blocks but the last in lz4's legacy format, in bytes.
const LZ4_BLOCK: usize = 8 << 20;
const LZ4_MAGIC: [u8; 4] = [0x02, 0x21, 0x4c, 0x18];

/// A way of packing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compression {
    Gzip,
    Xz,
    Zstd,
    Bzip2,
    Lzma,
    Lz4,
    Lzo,
}

const MAGIC: [(&[u8], Compression); 7] = [
    (&[0x1f, 0x8b, 0x08], Compression::Gzip),
    (&[0xfd, b'7', b'z', b'X', b'Z', 0], Compression::Xz),
    (&[0x28, 0xb5, 0x2f, 0xfd], Compression::Zstd),
    (b"BZh", Compression::Bzip2),
    (&[0x5d, 0, 0], Compression::Lzma),
    (&LZ4_MAGIC, Compression::Lz4),
    (&[0x89, b'L', b'Z', b'O'], Compression::Lzo),
];

impl Compression {
    /// How these bytes are packed, if they are.
    pub(crate) fn of(bytes: &[u8]) -> Option<Self> {
        MAGIC
            .iter()
            .find(|(magic, _)| bytes.starts_with(magic))
            .map(|(_, compression)| *compression)
    }

    /// The name that people know.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Compression::Gzip => "gzip",
            Compression::Xz => "xz",
            Compression::Zstd => "zstd",
            Compression::Bzip2 => "bzip2",
            Compression::Lzma => "lzma",
            Compression::Lz4 => "lz4",
            Compression::Lzo => "lzo",
        }
    }

    /// Unpacks one stream and ignores what follows it.
    ///
    /// # Errors
    /// The stream is damaged, cut off or too large, or of a kind (`lzo`) that has no reader here.
    pub(crate) fn unpack(self, packed: &[u8]) -> io::Result<Vec<u8>> {
        match self {
            Compression::Gzip => read_all(flate2::read::GzDecoder::new(packed)),
            Compression::Xz => {
                let stream = Stream::new_stream_decoder(XZ_MEMORY, 0)?;
                read_all(XzDecoder::new_stream(packed, stream))
            }
            Compression::Lzma => {
                let stream = Stream::new_lzma_decoder(XZ_MEMORY)?;
                read_all(XzDecoder::new_stream(packed, stream))
            }
            Compression::Zstd => read_all(zstd::stream::read::Decoder::new(packed)?.single_frame()),
            Compression::Bzip2 => read_all(bzip2::read::BzDecoder::new(packed)),
            Compression::Lz4 => unpack_lz4(packed),
            Compression::Lzo => Err(io::Error::from(io::ErrorKind::Unsupported)),
        }
    }
}

fn read_all(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut unpacked = Vec::new();
    reader.take(OUTPUT_LIMIT + 1).read_to_end(&mut unpacked)?;
    within_limit(&unpacked)?;
    Ok(unpacked)
}

fn within_limit(unpacked: &[u8]) -> io::Result<()> {
    if unpacked.len() as u64 > OUTPUT_LIMIT {
        return Err(io::Error::other("it unpacks to more than 2 GiB"));
    }
    Ok(())
}

/// lz4's legacy format, which the kernel uses: the magic, then blocks of a length (4 bytes,
/// little-endian) and that many packed bytes (`lib/decompress_unlz4.c`).
fn unpack_lz4(packed: &[u8]) -> io::Result<Vec<u8>> {
    let mut rest = packed.strip_prefix(&LZ4_MAGIC).unwrap_or(packed);
    let mut unpacked = Vec::new();
    let mut block = vec![0; LZ4_BLOCK];
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let length = u32::from_le_bytes(*length) as usize;
        let (input, after) = after.split_at_checked(length).ok_or(io::ErrorKind::UnexpectedEof)?;
        let written =
            lz4_flex::block::decompress_into(input, &mut block).map_err(io::Error::other)?;
        unpacked.extend_from_slice(block.get(..written).unwrap_or_default());
        within_limit(&unpacked)?;
        rest = after;
    }
    Ok(unpacked)
}

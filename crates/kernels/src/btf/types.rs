//! The types of a BTF by their number, and the names in it.

use super::layout::LayoutError;

/// What of `struct btf_header` matters here. Offsets are bytes from the start of the BTF.
#[derive(Debug, Clone, Copy)]
pub(super) struct Header {
    types_at: usize,
    types_len: usize,
    strings_at: usize,
    strings_len: usize,
    /// The length of the whole.
    len: usize,
}

impl Header {
    /// The magic number 0xeb9f, little-endian, and version 1.
    pub(super) const MAGIC: [u8; 3] = [0x9f, 0xeb, 0x01];

    /// Reads the header; `None` when there is none or it points beyond the bytes.
    pub(super) fn of(btf: &[u8]) -> Option<Header> {
        btf.starts_with(&Header::MAGIC).then_some(())?;
        let field = |at| word(btf, at).map(|word| word as usize);
        let header_len = field(4)?;
        let header = Header {
            types_at: header_len.checked_add(field(8)?)?,
            types_len: field(12)?,
            strings_at: header_len.checked_add(field(16)?)?,
            strings_len: field(20)?,
            len: btf.len(),
        };
        header.fits().then_some(header)
    }

    fn fits(&self) -> bool {
        let end = |at: usize, len: usize| at.checked_add(len).is_some_and(|end| end <= self.len);
        end(self.types_at, self.types_len) && end(self.strings_at, self.strings_len)
    }

    /// Whether this is as the kernel's build makes it: the strings follow the types, and neither is
    /// empty. Tells a header from chance bytes.
    pub(super) fn is_plausible(self) -> bool {
        let follow = self.strings_at == self.types_at + self.types_len;
        follow && self.types_len > 0 && self.strings_len > 0
    }
}

/// One `struct btf_type`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Type<'a> {
    /// Where its name is; 0 for none.
    pub(super) name: u32,
    /// One of [`super::kind`].
    pub(super) kind: u32,
    /// `kind_flag`: bit fields in a struct, signed values in an enum.
    pub(super) flag: bool,
    /// Bytes of a struct, union, enum or number; else the number of the type that this one refers to.
    pub(super) size_or_type: u32,
    /// What follows: members, enumerators, an array's length.
    pub(super) body: &'a [u8],
}

/// All types of a BTF.
#[derive(Debug, Clone)]
pub(super) struct Types {
    types: Vec<u8>,
    strings: Vec<u8>,
    /// Where each type is in `types`. Numbers begin with 1, 0 is `void`.
    starts: Vec<u32>,
}

impl Types {
    pub(super) fn parse(btf: &[u8]) -> Result<Types, LayoutError> {
        let damaged = |reason: String| LayoutError::Damaged { reason };
        let header = "it does not begin with a header";
        let header = Header::of(btf).ok_or_else(|| damaged(header.to_owned()))?;
        let part = |at: usize, len: usize| btf[at..at + len].to_vec();
        let types = part(header.types_at, header.types_len);
        let strings = part(header.strings_at, header.strings_len);
        let mut starts = Vec::with_capacity(types.len() / 32);
        let mut at = 0;
        while at < types.len() {
            // All lengths are 32-bit fields.
            starts.push(at as u32);
            let unknown =
                || damaged(format!("type {} is cut off or of no known kind", starts.len()));
            at += length(&types[at..]).ok_or_else(unknown)?;
        }
        Ok(Types { types, strings, starts })
    }

    /// The type of that number.
    pub(super) fn get(&self, number: u32) -> Option<Type<'_>> {
        let start = *self.starts.get((number as usize).checked_sub(1)?)? as usize;
        let bytes = &self.types[start..];
        let info = word(bytes, 4)?;
        Some(Type {
            name: word(bytes, 0)?,
            kind: kind_of(info),
            flag: info >> 31 == 1,
            size_or_type: word(bytes, 8)?,
            body: bytes.get(12..length(bytes)?)?,
        })
    }

    /// The numbers of all types.
    pub(super) fn numbers(&self) -> impl Iterator<Item = u32> {
        1..=self.starts.len() as u32
    }

    /// Whether the name that stands there is `name`.
    pub(super) fn is_named(&self, at: u32, name: &str) -> bool {
        let there = self.strings.get(at as usize..);
        let rest = there.and_then(|there| there.strip_prefix(name.as_bytes()));
        rest.is_some_and(|rest| rest.first() == Some(&0))
    }
}

fn kind_of(info: u32) -> u32 {
    info >> 24 & 0x1f
}

/// The bytes of the type that begins there. `None` when it is cut off or of an unknown kind.
fn length(bytes: &[u8]) -> Option<usize> {
    let info = word(bytes, 4)?;
    let entries = (info & 0xffff) as usize;
    let body = match kind_of(info) {
        2 | 7..=12 | 16 | 18 => 0, // pointer, forward, typedef … restrict, function, float, type tag
        1 | 14 | 17 => 4,          // number, variable, declaration tag
        3 => 12,                   // array
        6 | 13 => 8 * entries,     // enum, prototype
        4 | 5 | 15 | 19 => 12 * entries, // struct, union, data section, enum64
        _ => return None,
    };
    (bytes.len() >= 12 + body).then_some(12 + body)
}

/// The little-endian word at a byte offset.
pub(super) fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..)?.first_chunk::<4>()?;
    Some(u32::from_le_bytes(*bytes))
}

//! Offsets of members and values of enumerators.

use std::collections::BTreeSet;

use super::types::{Type, Types, word};
use super::{kind, section};

/// How deep types may lie in each other before they are taken for damaged.
const DEEPEST: u32 = 32;

/// How a kernel lays out its structs, and what its enumerators are worth.
#[derive(Debug, Clone)]
pub struct Layout {
    types: Types,
    /// The numbers of the structs, unions and enums that have a name.
    named: Vec<u32>,
}

/// Where a member lies in its struct.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// Bytes from the struct's begin.
    pub offset: u32,
    /// Bytes that it takes; 0 for an array without a length.
    pub size: u32,
}

/// Why a kernel's layout cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// The bytes are no ELF image.
    #[error(
        "the kernel's layout cannot be read: not a 64-bit ELF image ({reason}); hand over the vmlinux"
    )]
    NotElf {
        /// What the ELF reader said.
        reason: String,
    },
    /// The kernel was built without type information.
    #[error(
        "the kernel does not say how its data is laid out (it has no .BTF section); build it with CONFIG_DEBUG_INFO_BTF=y"
    )]
    NoBtf,
    /// The type information is not as it should be.
    #[error(
        "the kernel's .BTF section cannot be read: {reason}; the image is damaged, or newer than this program"
    )]
    Damaged {
        /// What is wrong.
        reason: String,
    },
}

impl Layout {
    /// Reads the BTF of an uncompressed ELF `vmlinux` for a little-endian machine.
    ///
    /// # Errors
    /// The bytes are no ELF image, or it has no BTF, or that is damaged.
    pub fn of(vmlinux: &[u8]) -> Result<Layout, LayoutError> {
        let not_elf = |error: object::Error| LayoutError::NotElf { reason: error.to_string() };
        let btf = section::find(vmlinux).map_err(not_elf)?.ok_or(LayoutError::NoBtf)?;
        let types = Types::parse(btf)?;
        let named = types.numbers().filter(|number| types.get(*number).is_some_and(is_named));
        let named = named.collect();
        Ok(Layout { types, named })
    }

    /// Where `member` lies in the struct or union that is named `of`, also when it is a member of a
    /// nameless struct or union in there.
    ///
    /// `None` when there is no such member, when it is a bit field, or when several types of that name
    /// have it at different places.
    #[must_use]
    pub fn offset(&self, of: &str, member: &str) -> Option<Member> {
        let compounds = self.named(of).filter(is_compound);
        let mut found = compounds.filter_map(|compound| self.member(compound, member));
        let first = found.next()?;
        found.all(|other| other == first).then_some(first)
    }

    /// The value of an enumerator of the enum that is named `of`; a negative one as two's complement.
    ///
    /// `None` when there is no such enumerator, or when several enums of that name disagree.
    #[must_use]
    pub fn enumerator(&self, of: &str, enumerator: &str) -> Option<u64> {
        let mut found = self.named(of).filter_map(|list| self.value(list, enumerator));
        let first = found.next()?;
        found.all(|other| other == first).then_some(first)
    }

    fn named(&self, name: &str) -> impl Iterator<Item = Type<'_>> {
        let types = self.named.iter().filter_map(|number| self.types.get(*number));
        types.filter(move |found| self.types.is_named(found.name, name))
    }

    /// A member of this type or of a nameless one within.
    fn member(&self, compound: Type<'_>, name: &str) -> Option<Member> {
        let mut open = vec![(compound, 0)];
        // C allows a name once, so a nameless type stands in a struct once; again means damaged.
        let mut seen = BTreeSet::new();
        while let Some((compound, base)) = open.pop() {
            for entry in compound.body.as_chunks::<12>().0 {
                let (label, of, place) = (word(entry, 0)?, word(entry, 4)?, word(entry, 8)?);
                let offset = byte_offset(compound, place).and_then(|at| at.checked_add(base));
                let Some(offset) = offset else { continue };
                if label != 0 && self.types.is_named(label, name) {
                    return Some(Member { offset, size: self.size(of, 0)? });
                }
                let inner = self.types.get(of).filter(|inner| label == 0 && is_compound(inner));
                open.extend(inner.filter(|_| seen.insert(of)).map(|inner| (inner, offset)));
            }
        }
        None
    }

    /// The bytes that a type takes.
    fn size(&self, number: u32, depth: u32) -> Option<u32> {
        let of = self.types.get(number).filter(|_| depth <= DEEPEST)?;
        match of.kind {
            kind::PTR => Some(8),
            kind::INT | kind::STRUCT | kind::UNION | kind::ENUM | kind::FLOAT | kind::ENUM64 => {
                Some(of.size_or_type)
            }
            kind::ARRAY => self.size(word(of.body, 0)?, depth + 1)?.checked_mul(word(of.body, 8)?),
            kind::TYPEDEF | kind::VOLATILE | kind::CONST | kind::RESTRICT | kind::TYPE_TAG => {
                self.size(of.size_or_type, depth + 1)
            }
            _ => None,
        }
    }

    fn value(&self, list: Type<'_>, name: &str) -> Option<u64> {
        let width = match list.kind {
            kind::ENUM => 8,
            kind::ENUM64 => 12,
            _ => return None,
        };
        let mut entries = list.body.chunks_exact(width);
        let entry =
            entries.find(|entry| word(entry, 0).is_some_and(|at| self.types.is_named(at, name)))?;
        let low = word(entry, 4)?;
        Some(match word(entry, 8) {
            Some(high) => u64::from(high) << 32 | u64::from(low),
            None if list.flag => i64::from(low.cast_signed()).cast_unsigned(),
            None => u64::from(low),
        })
    }
}

fn is_named(of: Type<'_>) -> bool {
    of.name != 0 && (is_compound(&of) || matches!(of.kind, kind::ENUM | kind::ENUM64))
}

fn is_compound(of: &Type<'_>) -> bool {
    matches!(of.kind, kind::STRUCT | kind::UNION)
}

/// The byte at which a member begins. `None` for a bit field, and for what begins within a byte.
fn byte_offset(compound: Type<'_>, place: u32) -> Option<u32> {
    // With the flag set, the upper byte is a bit field's width and the rest its bit (btf.rst).
    let (width, bit) = if compound.flag { (place >> 24, place & 0xff_ffff) } else { (0, place) };
    (width == 0 && bit % 8 == 0).then_some(bit / 8)
}

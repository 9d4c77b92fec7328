//! Kinds of types, `BTF_KIND_*`, as far as they matter here.

pub(super) const INT: u32 = 1;
pub(super) const PTR: u32 = 2;
pub(super) const ARRAY: u32 = 3;
pub(super) const STRUCT: u32 = 4;
pub(super) const UNION: u32 = 5;
pub(super) const ENUM: u32 = 6;
pub(super) const TYPEDEF: u32 = 8;
pub(super) const VOLATILE: u32 = 9;
pub(super) const CONST: u32 = 10;
pub(super) const RESTRICT: u32 = 11;
pub(super) const FLOAT: u32 = 16;
pub(super) const TYPE_TAG: u32 = 18;
pub(super) const ENUM64: u32 = 19;

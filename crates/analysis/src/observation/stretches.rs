//! Stretches of time: cutting them, and finding those that touch another.

use model::trace::Span;

/// Something that lasts.
pub(crate) trait Lasts {
    /// From when to when.
    fn span(&self) -> Span;
}

impl Lasts for Span {
    fn span(&self) -> Span {
        *self
    }
}

/// What of `one` lies in `other`; `None` where that is nothing.
pub(crate) fn cut(one: Span, other: Span) -> Option<Span> {
    let from_ns = one.from_ns.max(other.from_ns);
    let to_ns = one.to_ns.min(other.to_ns);
    (from_ns < to_ns).then_some(Span { from_ns, to_ns })
}

/// Those of `sorted`, which follow each other in time and do not overlap, that touch `span`.
pub(crate) fn touching<T: Lasts>(sorted: &[T], span: Span) -> &[T] {
    let first = sorted.partition_point(|one| one.span().to_ns <= span.from_ns);
    let rest = &sorted[first..];
    &rest[..rest.partition_point(|one| one.span().from_ns < span.to_ns)]
}

/// `part` of `whole` in thousandths, rounded down; `None` of nothing.
pub(crate) fn milli(part: u128, whole: u64) -> Option<u64> {
    let thousandths = (part * 1000).checked_div(u128::from(whole))?;
    Some(u64::try_from(thousandths).unwrap_or(u64::MAX))
}

/// `count` equal stretches of `span`, in order, fewer where it is shorter than that.
pub(crate) fn equal(span: Span, count: usize) -> impl Iterator<Item = Span> {
    let count = (count as u64).min(span.length());
    let length = u128::from(span.length());
    let edge = move |at: u64| {
        let offset = length * u128::from(at) / u128::from(count.max(1));
        span.from_ns + u64::try_from(offset).unwrap_or(u64::MAX)
    };
    (0..count).map(move |at| Span { from_ns: edge(at), to_ns: edge(at + 1) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(from_ns: u64, to_ns: u64) -> Span {
        Span { from_ns, to_ns }
    }

    #[test]
    fn stretches_are_cut_to_others() {
        assert_eq!(cut(span(2, 8), span(5, 20)), Some(span(5, 8)));
        assert_eq!(cut(span(2, 8), span(0, 20)), Some(span(2, 8)));
        assert_eq!(cut(span(2, 8), span(8, 20)), None);
        assert_eq!(cut(span(5, 5), span(0, 20)), None);
    }

    #[test]
    fn those_that_only_meet_a_stretch_do_not_touch_it() {
        let sorted = [span(0, 2), span(2, 4), span(6, 8), span(8, 9)];
        assert_eq!(touching(&sorted, span(2, 8)), &sorted[1..3]);
        assert_eq!(touching(&sorted, span(3, 7)), &sorted[1..3]);
        assert_eq!(touching(&sorted, span(4, 6)), &[]);
        assert_eq!(touching(&sorted, span(20, 30)), &[]);
    }

    #[test]
    fn equal_stretches_cover_the_whole() {
        let parts: Vec<Span> = equal(span(10, 110), 3).collect();
        assert_eq!(parts, [span(10, 43), span(43, 76), span(76, 110)]);
        assert_eq!(equal(span(7, 9), 64).count(), 2);
        assert_eq!(equal(span(7, 7), 64).count(), 0);
    }

    #[test]
    fn thousandths_of_nothing_are_none() {
        assert_eq!(milli(3, 2), Some(1500));
        assert_eq!(milli(0, 0), None);
    }
}

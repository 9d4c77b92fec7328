//! How `mm/vmstat.c` begins a line on a zone: `Node 0, zone   Normal`.

/// The node, the zone's name, and what follows the name (which may begin with a comma).
///
/// # Errors
///
/// Says that the line begins otherwise.
pub(crate) fn begin(line: &str) -> Result<(u32, &str, &str), String> {
    split(line).ok_or_else(|| "it does not begin with a node and a zone".to_owned())
}

fn split(line: &str) -> Option<(u32, &str, &str)> {
    let (node, rest) = line.trim_start().strip_prefix("Node")?.split_once(',')?;
    let rest = rest.trim_start().strip_prefix("zone")?.trim_start();
    let end = rest.find([' ', ',', '\t']).unwrap_or(rest.len());
    let (zone, rest) = rest.split_at_checked(end)?;
    if zone.is_empty() {
        return None;
    }
    Some((node.trim().parse().ok()?, zone, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_is_taken_apart() {
        for (line, node, zone, rest) in [
            ("Node 0, zone      DMA", 0, "DMA", ""),
            ("Node 12, zone   Normal   3  4 ", 12, "Normal", "   3  4 "),
            ("Node    1, zone  HighMem, type  Movable  7", 1, "HighMem", ", type  Movable  7"),
        ] {
            assert_eq!(begin(line), Ok((node, zone, rest)), "{line}");
        }
        for line in ["", "Node", "Node 0", "Node 0, zone", "Node x, zone DMA", "Zone 0, zone DMA"] {
            assert!(begin(line).is_err(), "{line}");
        }
    }
}

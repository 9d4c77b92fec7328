//! Messages over the serial console, for emulators whose plugin cannot read the guest's memory.
//!
//! A message is a run of lines `\x1eslowpath CHANNEL HEX`, closed by `\x1eslowpath CHANNEL end CRC`;
//! other text may stand between them. The CRC is [`checksum`] over the message's bytes.

use std::fmt::Write as _;

const START: &str = "\u{1e}slowpath ";
const LINE_BYTES: usize = 256;

/// FNV-1a over the bytes: enough to notice lines that the console lost.
#[must_use]
pub fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

/// The text that carries `bytes`.
#[must_use]
pub fn encode(channel: u8, bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.chunks(LINE_BYTES) {
        let _ = write!(text, "{START}{channel} ");
        for byte in chunk {
            let _ = write!(text, "{byte:02x}");
        }
        text.push('\n');
    }
    let _ = writeln!(text, "{START}{channel} end {:08x}", checksum(bytes));
    text
}

/// A console taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Console {
    /// Whole messages, in the order in which they ended.
    pub messages: Vec<(u8, Vec<u8>)>,
    /// All other lines.
    pub text: Vec<String>,
    /// How many messages were damaged or cut.
    pub damaged: usize,
}

/// Takes a console's text apart.
#[must_use]
pub fn decode(console: &str) -> Console {
    let mut out = Console::default();
    let mut open: Vec<(u8, Vec<u8>)> = Vec::new();
    for line in console.lines() {
        match line.find(START).map(|at| parse_line(&line[at + START.len()..])) {
            None => out.text.push(line.trim_end_matches('\r').to_owned()),
            Some(None) => out.damaged += 1,
            Some(Some(Line::Bytes(channel, bytes))) => {
                match open.iter_mut().find(|(c, _)| *c == channel) {
                    Some((_, message)) => message.extend(bytes),
                    None => open.push((channel, bytes)),
                }
            }
            Some(Some(Line::End(channel, sum))) => {
                let at = open.iter().position(|(c, _)| *c == channel);
                let message = at.map(|at| open.swap_remove(at).1).unwrap_or_default();
                if checksum(&message) == sum {
                    out.messages.push((channel, message));
                } else {
                    out.damaged += 1;
                }
            }
        }
    }
    out.damaged += open.len();
    out
}

enum Line {
    Bytes(u8, Vec<u8>),
    End(u8, u32),
}

fn parse_line(line: &str) -> Option<Line> {
    let mut words = line.split_ascii_whitespace();
    let channel = words.next()?.parse().ok()?;
    match words.next()? {
        "end" => Some(Line::End(channel, u32::from_str_radix(words.next()?, 16).ok()?)),
        hex => Some(Line::Bytes(channel, parse_hex(hex)?)),
    }
}

/// Bytes from hexadecimal digits, two a byte.
#[must_use]
pub fn parse_hex(hex: &str) -> Option<Vec<u8>> {
    let digit = |c: u8| char::from(c).to_digit(16).and_then(|d| u8::try_from(d).ok());
    let pairs = hex.as_bytes().chunks(2);
    pairs.map(|pair| Some(digit(*pair.first()?)? << 4 | digit(*pair.get(1)?)?)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn other_text_and_damage_are_kept_apart() {
        let mut text = format!("boot\r\n{}[ 1.0] panic\n", encode(1, b"report"));
        text.push_str(&encode(2, b"cut")[..16]);
        let console = decode(&text);
        assert_eq!(console.messages, [(1, b"report".to_vec())]);
        assert_eq!(console.text, ["boot", "[ 1.0] panic"]);
        assert_eq!(console.damaged, 1);
    }

    proptest! {
        #[test]
        fn a_message_survives(channel: u8, bytes: Vec<u8>) {
            let console = decode(&encode(channel, &bytes));
            prop_assert_eq!(console.messages, vec![(channel, bytes)]);
        }

        #[test]
        fn any_text_is_survived(text: String) {
            let _ = decode(&text);
        }
    }
}

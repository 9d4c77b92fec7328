//! The agent as an ordinary program on the host.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use model::Bytes;
use model::settings::{Flush, OpenFlags, Rewrite};
use protocol::Writing;
use serde_json::json;

use crate::clock::now_ns;
use crate::gaps::Gaps;
use crate::latency::Latency;
use crate::pages::Pages;
use crate::stream::Watched;
use crate::{host, stream};

/// Exit code for arguments that make no sense.
const USAGE_ERROR: u8 = 2;

/// How the program is called.
pub const USAGE: &str = "\
Usage: slowpath-agent stream FILE --size N --block N [--overwrite]
       slowpath-agent phases < JOB
       slowpath-agent --version

Runs as PID 1 in slowpath's guests. On a host, `stream` writes N bytes of zeros to FILE as a
trial's writing phase does and prints what it measured as JSON; `phases` does a whole trial in
the folders that JOB (JSON) names and prints its report as JSON.
";

#[derive(Clone, Debug, PartialEq, Eq)]
enum Command {
    Version,
    Help,
    Stream(Stream),
    Phases,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Stream {
    file: PathBuf,
    size: u64,
    block: usize,
    truncate: bool,
}

/// Does what `arguments` ask for.
pub fn run(arguments: &[String]) -> ExitCode {
    match parse(arguments) {
        Ok(Command::Version) => say(concat!("slowpath-agent ", env!("CARGO_PKG_VERSION"), "\n")),
        Ok(Command::Help) => say(USAGE),
        Ok(Command::Stream(stream)) => match measure(&stream) {
            Ok(json) => say(&format!("{json}\n")),
            Err(reason) => complain(&reason, ExitCode::FAILURE),
        },
        Ok(Command::Phases) => host::run(io::stdin().lock()),
        Err(reason) => complain(&format!("{reason}\n{USAGE}"), USAGE_ERROR.into()),
    }
}

fn say(text: &str) -> ExitCode {
    match io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn complain(text: &str, code: ExitCode) -> ExitCode {
    // Where standard error is gone, the code still tells.
    let _ = writeln!(io::stderr(), "slowpath-agent: {text}");
    code
}

fn measure(wanted: &Stream) -> Result<serde_json::Value, String> {
    let block = Pages::new(wanted.block).map_err(|e| format!("allocating a block: {e}"))?;
    let block = &block[..wanted.block];
    let mut latency = Latency::new();
    let began = now_ns();
    let writing = Writing {
        size: wanted.size,
        block: block.len() as u64,
        rewrite: Rewrite::Overwrite,
        oflag: OpenFlags::default(),
        conv: Flush::None,
        writers: 1,
    };
    let gaps = Gaps::new();
    gaps.begin(began);
    let mut watched = Watched { latency: &mut latency, gaps: &gaps };
    let bytes = stream::write(&wanted.file, &writing, block, wanted.truncate, &mut watched)
        .map_err(|failure| failure.reason)?;
    let wall_ns = now_ns() - began;
    Ok(json!({
        "wall_ns": wall_ns,
        "bytes": bytes,
        "write_latency": latency.buckets(),
        "slowest": latency.slowest(began),
    }))
}

fn parse(arguments: &[String]) -> Result<Command, String> {
    let mut words = arguments.iter().map(String::as_str);
    match words.next() {
        Some("--version" | "-V") => Ok(Command::Version),
        Some("--help" | "-h") => Ok(Command::Help),
        Some("stream") => parse_stream(words).map(Command::Stream),
        Some("phases") => match words.next() {
            None => Ok(Command::Phases),
            Some(extra) => Err(format!("`{extra}` is too much; the job comes on standard input")),
        },
        Some(other) => Err(format!("`{other}` is no command")),
        None => Err("a command is missing".to_owned()),
    }
}

fn parse_stream<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Stream, String> {
    let (mut file, mut size, mut block, mut truncate) = (None, None, None, true);
    while let Some(word) = words.next() {
        match word {
            "--size" => size = Some(bytes(word, words.next())?),
            "--block" => block = Some(bytes(word, words.next())?),
            "--overwrite" => truncate = false,
            option if option.starts_with("--") => return Err(format!("`{option}` is no option")),
            path if file.is_none() => file = Some(PathBuf::from(path)),
            extra => return Err(format!("`{extra}` is one file too many")),
        }
    }
    let block = block.ok_or("--block is missing")?;
    Ok(Stream {
        file: file.ok_or("FILE is missing")?,
        size: size.ok_or("--size is missing")?,
        block: usize::try_from(block).ok().filter(|b| *b > 0).ok_or("--block must be 1 or more")?,
        truncate,
    })
}

fn bytes(option: &str, value: Option<&str>) -> Result<u64, String> {
    let value = value.ok_or_else(|| format!("{option} needs a value"))?;
    let Bytes(bytes) = value.parse().map_err(|e| format!("{option}: {e}"))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Command, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        parse(&words)
    }

    #[test]
    fn a_stream_is_described() {
        let stream = Stream { file: "f".into(), size: 100 << 20, block: 1024, truncate: false };
        assert_eq!(
            parsed("stream f --size 100M --block 1k --overwrite"),
            Ok(Command::Stream(stream))
        );
    }

    #[test]
    fn wrong_arguments_are_named() {
        for (line, said) in [
            ("", "a command is missing"),
            ("run", "`run` is no command"),
            ("stream", "--block is missing"),
            ("stream --block 1k --size 1", "FILE is missing"),
            ("stream f --block 0 --size 1", "--block must be 1 or more"),
            ("stream f --block", "--block needs a value"),
            ("stream f g", "`g` is one file too many"),
            ("stream f --fast", "`--fast` is no option"),
            ("phases f", "`f` is too much; the job comes on standard input"),
        ] {
            assert_eq!(parsed(line), Err(said.to_owned()), "{line}");
        }
    }

    #[test]
    fn a_stream_is_measured() {
        let folder = tempfile::tempdir().unwrap();
        let json = measure(&Stream {
            file: folder.path().join("f"),
            size: 5000,
            block: 1000,
            truncate: true,
        })
        .unwrap();
        assert_eq!(json["bytes"], 5000);
        assert_eq!(json["slowest"].as_array().map(Vec::len), Some(5));
    }
}

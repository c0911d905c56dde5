//! A directive file or a filter as the command line names it: read once, so that a pipe serves as well as a file.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use clap::builder::{PathBufValueParser, TypedValueParser};

use crate::output::terminal::plain;

/// What a file holds, or why that cannot be known.
#[derive(Clone, Debug)]
pub(crate) struct DirectiveFile {
    /// As it was named.
    pub(crate) name: String,
    /// Its text, or what is wrong.
    pub(crate) text: Result<String, String>,
}

/// No file of directives is larger.
const MOST_BYTES: u64 = 64 << 20;

impl DirectiveFile {
    /// Reads the file of directives that an argument names.
    pub(crate) fn parser() -> impl TypedValueParser<Value = Self> {
        PathBufValueParser::new().map(|path: PathBuf| Self::read(&path, "directives"))
    }

    /// Reads the filter that an argument names.
    pub(crate) fn filter_parser() -> impl TypedValueParser<Value = Self> {
        PathBufValueParser::new().map(|path: PathBuf| Self::read(&path, "filter"))
    }

    fn read(path: &Path, what: &str) -> Self {
        let name = plain(&path.display().to_string()).into_owned();
        let text = match bytes(path) {
            Ok(bytes) => text(&name, bytes),
            Err(error) => Err(format!("cannot read the {what} {name}: {error}")),
        };
        Self { name, text }
    }
}

fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        let size = MOST_BYTES >> 20;
        return Err(io::Error::other(format!("it is larger than {size} MiB, which none is")));
    }
    Ok(bytes)
}

fn text(name: &str, bytes: Vec<u8>) -> Result<String, String> {
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err(format!("{name}:1:1: this is UTF-16; save the file as UTF-8"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let well = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = well.iter().filter(|byte| **byte == b'\n').count() + 1;
        let before = well.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        let column = String::from_utf8_lossy(before).chars().count() + 1;
        format!("{name}:{line}:{column}: this is not UTF-8; save the file as UTF-8")
    })
}

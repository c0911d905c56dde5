//! Streams of other sources beside a run: what `--stream` names is found, and read as a whole.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use whyperf_viewer::{DataStream, StreamDeclaration, ViewedRun};

use crate::output::terminal::Screen;

/// Which streams stand beside which runs.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct StreamOptions {
    /// Show records of FILE beside the run, as CSV with a header; FILE.toml says more of it, see docs/viewer.md. 2:FILE stands beside the second run
    #[arg(long, value_name = "[N:]FILE", value_parser = NamedStream::parse)]
    pub(crate) stream: Vec<NamedStream>,
}

/// A stream as the command line names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedStream {
    /// Beside which run; the first is 0.
    pub(crate) run: usize,
    path: PathBuf,
}

/// A stream that was found, with what is said of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FoundStream {
    pub(crate) source: StreamSource,
    pub(crate) declaration: StreamDeclaration,
}

/// Where the lines of a stream come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StreamSource {
    File(PathBuf),
    Command(String),
}

impl NamedStream {
    fn parse(text: &str) -> Result<Self, String> {
        let numbered = text.split_once(':').and_then(|(number, path)| {
            let number: usize = number.parse().ok()?;
            Some((number, path))
        });
        match numbered {
            Some((0, _)) => Err("the first run has the number 1".to_owned()),
            Some((number, path)) => Ok(Self { run: number - 1, path: path.into() }),
            None => Ok(Self { run: 0, path: text.into() }),
        }
    }

    /// Finds what it names: data with a declaration beside it, or a declaration that names the data.
    pub(crate) fn find(&self) -> Result<FoundStream> {
        let path = &self.path;
        if path.extension().is_some_and(|ending| ending == "toml") {
            let declaration = declared(path)?;
            let folder = path.parent().unwrap_or_else(|| Path::new(""));
            let source = match (&declaration.file, &declaration.command) {
                (Some(file), None) => StreamSource::File(folder.join(file)),
                (None, Some(command)) => StreamSource::Command(command.clone()),
                _ => bail!("{} must name either a file or a command", path.display()),
            };
            return Ok(FoundStream { source, declaration });
        }
        let beside = path.with_extension("toml");
        let declaration = if beside.exists() { declared(&beside)? } else { Default::default() };
        Ok(FoundStream { source: StreamSource::File(path.clone()), declaration })
    }
}

fn declared(path: &Path) -> Result<StreamDeclaration> {
    let text = fs::read_to_string(path)
        .with_context(|| format!("reading what {} says of a stream", path.display()))?;
    StreamDeclaration::parse(&text).with_context(|| format!("{} makes no sense", path.display()))
}

impl StreamSource {
    /// As people call it.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Command(command) => command.clone(),
        }
    }
}

/// Reads the streams of stored runs, and says what is wrong with which of their lines.
pub(crate) fn read_all(
    runs: &[ViewedRun],
    options: &StreamOptions,
    screen: &mut Screen,
) -> Result<()> {
    for named in &options.stream {
        let Some(run) = runs.get(named.run) else {
            bail!("--stream {}:… names a run that is not there", named.run + 1);
        };
        let FoundStream { source, declaration } = named.find()?;
        let StreamSource::File(path) = &source else {
            bail!(
                "{} names a command, which runs beside a program that is measured: use it with `whyperf run --view`",
                named.path.display()
            );
        };
        let text = fs::read(path).with_context(|| format!("reading {}", path.display()))?;
        let mut stream = DataStream::new(&source.name(), &declaration, run.began_s());
        String::from_utf8_lossy(&text).lines().for_each(|line| stream.feed(line, 0.0));
        tell_malformed(&source.name(), &stream, screen);
        run.add_stream(stream);
    }
    Ok(())
}

/// Says what was left out of a stream.
fn tell_malformed(source: &str, stream: &DataStream, screen: &mut Screen) {
    let (named, count) = stream.malformed();
    for row in named.iter().take(MOST_SAID) {
        screen.warn(&format!("{source}:{row}; the line is left out"));
    }
    if count > MOST_SAID as u64 {
        let more = count - MOST_SAID as u64;
        screen.warn(&format!("{source}: {more} more lines are left out; the page names them"));
    }
}

/// More lines are not said one by one.
const MOST_SAID: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_may_stand_beside_another_run() {
        let parse = |text: &str| NamedStream::parse(text).map(|read| (read.run, read.path));
        assert_eq!(parse("a.csv"), Ok((0, "a.csv".into())));
        assert_eq!(parse("2:a.csv"), Ok((1, "a.csv".into())));
        assert_eq!(parse("host:a.csv"), Ok((0, "host:a.csv".into())));
        assert!(parse("0:a.csv").is_err());
    }
}

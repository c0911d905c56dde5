//! The destinations of output: standard error, standard output, and the file of `--json`.

use std::fs;
use std::io::{self, BufWriter, Write as _};
use std::path::Path;
use std::process::ExitCode;

use rustix::fs::{Access, access};
use serde::Serialize;

use crate::output::report::{self, Report};
use crate::output::terminal::{self, Harmless, Screen, harmless};

/// Warns before the program starts when the report cannot be written at its end.
pub(crate) fn check(json: Option<&Path>, screen: &mut Screen) {
    let file = json.filter(|path| *path != Path::new(STANDARD_OUTPUT));
    let Some(path) = file else { return };
    if let Err(why) = is_writable(path) {
        screen.warn(&format!(
            "the report cannot be written to {}: {why}; the program runs, and this is tried again at its end",
            path.display()
        ));
    }
}

/// How much of a report is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReportLength {
    /// What a screen has room for.
    Page,
    /// All of it.
    Details,
}

/// Where a report goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Destinations<'a> {
    /// How much of it is printed.
    pub(crate) length: ReportLength,
    /// Rows of the profile.
    pub(crate) rows: usize,
    /// The file of `--json`; `-` is standard output.
    pub(crate) json: Option<&'a Path>,
    /// The file of `--report`.
    pub(crate) text: Option<&'a Path>,
}

/// Prints the report, and writes it to the files that were asked for.
pub(crate) fn deliver(report: &Report, to: Destinations<'_>, screen: &mut Screen) {
    screen.say(&report::page(report, screen.output_style));
    if to.length == ReportLength::Details {
        screen.say(&report::render(report, to.rows, screen.output_style));
    }
    if let Some(path) = to.text {
        write_text(report, to.rows, path, screen);
    }
    let Some(path) = to.json else { return };
    if path == Path::new(STANDARD_OUTPUT) {
        print_json(report);
        return;
    }
    match report.write_json(path) {
        Ok(()) => screen.say(&format!("\nReport written to {}\n", path.display())),
        Err(error) => screen
            .warn(&format!("{error:#}; nothing was written there, try another place with --json")),
    }
}

/// The same of a run that goes on. On standard output there is one report, that of the end.
pub(crate) fn deliver_unfinished(report: &Report, to: Destinations<'_>, screen: &mut Screen) {
    let json = to.json.filter(|path| *path != Path::new(STANDARD_OUTPUT));
    deliver(report, Destinations { json, ..to }, screen);
}

/// Writes the page and all details to a file.
fn write_text(report: &Report, rows: usize, path: &Path, screen: &mut Screen) {
    let text = harmless(&report.as_text(rows)).into_owned();
    let is_markdown = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("md"));
    let text = if is_markdown { in_markdown(&text) } else { text };
    match fs::write(path, text) {
        Ok(()) => screen.say(&format!("\nReport written to {}\n", path.display())),
        Err(error) => screen.warn(&format!(
            "writing the report to {}: {error}; try another place with --report",
            path.display()
        )),
    }
}

/// The first line is the title, the rest is kept as it is aligned.
fn in_markdown(text: &str) -> String {
    let (title, rest) = text.trim_start().split_once('\n').unwrap_or((text, ""));
    // Longer than any row of backticks in a name.
    let fence = "`".repeat(8);
    format!("# {}\n\n{fence}text\n{rest}{fence}\n", title.trim())
}

/// The file name that stands for standard output.
const STANDARD_OUTPUT: &str = "-";

/// Writes down what is known so far; what goes wrong now is said when the final report is written.
pub(crate) fn keep(report: &Report, json: Option<&Path>) {
    if let Some(path) = json.filter(|path| *path != Path::new(STANDARD_OUTPUT)) {
        let _ = report.keep_json(path);
    }
}

/// An error and its causes, each once: some tell their cause themselves.
pub(crate) fn words(error: &anyhow::Error) -> String {
    let mut said = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if !said.contains(&cause) {
            said.push_str(if said.is_empty() { "" } else { ": " });
            said.push_str(&cause);
        }
    }
    said
}

/// The exit status of a verb that prints.
pub(crate) fn status(is_printed: bool) -> ExitCode {
    if is_printed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Writes to standard output, for verbs that run nothing; whether that succeeded, and otherwise says why.
pub(crate) fn print(text: &str) -> bool {
    let mut stream = io::stdout().lock();
    is_done(stream.write_all(harmless(text).as_bytes()).and_then(|()| stream.flush()))
}

/// The same, of something as JSON in one line: as it is written, for what is long.
pub(crate) fn print_json(value: &impl Serialize) -> bool {
    write(|stream| {
        serde_json::to_writer(&mut *stream, value)?;
        writeln!(stream)
    })
}

/// The same, of whatever is written piece by piece.
pub(crate) fn write(work: impl FnOnce(&mut dyn io::Write) -> io::Result<()>) -> bool {
    let mut stream = Harmless(BufWriter::with_capacity(1 << 16, io::stdout().lock()));
    is_done(work(&mut stream).and_then(|()| stream.flush()))
}

fn is_done(done: io::Result<()>) -> bool {
    if let Err(error) = &done {
        // Where standard error is closed as well, the exit status says it.
        terminal::complain(&format!("cannot write to standard output: {error}"));
    }
    done.is_ok()
}

fn is_writable(path: &Path) -> Result<(), rustix::io::Errno> {
    if path.is_dir() {
        return Err(rustix::io::Errno::ISDIR);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or_else(|| Path::new("."));
    if path.exists() && !path.is_file() {
        return access(path, Access::WRITE_OK);
    }
    access(folder, Access::WRITE_OK | Access::EXEC_OK)
}

//! The destinations of output: standard error, standard output, and the file of `--json`.

use std::io::{self, BufWriter, Write as _};
use std::path::Path;
use std::process::ExitCode;

use rustix::fs::{Access, access};
use serde::Serialize;

use crate::output::report::{self, Report};
use crate::output::terminal::{self, Harmless, Screen, harmless};

/// Warns before the program starts when the report cannot be written at its end.
pub(crate) fn check(json: Option<&Path>, screen: &mut Screen) {
    let Some(path) = json else { return };
    if let Err(why) = is_writable(path) {
        screen.warn(&format!(
            "the report cannot be written to {}: {why}; the program runs, and this is tried again at its end",
            path.display()
        ));
    }
}

/// Prints the report, and writes it to the file of `--json`.
pub(crate) fn deliver(report: &Report, rows: usize, json: Option<&Path>, screen: &mut Screen) {
    screen.say(&report::render(report, rows, screen.output_style));
    let Some(path) = json else { return };
    match report.write_json(path) {
        Ok(()) => screen.say(&format!("\nReport written to {}\n", path.display())),
        Err(error) => screen
            .warn(&format!("{error:#}; nothing was written there, try another place with --json")),
    }
}

/// Writes down what is known so far; what goes wrong now is said when the final report is written.
pub(crate) fn keep(report: &Report, json: Option<&Path>) {
    if let Some(path) = json {
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

//! Where a report goes: standard error, and the file of `--json`.

use std::path::Path;

use rustix::fs::{Access, access};

use crate::arguments::Options;
use crate::report::{self, Report};
use crate::terminal::Screen;

/// Says before the program starts what would be sad to learn at its end.
pub(crate) fn check(options: &Options, screen: &mut Screen) {
    let Some(path) = &options.json else { return };
    if let Err(why) = is_writable(path) {
        screen.warn(&format!(
            "the report cannot be written to {}: {why}; the program runs, and this is tried again at its end",
            path.display()
        ));
    }
}

/// Gives the report to everybody who asked for it.
pub(crate) fn deliver(report: &Report, options: &Options, screen: &mut Screen) {
    screen.say(&report::render(report, options.profile, screen.manner));
    let Some(path) = &options.json else { return };
    match report.write_json(path) {
        Ok(()) => screen.say(&format!("\nReport written to {}\n", path.display())),
        Err(error) => screen
            .warn(&format!("{error:#}; nothing was written there, try another place with --json")),
    }
}

/// Writes down what is known so far; what goes wrong now is said when the final report is written.
pub(crate) fn keep(report: &Report, options: &Options) {
    if let Some(path) = &options.json {
        let _ = report.keep_json(path);
    }
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

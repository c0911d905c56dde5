//! The file in which a user keeps passwords of servers, as libpq has it: `host:port:database:user:password`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// Whose password is looked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted<'a> {
    pub(super) host: &'a str,
    pub(super) port: u16,
    pub(super) database: &'a str,
    pub(super) user: &'a str,
}

/// The password that a file has for this; a file that others can read is not used, as libpq does.
pub(super) fn password(file: &Path, wanted: Wanted<'_>) -> Option<String> {
    let facts = fs::metadata(file).ok()?;
    if !facts.is_file() || facts.permissions().mode() & 0o077 != 0 {
        return None;
    }
    let text = fs::read_to_string(file).ok()?;
    text.lines().find_map(|line| matching(line, wanted))
}

/// The password of a line that is about this.
fn matching(line: &str, wanted: Wanted<'_>) -> Option<String> {
    if line.starts_with('#') {
        return None;
    }
    let mut rest = line.strip_suffix('\r').unwrap_or(line).chars();
    // A path of a socket stands for this machine.
    let host = if wanted.host.starts_with(DEFAULT_SOCKETS) { "localhost" } else { wanted.host };
    let port = wanted.port.to_string();
    for wanted in [host, &port, wanted.database, wanted.user] {
        let field = field(&mut rest);
        if field != wanted && field != "*" {
            return None;
        }
    }
    Some(unescaped(rest))
}

/// Debian's, and that of PostgreSQL's own builds.
const DEFAULT_SOCKETS: &str = "/var/run/postgresql";

/// What comes before the next colon.
fn field(rest: &mut std::str::Chars<'_>) -> String {
    let mut field = String::new();
    while let Some(next) = rest.next() {
        match next {
            ':' => break,
            '\\' => field.extend(rest.next()),
            other => field.push(other),
        }
    }
    field
}

/// All that is left.
fn unescaped(mut rest: std::str::Chars<'_>) -> String {
    let mut text = String::new();
    while let Some(next) = rest.next() {
        text.extend(if next == '\\' { rest.next() } else { Some(next) });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_fits_counts_and_a_backslash_takes_what_follows_as_it_is() {
        let wanted = Wanted { host: "db.site", port: 5432, database: "runs", user: "me" };
        let lines = [
            ("# db.site:5432:runs:me:no", None),
            ("other:5432:runs:me:no", None),
            ("*:*:*:me:a:b\\\\c", Some("a:b\\c")),
            ("db.site:5432:ru\\ns:me:yes", Some("yes")),
            ("db.site:5433:*:*:no", None),
        ];
        for (line, password) in lines {
            assert_eq!(matching(line, wanted).as_deref(), password, "{line}");
        }
    }
}

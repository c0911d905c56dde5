//! A call as lines of text: its name, its times, and its arguments.

use whyperf_extrapolate::Tag;

/// A call while its lines are read.
#[derive(Debug, Default)]
pub(super) struct Call<'t> {
    pub(super) name: &'t str,
    /// Nanoseconds of a clock that may have begun long ago.
    pub(super) entered: i64,
    pub(super) returned: i64,
    arguments: Vec<(&'t str, &'t str)>,
    /// What is said of each status.
    statuses: Vec<&'t str>,
}

/// A line, and what is wrong with it.
pub(super) type LineFault = (usize, String);

/// Shows each call of a file to `each` when it returns.
pub(super) fn calls<'t>(
    text: &'t str,
    mut each: impl FnMut(&Call<'t>) -> Result<(), String>,
) -> Result<(), LineFault> {
    let mut open: Option<Call<'t>> = None;
    let mut lines = 0;
    for (number, line) in (1..).zip(text.lines()) {
        lines = number;
        let at = |what: String| (number, what);
        let line = line.trim();
        if let Some((name, rest)) = line.split_once(" entering at walltime ") {
            open = Some(Call { name, entered: nanos(rest).map_err(at)?, ..Call::default() });
        } else if let Some((name, rest)) = line.split_once(" returning at walltime ") {
            let Some(mut call) = open.take().filter(|call| call.name == name) else {
                return Err(at(format!("{} returns, and was not entered", name.escape_debug())));
            };
            call.returned = nanos(rest).map_err(at)?;
            each(&call).map_err(at)?;
        } else if let Some(call) = &mut open {
            call.take(line);
        }
    }
    match open {
        Some(call) => Err((lines, format!("the file ends inside of {}", call.name.escape_debug()))),
        None => Ok(()),
    }
}

impl<'t> Call<'t> {
    fn take(&mut self, line: &'t str) {
        if line.contains("source=") && line.contains("tag=") {
            // All statuses of a call stand in one line, and each begins with its bytes.
            self.statuses.extend(line.split("bytes=").skip(1));
        } else if let Some((left, value)) = line.split_once('=') {
            let name = left.rsplit([' ', '*']).next().unwrap_or(left);
            let name = name.split('[').next().unwrap_or(name);
            self.arguments.push((name, value));
        }
    }

    /// An argument as it is printed.
    pub(super) fn text(&self, name: &str) -> Result<&'t str, String> {
        let found = self.arguments.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| *value).ok_or_else(|| format!("{} has no '{name}'", self.name))
    }

    /// The number at the beginning of an argument, as in `11 (MPI_DOUBLE)` or `[2]`.
    pub(super) fn number(&self, name: &str) -> Result<i64, String> {
        let text = self.text(name)?;
        let number = text.trim_start_matches('[').split([' ', ',', ']']).next().unwrap_or_default();
        number.parse().map_err(|_| format!("'{}' is no number for '{name}'", text.escape_debug()))
    }

    /// A number that is not negative.
    pub(super) fn count(&self, name: &str) -> Result<u64, String> {
        u64::try_from(self.number(name)?).map_err(|_| format!("'{name}' is negative"))
    }

    /// A list such as `[3, 4]`; empty where it is not told.
    pub(super) fn list(&self, name: &str) -> Result<Vec<i64>, String> {
        let text = self.text(name)?;
        let inside = text.rsplit_once(['[', '{']).map_or(text, |(_, inside)| inside);
        let words = inside.split([',', ']', '}']).map(str::trim);
        let is_told = |word: &&str| !word.is_empty() && *word != "<IGNORED>";
        let numbers = words.filter(is_told).map(str::parse);
        numbers
            .collect::<Result<_, _>>()
            .map_err(|_| format!("'{}' is no list of numbers", text.escape_debug()))
    }

    /// The sum of a list of numbers that are not negative.
    pub(super) fn sum(&self, name: &str) -> Result<u64, String> {
        let all = self.list(name)?.into_iter().map(u64::try_from);
        all.sum::<Result<u64, _>>().map_err(|_| format!("'{name}' has negative numbers"))
    }

    /// The place of the sender in its communicator, and the tag, as a status says them.
    pub(super) fn status(&self, at: usize) -> Option<(i64, Tag)> {
        let field = |name: &str| -> Option<i64> {
            let (_, rest) = self.statuses.get(at)?.split_once(&format!("{name}="))?;
            rest.split([',', '}', '>', ' ']).next()?.parse().ok()
        };
        Some((field("source")?, Tag(i32::try_from(field("tag")?).ok()?)))
    }
}

/// The nanoseconds of a time in seconds before a comma. As a number with a point they would be too coarse: clocks may have begun in 1970.
fn nanos(text: &str) -> Result<i64, String> {
    let number = text.split([',', ' ']).next().unwrap_or_default();
    let (seconds, fraction) = number.split_once('.').unwrap_or((number, ""));
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let read = || {
        let fraction: String = fraction.chars().chain("000000000".chars()).take(9).collect();
        let seconds = seconds.parse::<i64>().ok()?.checked_mul(1_000_000_000)?;
        seconds.checked_add(fraction.parse().ok()?)
    };
    let time =
        Some(number).filter(|_| is_number(seconds) && is_number(fraction)).and_then(|_| read());
    time.ok_or_else(|| format!("'{}' is no time in seconds", number.escape_debug()))
}

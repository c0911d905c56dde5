//! One profile file of TAU, read line by line.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

use super::metadata;
use crate::exchange::error::ExchangeError;
use crate::foreign_profile::{TimerValue, UserEvent};

/// What a file holds beside its timers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TauFile {
    /// The metric that its values are of.
    pub(super) metric: String,
    /// User events, in the order of the file.
    pub(super) events: Vec<UserEvent>,
    /// Metadata.
    pub(super) metadata: Vec<(String, String)>,
}

/// A timer as its line says it: the same name may stand in several.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TimerLine<'a> {
    /// Its name as it is written: [`name`] reads it.
    pub(super) name: &'a str,
    /// Its groups as they are written: [`groups`] reads them.
    pub(super) groups: &'a str,
    pub(super) calls: f64,
    pub(super) subcalls: f64,
    pub(super) value: TimerValue,
}

/// The lines that are left, with the number of the next.
struct Lines<'a> {
    path: &'a Path,
    lines: std::str::Lines<'a>,
    number: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<&'a str> {
        self.number += 1;
        self.lines.next()
    }

    fn wrong(&self, problem: &'static str) -> ExchangeError {
        ExchangeError::Line { path: self.path.to_owned(), line: self.number, problem }
    }

    fn expect(&mut self, problem: &'static str) -> Result<&'a str, ExchangeError> {
        self.next().ok_or_else(|| self.wrong(problem))
    }
}

impl TauFile {
    /// Reads a text that came from `path`, and tells of each timer of it.
    ///
    /// # Errors
    /// At the first line that makes no sense, or where lines are missing.
    pub(super) fn read(
        path: &Path,
        text: &str,
        mut each: impl FnMut(TimerLine<'_>),
    ) -> Result<Self, ExchangeError> {
        let mut lines = Lines { path, lines: text.lines(), number: 0 };
        let (mut file, count, has_squares) = Self::head(&mut lines)?;
        for _ in 0..count {
            let line = lines.expect("there are fewer functions than the first line says")?;
            each(timer(line, has_squares).ok_or_else(|| {
                lines.wrong("expected \"name\" calls subroutines exclusive inclusive profilecalls GROUP=\"groups\"")
            })?);
        }
        file.read_aggregates(&mut lines)?;
        file.read_events(&mut lines)?;
        Ok(file)
    }

    /// What the first two lines say, how many timers follow, and whether these have a column more.
    fn head(lines: &mut Lines<'_>) -> Result<(Self, usize, bool), ExchangeError> {
        let head = lines.expect("the file is empty")?;
        let (count, metric) = head_of(head).ok_or_else(|| {
            lines.wrong("expected a number and `templated_functions_MULTI_METRIC`")
        })?;
        let columns = lines.expect("the line of columns is missing")?;
        let has_squares = columns.contains("SumExclSqr");
        let metadata = metadata::parse(columns);
        let named = metadata.iter().find(|(name, _)| name == "Metric Name");
        let metric = named.map_or_else(|| metric.to_owned(), |(_, value)| value.clone());
        Ok((Self { metric, metadata, ..Self::default() }, count, has_squares))
    }

    /// The metric of a file of which only the first two lines are looked at.
    pub(super) fn metric(path: &Path) -> Result<String, ExchangeError> {
        let failed = |source| ExchangeError::Read { path: path.to_owned(), source };
        let mut reader = BufReader::new(File::open(path).map_err(failed)?.take(LONGEST_HEAD));
        let mut head = Vec::new();
        for _ in 0..2 {
            reader.read_until(b'\n', &mut head).map_err(failed)?;
        }
        let text = String::from_utf8_lossy(&head);
        let mut lines = Lines { path, lines: text.lines(), number: 0 };
        Self::head(&mut lines).map(|(file, ..)| file.metric)
    }

    fn read_aggregates(&self, lines: &mut Lines<'_>) -> Result<(), ExchangeError> {
        let line = lines.expect("the number of aggregates is missing: the file was cut")?;
        let count =
            line.trim().strip_suffix("aggregates").and_then(|number| number.trim().parse().ok());
        let count: usize = count.ok_or_else(|| lines.wrong("expected `0 aggregates`"))?;
        (0..count).try_for_each(|_| lines.expect("an aggregate is missing").map(drop))
    }

    fn read_events(&mut self, lines: &mut Lines<'_>) -> Result<(), ExchangeError> {
        let Some(line) = lines.next().filter(|line| !line.trim().is_empty()) else { return Ok(()) };
        let count =
            line.trim().strip_suffix("userevents").and_then(|number| number.trim().parse().ok());
        let count: usize = count.ok_or_else(|| lines.wrong("expected the number of userevents"))?;
        if count > 0 {
            lines.expect("the line of columns of user events is missing")?;
        }
        for _ in 0..count {
            let line = lines.expect("there are fewer user events than announced")?;
            let event = event(line).ok_or_else(|| {
                lines.wrong("expected \"name\" count largest smallest mean squares")
            })?;
            self.events.push(event);
        }
        Ok(())
    }
}

/// Two lines longer than this are no head.
const LONGEST_HEAD: u64 = 16 << 20;

/// How many functions, and of which metric.
fn head_of(line: &str) -> Option<(usize, &str)> {
    let (count, kind) = line.trim().split_once(' ')?;
    let metric = match kind.split_once("MULTI_") {
        Some((_, metric)) => metric,
        None if kind == "templated_functions" => "Time",
        None if kind == "templated_functions_hw_counters" => "Hardware Counter",
        None => return None,
    };
    Some((count.parse().ok()?, metric))
}

fn timer(line: &str, has_squares: bool) -> Option<TimerLine<'_>> {
    // Names may hold quotes, so those of the groups are looked for from the end.
    let inside = line.trim_end().strip_suffix('"')?;
    let (rest, groups) = match inside.rsplit_once('"') {
        Some((rest, groups)) if rest.ends_with("GROUP=") => (rest, groups),
        _ => inside.rsplit_once("GROUP=\"")?,
    };
    let (name, numbers) = rest.trim_start().strip_prefix('"')?.rsplit_once('"')?;
    let mut numbers = numbers.split_ascii_whitespace().map(number);
    let mut next = || numbers.next()?;
    let (calls, subcalls) = (next()?, next()?);
    let value = TimerValue { exclusive: next()?, inclusive: next()? };
    if has_squares {
        next()?;
    }
    Some(TimerLine { name, groups, calls, subcalls, value })
}

/// The groups that stand in a line.
pub(super) fn groups(written: &str) -> Vec<String> {
    let groups = written.split('|').map(str::trim).filter(|group| !group.is_empty());
    groups.map(str::to_owned).collect()
}

fn event(line: &str) -> Option<UserEvent> {
    let (name, numbers) = line.trim_start().strip_prefix('"')?.rsplit_once('"')?;
    let mut numbers = numbers.split_ascii_whitespace().map(signed);
    let mut next = || numbers.next()?;
    Some(UserEvent {
        name: self::name(name).into_owned(),
        count: next()?,
        most: next()?,
        least: next()?,
        mean: next()?,
        squares: next()?,
    })
}

/// A number that is not below zero: what a clock that went back has left is nothing.
fn number(word: &str) -> Option<f64> {
    signed(word).map(|value| value.max(0.0))
}

fn signed(word: &str) -> Option<f64> {
    // Most are whole, and short enough to be exact.
    if word.len() <= EXACT_DIGITS && word.bytes().all(|byte| byte.is_ascii_digit()) {
        let value = word.bytes().fold(0, |value, digit| value * 10 + u64::from(digit - b'0'));
        #[expect(clippy::cast_precision_loss, reason = "fifteen digits are less than 2^53")]
        return (!word.is_empty()).then_some(value as f64);
    }
    word.parse::<f64>().ok().filter(|value| value.is_finite())
}

/// So many digits are a whole number of a real one's precision.
const EXACT_DIGITS: usize = 15;

/// The name that stands in a line, with one blank for each run of them.
pub(super) fn name(name: &str) -> Cow<'_, str> {
    if name.trim().len() == name.len() && !name.contains("  ") {
        return Cow::Borrowed(name);
    }
    Cow::Owned(name.split_ascii_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "3 templated_functions_MULTI_TIME\n\
# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Hostname</name><value>a &amp; b</value></attribute></metadata>\n\
\"main\" 1 2 100 300 0 GROUP=\"TAU_USER\" \n\
\"main => say \"hi\"\" 2 0 200.5 200.5 0 GROUP=\"TAU_CALLPATH|MPI\" \n\
\"MPI_Recv()  \" 2 0 -5 200 0 GROUP=\"MPI\" \n\
0 aggregates\n\
1 userevents\n\
# eventname numevents max min mean sumsqr\n\
\"Message size\" 2 800 80 440 646400\n";

    /// The file, and the names, groups and numbers of its timers.
    fn parse(text: &str) -> Result<(TauFile, Vec<ReadTimer>), ExchangeError> {
        let mut timers = Vec::new();
        let file = TauFile::read(Path::new("profile.0.0.0"), text, |line| {
            let value = [line.value.exclusive, line.value.inclusive];
            timers.push((name(line.name).into_owned(), groups(line.groups), line.calls, value));
        })?;
        Ok((file, timers))
    }

    type ReadTimer = (String, Vec<String>, f64, [f64; 2]);

    #[test]
    fn a_file_is_read_as_tau_s_own_readers_do() {
        let (file, timers) = parse(TEXT).expect("well formed");
        assert_eq!(file.metric, "TIME");
        assert_eq!(file.metadata, [("Hostname".to_owned(), "a & b".to_owned())]);
        let names: Vec<&str> = timers.iter().map(|(name, ..)| name.as_str()).collect();
        assert_eq!(names, ["main", "main => say \"hi\"", "MPI_Recv()"]);
        assert_eq!(
            (&*timers[1].1, timers[1].2),
            (&["TAU_CALLPATH", "MPI"].map(String::from)[..], 2.0)
        );
        assert_eq!(timers[2].3, [0.0, 200.0]);
        assert_eq!(file.events[0].most, 800.0);
        assert!((file.events[0].deviation() - 360.0).abs() < 1e-9);
    }

    #[test]
    fn older_files_have_other_heads() {
        let text = "1 templated_functions\n# Name Calls Subrs Excl Incl SumExclSqr ProfileCalls\n\"f\" 1 0 5 5 25 0 GROUP=\"A\" \n0 aggregates\n";
        let (file, timers) = parse(text).expect("well formed");
        assert_eq!((file.metric.as_str(), timers[0].3[1]), ("Time", 5.0));
        assert!(file.events.is_empty());
    }

    #[test]
    fn what_is_cut_or_odd_is_named_with_its_line() {
        let line = |text: &str| match parse(text) {
            Err(ExchangeError::Line { line, problem, .. }) => (line, problem),
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(line("").0, 1);
        assert_eq!(line("no profile\n").0, 1);
        let lines: Vec<&str> = TEXT.lines().collect();
        for kept in 1..lines.len() {
            if kept != 6 {
                let (at, _) = line(&lines[..kept].join("\n"));
                assert_eq!(at, kept + 1, "cut after line {kept}");
            }
        }
        assert_eq!(line(&TEXT.replace(" 2 0 200.5", " two 0 200.5")).0, 4);
        assert_eq!(line(&TEXT.replace("200.5 200.5", "nan 200.5")).0, 4);
    }
}

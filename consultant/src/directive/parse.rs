//! Reads directives: reports every mistake with its file, line and column.

use crate::text_position::TextPosition;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use whyperf_model::{Focus, Nanos, Resource};

use super::definition::{Directive, DirectiveLine, Directives, Level, PrunedHypotheses};
use super::mistake::{DirectiveError, Mistake};
use super::range::{MOST_NAMES, NameRange};
use crate::hypothesis::Hypotheses;

/// No dwell time is shorter: samples are farther apart.
const SHORTEST_DWELL_TIME: Nanos = Nanos::from_millis(1);
/// No program waits longer for a verdict.
const LONGEST_DWELL_TIME: Nanos = Nanos::from_secs(3600);

impl Directives {
    /// Reads a file. Hypotheses must be of the table.
    ///
    /// # Errors
    /// All mistakes of the file; then nothing of it is used.
    pub fn parse(
        file: &str,
        text: &str,
        hypotheses: &Hypotheses,
    ) -> Result<Self, Vec<DirectiveError>> {
        let file: Arc<str> = file.into();
        let mut lines =
            text.lines().enumerate().map(|(at, line)| SplitLine::split(&file, at + 1, line));
        let mut lines = lines.by_ref().filter(|line| !line.words.is_empty());
        let first = lines.next();
        if let Some(mistake) = check_first(first.as_ref()) {
            let place =
                first.map_or(TextPosition { file, line: 1, column: 1 }, |line| line.place(0));
            return Err(vec![DirectiveError { place, mistake }]);
        }
        let (mut entries, mut mistakes) = (Vec::new(), Vec::new());
        let mut named = 0;
        for line in lines {
            match line.directive(hypotheses, &mut named) {
                Ok(directives) => entries.extend(directives.into_iter().map(|directive| {
                    let (comment, place) = (line.comment.clone(), line.place(0));
                    DirectiveLine { directive, comment, place }
                })),
                Err(mistake) => mistakes.push(mistake),
            }
        }
        if mistakes.is_empty() { Ok(Self { entries, dropped: Vec::new() }) } else { Err(mistakes) }
    }
}

impl Directive {
    /// Reads one directive, as a line of a file says it.
    ///
    /// # Errors
    /// When it is none, or one that stands for several.
    pub fn parse(text: &str, hypotheses: &Hypotheses) -> Result<Self, Mistake> {
        let line = SplitLine::split(&Arc::from(""), 1, text);
        let mut read = line.directive(hypotheses, &mut 0).map_err(|error| error.mistake)?;
        let several = read.len() as u64;
        match (read.pop(), several) {
            (Some(directive), 1) => Ok(directive),
            _ => Err(Mistake::TooMany(several)),
        }
    }
}

/// The words of a line with their columns, and its comment.
struct SplitLine<'text> {
    file: Arc<str>,
    number: usize,
    words: Vec<(usize, &'text str)>,
    /// Where something more would have to stand.
    end: usize,
    comment: Option<String>,
}

impl<'text> SplitLine<'text> {
    /// A `#` begins a comment where a word could begin: inside a name it is part of it.
    fn split(file: &Arc<str>, number: usize, text: &'text str) -> Self {
        let mut words = Vec::new();
        let mut comment = None;
        let mut column = 1;
        let mut rest = text.trim_start_matches('\u{feff}');
        loop {
            let trimmed = rest.trim_start();
            column += rest[..rest.len() - trimmed.len()].chars().count();
            if trimmed.is_empty() {
                break;
            }
            if let Some(words) = trimmed.strip_prefix('#') {
                comment = Some(words.trim().to_owned());
                break;
            }
            let length = trimmed.find(char::is_whitespace).unwrap_or(trimmed.len());
            words.push((column, &trimmed[..length]));
            column += trimmed[..length].chars().count();
            rest = &trimmed[length..];
        }
        let end = words.last().map_or(1, |(column, word)| column + word.chars().count());
        Self { file: Arc::clone(file), number, words, end, comment }
    }

    /// What the line says: one directive, but for maps of ranges.
    fn directive(
        &self,
        hypotheses: &Hypotheses,
        named: &mut u64,
    ) -> Result<Vec<Directive>, DirectiveError> {
        let (directives, count) = match self.word(0, "a directive")? {
            "map" => (self.maps(named)?, 3),
            "prune" => (vec![self.prune(hypotheses)?], 3),
            "priority" => (vec![self.priority(hypotheses)?], 4),
            "threshold" => (vec![self.threshold(hypotheses)?], 4),
            "hold" => (vec![self.dwell_time()?], 3),
            other => return Err(self.error(0, Mistake::Keyword(other.to_owned()))),
        };
        match self.words.get(count) {
            Some((_, word)) => Err(self.error(count, Mistake::Extra((*word).to_owned()))),
            None => Ok(directives),
        }
    }

    /// Counted before they are made: a short line can stand for more names than there is memory.
    fn maps(&self, named: &mut u64) -> Result<Vec<Directive>, DirectiveError> {
        let (old, new) =
            (self.word(1, "the old name of a resource")?, self.word(2, "its new name")?);
        let ranges = [NameRange::of(old), NameRange::of(new)];
        let [before, after] = ranges.map(|range| range.map_or(1, |range| range.count()));
        let (Some(olds), Some(news)) = (ranges[0], ranges[1]) else {
            if ranges == [None, None] {
                return Ok(vec![self.map(old, new)?]);
            }
            return Err(self.error(2, Mistake::Ranges(before, after)));
        };
        if before != after {
            return Err(self.error(2, Mistake::Ranges(before, after)));
        }
        *named = named.saturating_add(before);
        if *named > MOST_NAMES {
            return Err(self.error(1, Mistake::TooMany(*named)));
        }
        let (olds, news): (Vec<_>, Vec<_>) = (olds.names().collect(), news.names().collect());
        if olds != news && overlap(&olds, &news) {
            return Err(self.error(2, Mistake::Overlap));
        }
        olds.iter().zip(&news).map(|(old, new)| self.map(old, new)).collect()
    }

    fn map(&self, old: &str, new: &str) -> Result<Directive, DirectiveError> {
        let (from, to) = (self.resource_of(1, old)?, self.resource_of(2, new)?);
        let fits = from.hierarchy() == to.hierarchy() && !from.is_root() && !to.is_root();
        if fits { Ok(Directive::Map { from, to }) } else { Err(self.error(2, Mistake::Unmappable)) }
    }

    fn prune(&self, hypotheses: &Hypotheses) -> Result<Directive, DirectiveError> {
        let word = self.word(1, "a hypothesis, `*` for all, or `!` and the one that is spared")?;
        let whom = match word.strip_prefix('!') {
            _ if word == "*" => PrunedHypotheses::All,
            Some(spared) => PrunedHypotheses::AllBut(self.hypothesis(1, spared, hypotheses)?),
            None => PrunedHypotheses::Only(self.hypothesis(1, word, hypotheses)?),
        };
        Ok(Directive::Prune { whom, resource: self.resource(2, "a resource")? })
    }

    fn priority(&self, hypotheses: &Hypotheses) -> Result<Directive, DirectiveError> {
        let level = match self.word(1, "`high` or `low`")? {
            "high" => Level::High,
            "low" => Level::Low,
            other => return Err(self.error(1, Mistake::Level(other.to_owned()))),
        };
        let hypothesis = self.hypothesis(2, self.word(2, "a hypothesis")?, hypotheses)?;
        let focus = Focus::parse(self.word(3, "a focus")?).map_err(|error| {
            let mistake = self.error(3, Mistake::Name(error.problem));
            mistake.shifted(error.column)
        })?;
        Ok(Directive::Priority { level, hypothesis, focus })
    }

    fn threshold(&self, hypotheses: &Hypotheses) -> Result<Directive, DirectiveError> {
        let hypothesis = self.hypothesis(1, self.word(1, "a hypothesis")?, hypotheses)?;
        // A number and its unit are one word or two.
        let value = match self.words.get(3) {
            Some((_, unit)) => format!("{} {unit}", self.word(2, "a value")?),
            None => self.word(2, "a value")?.to_owned(),
        };
        let unit = hypotheses.named(&hypothesis).map(|id| hypotheses.row(id).unit());
        match unit.unwrap_or_default().read_passable(&value) {
            Ok(value) => Ok(Directive::Threshold { hypothesis, value }),
            Err(fault) => Err(self.error(2, Mistake::Threshold(fault))),
        }
    }

    fn dwell_time(&self) -> Result<Directive, DirectiveError> {
        let word = self.word(1, "a time such as `2 s` or `500 ms`")?;
        let no_time = || self.error(1, Mistake::DwellTime(word.to_owned()));
        let number: f64 = word.parse().map_err(|_| no_time())?;
        let unit = match self.word(2, "the unit of the time, `s` or `ms`,")? {
            "s" => 1.0,
            "ms" => 1e-3,
            other => return Err(self.error(2, Mistake::Unit(other.to_owned()))),
        };
        let time = Duration::try_from_secs_f64(number * unit).ok();
        let time = time.and_then(|time| u64::try_from(time.as_nanos()).ok()).map(Nanos);
        let time = time.filter(|time| (SHORTEST_DWELL_TIME..=LONGEST_DWELL_TIME).contains(time));
        time.map(Directive::DwellTime).ok_or_else(no_time)
    }

    fn hypothesis(
        &self,
        at: usize,
        name: &str,
        hypotheses: &Hypotheses,
    ) -> Result<String, DirectiveError> {
        match hypotheses.named(name) {
            Some(_) => Ok(name.to_owned()),
            None => Err(self.error(at, Mistake::Hypothesis(name.to_owned()))),
        }
    }

    fn resource(&self, at: usize, wanted: &'static str) -> Result<Resource, DirectiveError> {
        self.resource_of(at, self.word(at, wanted)?)
    }

    fn resource_of(&self, at: usize, name: &str) -> Result<Resource, DirectiveError> {
        Resource::parse(name).map_err(|error| {
            let mistake = self.error(at, Mistake::Name(error.problem));
            mistake.shifted(error.column)
        })
    }

    fn word(&self, at: usize, wanted: &'static str) -> Result<&'text str, DirectiveError> {
        let word = self.words.get(at).map(|(_, word)| *word);
        word.ok_or_else(|| self.error(at, Mistake::Missing(wanted)))
    }

    fn error(&self, at: usize, mistake: Mistake) -> DirectiveError {
        DirectiveError { place: self.place(at), mistake }
    }

    fn place(&self, at: usize) -> TextPosition {
        let column = self.words.get(at).map_or(self.end, |(column, _)| *column);
        TextPosition { file: Arc::clone(&self.file), line: self.number, column }
    }
}

fn check_first(line: Option<&SplitLine<'_>>) -> Option<Mistake> {
    let words: Vec<_> = line?.words.iter().map(|(_, word)| *word).collect();
    match words.as_slice() {
        ["whyperf", "directives", "1"] => None,
        ["whyperf", "directives", version] => Some(Mistake::Version((*version).to_owned())),
        _ => Some(Mistake::FirstLine),
    }
}

/// Whether a name stands on both sides.
fn overlap(old: &[String], new: &[String]) -> bool {
    let old: BTreeSet<&String> = old.iter().collect();
    new.iter().any(|name| old.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Directives, Vec<DirectiveError>> {
        Directives::parse("d", text, &Hypotheses::built_in())
    }

    fn mistakes(text: &str) -> Vec<String> {
        let mistakes = read(&format!("whyperf directives 1\n{text}")).expect_err("wrong");
        mistakes.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_is_printed_is_read_again() {
        let text = "whyperf directives 1\n\
            map       /Code/oned.c  /Code/onednb.c\n\
            prune     *  /Machine  # one process each\n\
            prune     !ExcessiveSyncWaitingTime  /SyncObject\n\
            prune     CPUbound  /Code/a#b.c/tiny\n\
            priority  high  ExcessiveSyncWaitingTime  </Code/onednb.c/exchng1,/Machine,/Process,/SyncObject/Message>  # true in 2 of 3\n\
            priority  low  CPUbound  </Code,/Machine,/Process/3,/SyncObject>\n\
            threshold ExcessiveSyncWaitingTime  0.12\n\
            threshold TooManySmallIOOps  65536\n\
            hold      500 ms\n";
        let directives = read(text).expect("right");
        let with_units = text.replace("0.12", "12 %").replace("65536", "65536 B/ops");
        let with_set = "whyperf directives 1\npriority high CPUbound </Process/(3,1)> # both\n";
        let printed = read(with_set).expect("right").to_string();
        assert!(
            printed.contains("</Code,/Machine,(/Process/1,/Process/3),/SyncObject>"),
            "{printed}"
        );
        assert_eq!(read(&with_units).map(|read| read.to_string()).as_deref(), Ok(text));
        assert_eq!(directives.entries.len(), 9);
        assert_eq!(directives.entries[1].comment.as_deref(), Some("one process each"));
        assert_eq!(directives.to_string(), text);
    }

    #[test]
    fn ranges_are_mapped_in_pairs() {
        let text = "whyperf directives 1\nmap /Machine/n{0-2} /Machine/x{009-011} # moved\n";
        let read = read(text).expect("right");
        let maps: Vec<String> = read.to_string().lines().skip(1).map(str::to_owned).collect();
        assert_eq!(
            maps,
            [
                "map       /Machine/n0  /Machine/x009  # moved",
                "map       /Machine/n1  /Machine/x010  # moved",
                "map       /Machine/n2  /Machine/x011  # moved",
            ]
        );
        assert_eq!(
            mistakes(
                "map /Machine/n{0-2} /Machine/x{0-3}\nmap /Machine/a /Machine/x{0-3}\nmap /Machine/n{0-2} /Machine/n{1-3}\n"
            ),
            [
                "d:2:21: ranges are mapped in pairs, but the old name stands for 3 and the new one for 4",
                "d:3:16: ranges are mapped in pairs, but the old name stands for 1 and the new one for 4",
                "d:4:21: the ranges overlap: a new name would be taken for an old one again",
            ]
        );
    }

    #[test]
    fn ranges_stand_for_no_more_names_than_a_file_may_have() {
        let all = read("whyperf directives 1\nmap /Process/{0-99999} /Process/r{0-99999}\n");
        assert_eq!(all.expect("right").entries.len(), 100_000);
        let too_many = |names: &str| {
            format!(
                "the ranges of this file stand for {names} names by now, and 100000 is the most; map what lies above them, or fewer"
            )
        };
        assert_eq!(
            mistakes("map /Machine/n{0-18446744073709551615} /Machine/x{0-18446744073709551615}"),
            [format!("d:2:5: {}", too_many("18446744073709551615"))]
        );
        let rest = "map /Process/{0-59999} /Process/r{0-59999}\nmap /Process/s{0-49999} /Process/t{0-49999}";
        assert_eq!(mistakes(rest), [format!("d:3:5: {}", too_many("110000"))]);
    }

    #[test]
    fn spaces_comments_and_line_ends_do_not_matter() {
        let text = "\u{feff}# from three runs\r\n\r\n  whyperf  directives 1 # first\r\n\tthreshold CPUbound\t0.5#\r\n";
        assert_eq!(read(text).expect_err("a comment begins with a word").len(), 1);
        let text = text.replace("0.5#", "0.5 #");
        assert_eq!(read(&text).expect("right").entries.len(), 1);
    }

    #[test]
    fn each_mistake_is_told_with_its_place() {
        assert_eq!(
            mistakes("maps /Code/a /Code/b\nmap /Code/a\nmap /Code/a /File/a\nmap /Code /Code/a"),
            [
                "d:2:1: 'maps' is no directive; there are map, prune, priority, threshold and hold",
                "d:3:12: its new name is missing",
                "d:4:13: a map leads from one resource to another of the same hierarchy, both below its root",
                "d:5:11: a map leads from one resource to another of the same hierarchy, both below its root",
            ]
        );
        assert_eq!(
            mistakes("prune !Sync /SyncObject\nprune * /Code/a,b\npriority urgent CPUbound <>"),
            [
                "d:2:7: there is no hypothesis 'Sync'; `whyperf hypotheses` prints all",
                "d:3:16: ',' may not stand in a name; write it as %2C",
                "d:4:10: 'urgent' is neither 'high' nor 'low'",
            ]
        );
        assert_eq!(
            mistakes(
                "priority high CPUbound </Code,/Cod>\nthreshold CPUbound 30\nthreshold CPUbound 0.3 B"
            ),
            [
                "d:2:32: 'Cod' is no hierarchy; there are Code, Machine, Process, SyncObject, File and UserEvent",
                "d:3:20: 3000 % is more than the whole, which no value is; write 30% or 0.3",
                "d:4:20: '0.3 B' is no number and no percentage; write 30% or 0.3",
            ]
        );
    }

    #[test]
    fn a_dwell_time_has_its_unit() {
        let read = |text: &str| {
            let read = read(&format!("whyperf directives 1\n{text}\n")).expect("right");
            read.entries[0].directive.to_string()
        };
        assert_eq!(read("hold 2 s"), "hold      2 s");
        assert_eq!(read("hold 2500 ms"), "hold      2.5 s");
        assert_eq!(read("hold 0.25 s # from a run"), "hold      250 ms");
        assert_eq!(read("hold 1 ms"), "hold      1 ms");
        assert_eq!(read("hold 3600 s"), "hold      3600 s");
        let time = "is no time to hold a verdict; it lies between 1 ms and 1 hour, as in `2 s`";
        assert_eq!(
            mistakes(
                "hold\nhold 2\nhold 2 m\nhold two s\nhold 2s\nhold 0 s\nhold -1 s\nhold 3601 s\n\
                 hold 1e300 s\nhold nan s\nhold inf s\nhold 0.5 ms\nhold 2 s long"
            ),
            [
                "d:2:5: a time such as `2 s` or `500 ms` is missing".to_owned(),
                "d:3:7: the unit of the time, `s` or `ms`, is missing".to_owned(),
                "d:4:8: 'm' is no unit of time here; there are s and ms".to_owned(),
                format!("d:5:6: 'two' {time}"),
                format!("d:6:6: '2s' {time}"),
                format!("d:7:6: '0' {time}"),
                format!("d:8:6: '-1' {time}"),
                format!("d:9:6: '3601' {time}"),
                format!("d:10:6: '1e300' {time}"),
                format!("d:11:6: 'nan' {time}"),
                format!("d:12:6: 'inf' {time}"),
                format!("d:13:6: '0.5' {time}"),
                "d:14:10: 'long' is too much".to_owned(),
            ]
        );
    }

    #[test]
    fn what_is_shown_of_a_word_is_short_and_harmless() {
        assert_eq!(
            mistakes(&format!("\u{1b}[31mprune\nprune {} /Code", "x".repeat(1_000_000))),
            [
                "d:2:1: '\\u{1b}[31mprune' is no directive; there are map, prune, priority, threshold and hold"
                    .to_owned(),
                format!(
                    "d:3:7: there is no hypothesis '{}...'; `whyperf hypotheses` prints all",
                    "x".repeat(60)
                ),
            ]
        );
    }

    #[test]
    fn a_file_says_what_it_is() {
        let first = |text: &str| read(text).map_err(|mistakes| mistakes[0].to_string());
        assert_eq!(first("").map(|read| read.entries.len()), Ok(0));
        let wrong = first("threshold CPUbound 0.5").expect_err("wrong");
        assert_eq!(wrong, "d:1:1: the file must begin with 'whyperf directives 1'");
        let newer = first("# new\nwhyperf directives 2\n").expect_err("newer");
        assert_eq!(
            newer,
            "d:2:1: directives of version '2' cannot be read, only those of version 1; use a newer whyperf"
        );
    }
}

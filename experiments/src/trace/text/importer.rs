//! Reads a trace as text, line by line, and writes it as a trace file.

use std::path::Path;

use whyperf_extrapolate::{
    Bytes, Collective, CollectiveKind, CommId, Event, Expected, Rank, RemoteAccess, RequestId,
    Sent, Tag, TraceHead,
};

use super::FIRST_LINE;
use super::words::{EventWords, LineError, number, peer, rank_of, span_of};
use crate::trace::{TextTraceError, TraceAbout, TraceWriter};

/// Reads text, and writes the trace that it says.
///
/// # Errors
/// The first line that cannot be understood, or that the trace cannot be written.
pub fn import(file: &str, text: &str, to: &Path) -> Result<(), TextTraceError> {
    let lines: Vec<(usize, &str)> = (1..)
        .zip(text.lines())
        .map(|(number, line)| (number, without_comment(line).trim()))
        .filter(|(_, line)| !line.is_empty())
        .collect();
    let first = lines.first().map_or("", |(_, line)| *line);
    let wrong = |line, what: String| TextTraceError::Line { file: file.to_owned(), line, what };
    if first != FIRST_LINE {
        return Err(wrong(1, format!("a trace as text begins with the line '{FIRST_LINE}'")));
    }
    let mut importer = Importer {
        file,
        about: TraceAbout::default(),
        head: None,
        writer: None,
        current: Vec::new(),
        to,
    };
    importer.block(&lines[1..], 0)?;
    let (Some(writer), Some(head)) = (importer.writer, importer.head) else {
        return Err(wrong(lines.len(), "there is no line such as 'ranks 4'".to_owned()));
    };
    Ok(writer.finish(importer.about, &head)?)
}

/// A text while it is read.
struct Importer<'t> {
    file: &'t str,
    about: TraceAbout,
    head: Option<TraceHead>,
    writer: Option<TraceWriter>,
    /// Whose events follow.
    current: Vec<Rank>,
    to: &'t Path,
}

/// Numbered lines without comments.
type Lines<'t> = [(usize, &'t str)];

/// Repetitions inside of each other.
const DEEPEST: u32 = 32;

impl Importer<'_> {
    fn block(&mut self, lines: &Lines<'_>, depth: u32) -> Result<(), TextTraceError> {
        let mut at = 0;
        while let Some((number, line)) = lines.get(at) {
            let fails = |what: String| self.wrong(*number, what);
            if let Some(count) = line.strip_prefix("repeat ") {
                let count: u64 = count.trim().parse().map_err(|_| {
                    fails(format!("'{}' is no number of repetitions", count.trim().escape_debug()))
                })?;
                let length = repeated(&lines[at + 1..])
                    .ok_or_else(|| fails("'repeat' has no 'end'".to_owned()))?;
                if depth == DEEPEST {
                    return Err(fails(format!(
                        "there are more than {DEEPEST} repetitions inside of each other"
                    )));
                }
                for _ in 0..count {
                    self.block(&lines[at + 1..at + 1 + length], depth + 1)?;
                }
                at += length + 2;
                continue;
            }
            self.line(line).map_err(|what| match what {
                LineError::Text(what) => self.wrong(*number, what),
                LineError::Written(error) => error.into(),
            })?;
            at += 1;
        }
        Ok(())
    }

    fn wrong(&self, line: usize, what: String) -> TextTraceError {
        TextTraceError::Line { file: self.file.to_owned(), line, what }
    }

    fn line(&mut self, line: &str) -> Result<(), LineError> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match word {
            "name" => self.about.name = rest.to_owned(),
            "fact" => {
                let (name, value) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                self.about.facts.push((name.to_owned(), value.trim().to_owned()));
            }
            "ranks" => {
                let ranks = number(rest)?;
                if self.head.is_some() || ranks == 0 || ranks > MOST_RANKS {
                    return Err(format!("there is one line 'ranks', of 1 to {MOST_RANKS}").into());
                }
                self.head = Some(TraceHead::new(ranks));
                self.writer = Some(TraceWriter::create(self.to, ranks)?);
            }
            "communicator" => self.communicator(rest)?,
            "rank" => self.current = self.ranks(rest)?,
            _ => {
                for rank in self.current.clone() {
                    let event = self.event(rank, word, rest)?;
                    let writer = self.writer.as_mut().ok_or(NO_RANKS)?;
                    writer.event(rank, event)?;
                }
                if self.current.is_empty() {
                    return Err("an event stands below a line such as 'rank 0'".to_owned().into());
                }
            }
        }
        Ok(())
    }

    fn communicator(&mut self, rest: &str) -> Result<(), LineError> {
        let head = self.head.as_mut().ok_or(NO_RANKS)?;
        let mut words = rest.split_whitespace();
        let named: u32 = number(words.next().unwrap_or_default())?;
        let next = head.communicators().len();
        if named as usize != next {
            return Err(format!("communicators are numbered in order: this one is {next}").into());
        }
        let members = words.map(|word| rank_of(word, head)).collect::<Result<Vec<_>, _>>()?;
        head.add_communicator(members);
        Ok(())
    }

    /// Ranks such as `0-3 7`.
    fn ranks(&self, rest: &str) -> Result<Vec<Rank>, LineError> {
        let head = self.head.as_ref().ok_or(NO_RANKS)?;
        let mut all = Vec::new();
        for word in rest.split_whitespace() {
            let (first, last) = word.split_once('-').unwrap_or((word, word));
            let (Rank(first), Rank(last)) = (rank_of(first, head)?, rank_of(last, head)?);
            if first > last {
                return Err(
                    format!("'{first}-{last}' is no range: the lower rank comes first").into()
                );
            }
            all.extend((first..=last).map(Rank));
        }
        if all.is_empty() {
            return Err("'rank' names ranks, as in 'rank 0' or 'rank 0-3 7'".to_owned().into());
        }
        Ok(all)
    }

    fn event(&mut self, rank: Rank, word: &str, rest: &str) -> Result<Event, LineError> {
        let head = self.head.as_mut().ok_or(NO_RANKS)?;
        if word == "compute" {
            let (region, span) = rest.rsplit_once(char::is_whitespace).unwrap_or(("main", rest));
            let region = head.name_region(region.trim());
            return Ok(Event::Compute { region, span: span_of(span)? });
        }
        let words = EventWords::new(rest)?;
        let comm = CommId(words.option("comm")?.unwrap_or(0));
        let given = words.options.iter().map(|(name, _)| *name);
        let known: &[&str] = match word {
            "isend" | "irecv" => &["comm", "tag", "request"],
            "send" | "recv" => &["comm", "tag"],
            _ if CollectiveKind::named(word).is_some() => &["comm", "root"],
            "barrier" => &["comm"],
            _ => &[],
        };
        if let Some(odd) = given.into_iter().find(|name| !known.contains(name)) {
            return Err(format!("'{word}' has no '{}'", odd.escape_debug()).into());
        }
        let request = || words.option("request").map(|number| RequestId(number.unwrap_or(0)));
        let event = match word {
            "send" | "isend" => {
                let to = peer(words.word(0, "a rank")?, rank, head)?;
                let tag = words.tag()?.unwrap_or(Tag(0));
                let bytes = Bytes(number(words.word(1, "a number of bytes")?)?);
                let sent = Sent { to, tag, comm, bytes };
                if word == "send" { Event::Send(sent) } else { Event::Isend(sent, request()?) }
            }
            "recv" | "irecv" => {
                let from = match words.word(0, "a rank or 'any'")? {
                    "any" => None,
                    named => Some(peer(named, rank, head)?),
                };
                let expected = Expected { from, tag: words.expected_tag()?, comm };
                if word == "recv" {
                    Event::Recv(expected)
                } else {
                    Event::Irecv(expected, request()?)
                }
            }
            "wait" => Event::Wait(RequestId(number(words.word(0, "a request")?)?)),
            "barrier" => Event::Barrier(comm),
            "get" | "put" => {
                let owner = peer(words.word(0, "a rank")?, rank, head)?;
                let access = RemoteAccess {
                    owner,
                    bytes: Bytes(number(words.word(1, "a number of bytes")?)?),
                };
                if word == "get" { Event::Get(access) } else { Event::Put(access) }
            }
            _ => {
                let kind = CollectiveKind::named(word)
                    .ok_or_else(|| format!("'{}' is no event", word.escape_debug()))?;
                let root = Rank(words.option("root")?.unwrap_or(0));
                let bytes = Bytes(number(words.word(0, "a number of bytes")?)?);
                Event::Collective(Collective { kind, comm, root, bytes })
            }
        };
        Ok(event)
    }
}

/// What stands before a `#` that begins a word: names of functions can hold one.
fn without_comment(line: &str) -> &str {
    let begins = |at: &usize| line[..*at].ends_with(char::is_whitespace) || *at == 0;
    let at = line.match_indices('#').map(|(at, _)| at).find(begins);
    &line[..at.unwrap_or(line.len())]
}

/// How many lines stand between a `repeat` and its `end`.
fn repeated(lines: &Lines<'_>) -> Option<usize> {
    let mut depth = 1;
    lines.iter().position(|(_, line)| {
        depth += i32::from(line.starts_with("repeat ")) - i32::from(*line == "end");
        depth == 0
    })
}

const NO_RANKS: &str = "a line such as 'ranks 4' comes first";
/// As many as any machine has had.
const MOST_RANKS: u32 = 1 << 24;

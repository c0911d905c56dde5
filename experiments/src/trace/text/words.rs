//! The words of a line: numbers, ranks, times, and what stands behind a name.

use whyperf_extrapolate::{Rank, SimTime, Tag, TraceHead};

use crate::trace::TraceError;

/// Why a line has no meaning.
pub(super) enum LineError {
    Text(String),
    Written(TraceError),
}

impl From<String> for LineError {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for LineError {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<TraceError> for LineError {
    fn from(error: TraceError) -> Self {
        Self::Written(error)
    }
}

/// The words of an event: those in order, and those with a name.
pub(super) struct EventWords<'t> {
    plain: Vec<&'t str>,
    pub(super) options: Vec<(&'t str, &'t str)>,
}

impl<'t> EventWords<'t> {
    pub(super) fn new(rest: &'t str) -> Result<Self, LineError> {
        let (mut plain, mut options) = (Vec::new(), Vec::new());
        for word in rest.split_whitespace() {
            match word.split_once('=') {
                Some(option) => options.push(option),
                None => plain.push(word),
            }
        }
        if plain.len() > 2 {
            return Err(format!("'{}' is one word too many", plain[2].escape_debug()).into());
        }
        Ok(Self { plain, options })
    }

    pub(super) fn word(&self, at: usize, what: &str) -> Result<&'t str, LineError> {
        self.plain.get(at).copied().ok_or_else(|| format!("{what} is missing").into())
    }

    fn text(&self, name: &str) -> Option<&'t str> {
        self.options.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    pub(super) fn option(&self, name: &str) -> Result<Option<u32>, LineError> {
        self.text(name).map(number).transpose()
    }

    pub(super) fn tag(&self) -> Result<Option<Tag>, LineError> {
        self.text("tag").map(number).transpose().map(|tag| tag.map(Tag))
    }

    /// The tag of a receive: 0 where it is not said, and none for `any`.
    pub(super) fn expected_tag(&self) -> Result<Option<Tag>, LineError> {
        match self.text("tag") {
            Some("any") => Ok(None),
            _ => Ok(Some(self.tag()?.unwrap_or(Tag(0)))),
        }
    }
}

pub(super) fn number<N: std::str::FromStr>(word: &str) -> Result<N, LineError> {
    word.parse()
        .map_err(|_| format!("'{}' is no number that can stand here", word.escape_debug()).into())
}

pub(super) fn rank_of(word: &str, head: &TraceHead) -> Result<Rank, LineError> {
    let rank: u32 = number(word)?;
    if rank >= head.ranks() {
        return Err(format!("there is no rank {rank}: the trace has {}", head.ranks()).into());
    }
    Ok(Rank(rank))
}

/// A rank, or a distance around such as `+1`.
pub(super) fn peer(word: &str, own: Rank, head: &TraceHead) -> Result<Rank, LineError> {
    if !word.starts_with(['+', '-']) {
        return rank_of(word, head);
    }
    let (distance, ranks): (i64, _) = (number(word)?, i64::from(head.ranks()));
    let around = (i64::from(own.0) + distance.rem_euclid(ranks)) % ranks;
    Ok(Rank(u32::try_from(around).unwrap_or(0)))
}

pub(super) fn span_of(word: &str) -> Result<SimTime, LineError> {
    let at = word.find(|c: char| c.is_alphabetic() && c != 'e').unwrap_or(word.len());
    let (number, unit) = word.split_at(at);
    let size = match unit {
        "ns" => Some(1.0),
        "us" => Some(1e3),
        "ms" => Some(1e6),
        "s" => Some(1e9),
        _ => None,
    };
    let nanos = number.parse::<f64>().ok().zip(size).map(|(number, size)| number * size);
    match nanos.filter(|nanos| nanos.is_finite() && *nanos >= 0.0) {
        Some(nanos) => Ok(SimTime::nanos(nanos)),
        None => {
            Err(format!("'{}' is no time: a number with ns, us, ms or s", word.escape_debug())
                .into())
        }
    }
}

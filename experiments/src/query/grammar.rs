//! The grammar of questions, and mistakes that say where they are and what was expected.

use std::str::FromStr;

use thiserror::Error;
use whyperf_model::{Metric, Nanos};
use winnow::ascii::{digit1, multispace0, multispace1};
use winnow::combinator::{alt, cut_err, opt, preceded, separated};
use winnow::error::{ContextError, StrContext, StrContextValue};
use winnow::prelude::*;
use winnow::token::{literal, take_till, take_while};

use super::condition::{Comparator, Field, RunCondition};
use super::pattern::FocusPattern;
use crate::comparison::RunPart;

/// A question.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// What is asked for; one at least.
    pub metrics: Vec<Metric>,
    /// Where.
    pub focus: FocusPattern,
    /// Of which runs; of all where none are named.
    pub sources: Vec<QuerySource>,
    /// What holds of them.
    pub conditions: Vec<RunCondition>,
    /// In which part of each.
    pub part: RunPart,
    /// As how many values.
    pub aggregation: QueryAggregation,
}

/// Which runs are asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuerySource {
    /// Those of an application.
    Application(String),
    /// The trials of an experiment.
    Experiment(String),
    /// One, as a user names it.
    Run(String),
}

/// As how many values the resources of a set come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum QueryAggregation {
    /// As one.
    Sum,
    /// As one each.
    List,
    /// As one for those that lie within this share of the largest.
    ClusterShare(f64),
    /// As one for those that lie within this amount, in the unit of the metric.
    Cluster(f64),
}

/// Why a text is no question.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("in column {column}: {problem}")]
pub struct QueryError {
    /// Where, the first column being 1.
    pub column: usize,
    /// What is wrong there, or what was expected.
    pub problem: String,
}

impl QueryError {
    /// The question with a mark below the place of the mistake.
    #[must_use]
    pub fn pointed(&self, query: &str) -> String {
        format!("{query}\n{:>width$}\n{}", "^", self.problem, width = self.column)
    }
}

impl FromStr for Query {
    type Err = QueryError;

    fn from_str(text: &str) -> Result<Self, QueryError> {
        let read = query.parse(text).map_err(|error| {
            let column = text[..error.offset()].chars().count() + 1;
            QueryError { column, problem: problem(error.inner(), &text[error.offset()..]) }
        })?;
        read.checked(text)
    }
}

/// What the parts of a question are called before they are known to mean anything.
struct Read<'a> {
    metrics: Vec<&'a str>,
    focus: Option<&'a str>,
    sources: Vec<QuerySource>,
    conditions: Vec<RunCondition>,
    part: Option<RunPart>,
    aggregation: Option<QueryAggregation>,
}

impl Read<'_> {
    fn checked(self, text: &str) -> Result<Query, QueryError> {
        let column = |part: &str| {
            let at = part.as_ptr() as usize - text.as_ptr() as usize;
            text[..at].chars().count() + 1
        };
        let mut metrics = Vec::new();
        for name in self.metrics {
            let metric: Metric = name.parse().map_err(|_| QueryError {
                column: column(name),
                problem: format!("there is no metric {name}; `whyperf metrics` lists them"),
            })?;
            metrics.push(metric);
        }
        let focus = match self.focus {
            None => FocusPattern::whole_program(),
            Some(focus) => {
                focus.parse().map_err(|error: whyperf_model::ParseError| QueryError {
                    column: column(focus) + error.column - 1,
                    problem: error.problem.to_string(),
                })?
            }
        };
        Ok(Query {
            metrics,
            focus,
            sources: self.sources,
            conditions: self.conditions,
            part: self.part.unwrap_or(RunPart::Whole),
            aggregation: self.aggregation.unwrap_or(QueryAggregation::Sum),
        })
    }
}

fn query<'a>(input: &mut &'a str) -> ModalResult<Read<'a>> {
    multispace0.parse_next(input)?;
    let metrics = separated(1.., word.context(expected("a metric")), comma).parse_next(input)?;
    let focus = opt(clause("at", focus)).parse_next(input)?;
    let sources =
        opt(clause("of", separated(1.., source, comma))).parse_next(input)?.unwrap_or_default();
    let mut conditions = opt(clause("where", separated(1.., condition, spaced("and"))));
    let conditions = conditions.parse_next(input)?.unwrap_or_default();
    let part = opt(clause("during", part)).parse_next(input)?;
    let aggregation = opt(clause("aggregate", aggregation)).parse_next(input)?;
    multispace0.parse_next(input)?;
    winnow::combinator::eof
        .context(expected("at, of, where, during, aggregate, in this order, or the end"))
        .parse_next(input)?;
    Ok(Read { metrics, focus, sources, conditions, part, aggregation })
}

/// Something after its word; once the word is there, nothing else may follow.
fn clause<'a, T>(
    word: &'static str,
    then: impl Parser<&'a str, T, winnow::error::ErrMode<ContextError>>,
) -> impl Parser<&'a str, T, winnow::error::ErrMode<ContextError>> {
    preceded((multispace1, literal(word), multispace1), cut_err(then))
}

fn spaced<'a>(
    word: &'static str,
) -> impl Parser<&'a str, (), winnow::error::ErrMode<ContextError>> {
    (multispace1, literal(word), multispace1).void()
}

fn comma(input: &mut &str) -> ModalResult<()> {
    (multispace0, ',', multispace0).void().parse_next(input)
}

fn expected(what: &'static str) -> StrContext {
    StrContext::Expected(StrContextValue::Description(what))
}

fn word<'a>(input: &mut &'a str) -> ModalResult<&'a str> {
    take_while(1.., |one: char| one.is_ascii_alphanumeric() || one == '_').parse_next(input)
}

/// A name without spaces, or one in quotes.
fn name(input: &mut &str) -> ModalResult<String> {
    let quoted = winnow::combinator::delimited('"', take_till(0.., '"'), '"');
    let bare = take_while(1.., |one: char| !one.is_whitespace() && one != ',' && one != '"');
    alt((quoted, bare))
        .context(expected("a name, in quotes where it has spaces"))
        .map(str::to_owned)
        .parse_next(input)
}

/// All from the first bracket to the last of them: names hold none.
fn focus<'a>(input: &mut &'a str) -> ModalResult<&'a str> {
    ('<', take_till(0.., '>'), '>')
        .take()
        .context(expected("a focus, as </Code/a.c/*,/Process/(0,1)>"))
        .parse_next(input)
}

fn source(input: &mut &str) -> ModalResult<QuerySource> {
    alt((
        preceded("app:", cut_err(name)).map(QuerySource::Application),
        preceded("experiment:", cut_err(name)).map(QuerySource::Experiment),
        preceded("run:", cut_err(name)).map(QuerySource::Run),
    ))
    .context(expected("app:NAME, experiment:NAME or run:RUN"))
    .parse_next(input)
}

fn condition(input: &mut &str) -> ModalResult<RunCondition> {
    let field = name_of_field.parse_next(input)?;
    multispace0.parse_next(input)?;
    let comparator = comparator.context(expected("one of = != < <= > >= ~")).parse_next(input)?;
    multispace0.parse_next(input)?;
    let value = cut_err(name).parse_next(input)?;
    Ok(RunCondition { field, comparator, value })
}

fn name_of_field(input: &mut &str) -> ModalResult<Field> {
    let all = take_while(1.., |one: char| one.is_ascii_alphanumeric() || "_-.:".contains(one));
    all.context(expected("ranks, threads, hosts, elapsed, started, trial, experiment, application, tag, status or a fact of the run"))
        .map(Field::named)
        .parse_next(input)
}

fn comparator(input: &mut &str) -> ModalResult<Comparator> {
    alt((
        "!=".value(Comparator::Differs),
        "<=".value(Comparator::AtMost),
        ">=".value(Comparator::AtLeast),
        "=".value(Comparator::Is),
        "<".value(Comparator::Below),
        ">".value(Comparator::Above),
        "~".value(Comparator::Contains),
    ))
    .parse_next(input)
}

fn part(input: &mut &str) -> ModalResult<RunPart> {
    let phase = preceded("phase:", cut_err(name)).map(RunPart::Phase);
    let share =
        |input: &mut &str| (number, '%').map(|(number, _)| number / 100.0).parse_next(input);
    let shares = (share, "..", share).verify(|(from, _, to)| from < to && *to <= 1.0);
    let times = (duration, "..", duration).verify(|(from, _, to)| from < to);
    let known = alt((
        phase,
        shares.map(|(from, _, to)| RunPart::Shares(from, to)),
        times.map(|(from, _, to)| RunPart::Times(from, to)),
    ));
    whole(known)
        .context(expected("a part of a run, as phase:2, 25%..50% or 2s..3.5s"))
        .parse_next(input)
}

/// What is wrong with a part of it is wrong with it as a whole: a mistake is pointed at from its beginning.
fn whole<'a, T>(
    mut parser: impl Parser<&'a str, T, winnow::error::ErrMode<ContextError>>,
) -> impl Parser<&'a str, T, winnow::error::ErrMode<ContextError>> {
    move |input: &mut &'a str| {
        let start = *input;
        parser.parse_next(input).inspect_err(|_| *input = start)
    }
}

fn duration(input: &mut &str) -> ModalResult<Nanos> {
    let unit = alt(("ms".value(1e6), "us".value(1e3), "ns".value(1.0), "s".value(1e9)));
    let (number, scale): (f64, f64) = (number, preceded(multispace0, unit)).parse_next(input)?;
    Ok(Nanos((number * scale) as u64))
}

fn aggregation(input: &mut &str) -> ModalResult<QueryAggregation> {
    let share = (number, '%').map(|(number, _)| QueryAggregation::ClusterShare(number / 100.0));
    let time = duration.map(|time| QueryAggregation::Cluster(time.0 as f64));
    let amount = number.map(QueryAggregation::Cluster);
    let range = whole(alt((share, time, amount)))
        .context(expected("how far values of a cluster may lie apart, as 5%, 20 ms or 1000"));
    alt((
        "sum".value(QueryAggregation::Sum),
        "list".value(QueryAggregation::List),
        preceded(("cluster", multispace1), cut_err(range)),
    ))
    .context(expected("sum, list or cluster with a range"))
    .parse_next(input)
}

/// A number that is not negative.
fn number(input: &mut &str) -> ModalResult<f64> {
    let fraction = opt(('.', digit1));
    let mut digits = (digit1, fraction).take().try_map(str::parse::<f64>);
    digits.parse_next(input)
}

/// What was expected, in one sentence.
fn problem(error: &ContextError, rest: &str) -> String {
    let expected = error.context().find_map(|context| match context {
        StrContext::Expected(what) => Some(what.to_string()),
        _ => None,
    });
    let found = rest.split_whitespace().next();
    let found = found.map_or_else(|| "the end".to_owned(), |word| format!("'{word}'"));
    match expected {
        Some(expected) => format!("expected {expected}, not {found}"),
        None => format!("{found} makes no sense here"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Query {
        text.parse().unwrap_or_else(|error: QueryError| panic!("{}", error.pointed(text)))
    }

    #[test]
    fn a_question_has_all_its_parts() {
        let query = read(
            "cpu, sync_wait at </Code/*/solve,/Process/(0,1)> of app:ocean, experiment:\"two words\" \
             where ranks>=8 and trial ~ cold during phase:2 aggregate cluster 5%",
        );
        assert_eq!(query.metrics, [Metric::Cpu, Metric::SyncWait]);
        assert_eq!(query.sources.len(), 2);
        assert_eq!(query.sources[1], QuerySource::Experiment("two words".into()));
        assert_eq!(query.conditions[0].comparator, Comparator::AtLeast);
        assert_eq!(query.conditions[1].value, "cold");
        assert_eq!(query.part, RunPart::Phase("2".into()));
        assert_eq!(query.aggregation, QueryAggregation::ClusterShare(0.05));
    }

    #[test]
    fn only_the_metric_is_needed() {
        let query = read("wall");
        assert_eq!((query.sources.len(), query.aggregation), (0, QueryAggregation::Sum));
        assert_eq!(read("wall during 25%..50%").part, RunPart::Shares(0.25, 0.5));
        let times = RunPart::Times(Nanos(2_000_000_000), Nanos(3_500_000_000));
        assert_eq!(read("wall during 2s..3.5s").part, times);
        assert_eq!(
            read("wall aggregate cluster 20 ms").aggregation,
            QueryAggregation::Cluster(2e7)
        );
    }

    #[test]
    fn a_mistake_is_pointed_at() {
        for (text, column, part) in [
            ("", 1, "a metric"),
            ("wail", 1, "no metric wail"),
            ("cpu, wail", 6, "no metric wail"),
            ("cpu at", 5, "at, of, where"),
            ("cpu at Code", 8, "a focus"),
            ("cpu at </Cod>", 10, "Cod"),
            ("cpu of ocean", 8, "app:NAME"),
            ("cpu where ranks 8", 17, "one of"),
            ("cpu during 50%..25%", 12, "a part of a run"),
            ("cpu aggregate mean", 15, "sum, list or cluster"),
            ("cpu where ranks>=8 at <>", 20, "in this order"),
        ] {
            let error = text.parse::<Query>().expect_err(text);
            assert!(error.problem.contains(part), "{text}: {error}");
            assert_eq!(error.column, column, "{text}: {error}");
        }
        let error = "cpu of ocean".parse::<Query>().expect_err("no source");
        assert_eq!(error.pointed("cpu of ocean").lines().nth(1), Some("       ^"));
    }
}

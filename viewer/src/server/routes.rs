//! What is answered at which address. The addresses and documents are described by `viewer/openapi.json`.

use std::io::{self, Write as _};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use axum::Router;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{DefaultBodyLimit, Json, Query, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use flate2::Compression;
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;
use whyperf_model::{Focus, Metric, Pair};

use super::Shown;
use super::access::{self, AccessRules};
use super::command::Command;
use super::compressed::{self, Turn, held};
use super::events::{self, Place};
use super::refusal::Refusal;
use crate::page::page;
use crate::viewed_run::{Bins, ViewedRun};

/// What is served.
pub(crate) struct Site {
    shown: Shown,
    page: Vec<u8>,
    packed_page: Vec<u8>,
    streams: Arc<AtomicUsize>,
    /// Documents that are made, or that browsers have not read to their end.
    documents: Arc<Semaphore>,
}

impl Site {
    pub(crate) fn new(shown: Shown) -> Self {
        let page = page("whyperf", None).into_bytes();
        let packed_page = compressed::packed(&page, Compression::best());
        let documents = Arc::new(Semaphore::new(MOST_DOCUMENTS));
        Self { shown, page, packed_page, streams: Arc::default(), documents }
    }

    /// Waits until one more document may be in hand.
    async fn turn(&self) -> Turn {
        // Nobody closes the semaphore.
        Arc::clone(&self.documents).acquire_owned().await.ok()
    }

    fn run(&self, number: usize) -> Result<Arc<ViewedRun>, Refusal> {
        self.shown.runs.get(number).map(Arc::clone).ok_or(Refusal::NoRun(number))
    }
}

/// Where each address leads.
pub(crate) fn router(site: Arc<Site>, rules: Arc<AccessRules>) -> Router {
    let checked = middleware::from_fn_with_state(rules, access::check);
    Router::new()
        .route("/", get(the_page))
        .route("/api/v1/runs", get(runs))
        .route("/api/v1/run", get(run))
        .route("/api/v1/graph", get(graph))
        .route("/api/v1/profile", get(profile))
        .route("/api/v1/series", get(one_series).post(many_series))
        .route("/api/v1/stream", get(stream))
        .route("/api/v1/events", get(changes))
        .route("/api/v1/command", post(command))
        .route("/api/v1/openapi.json", get(description))
        .route("/api/v1/schema.json", get(schema))
        .fallback(async || Refusal::NoAddress)
        .layer(DefaultBodyLimit::max(MOST_BODY))
        .layer(checked)
        .layer(middleware::map_response(private))
        .with_state(site)
}

/// So many documents are in hand at once, whoever stops reading; others wait for their turn.
const MOST_DOCUMENTS: usize = 16;
/// A longer request is refused.
const MOST_BODY: usize = 1 << 20;
/// More pairs are not asked for at once.
const MOST_PAIRS: usize = 4096;

/// Nothing of it is kept by anybody on the way, and nothing is taken for what it is not.
async fn private(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    response
}

/// Which run is asked for; the first, where nothing is said.
#[derive(Debug, Deserialize)]
struct WhichRun {
    #[serde(default)]
    run: usize,
}

#[derive(Debug, Deserialize)]
struct WhichSeries {
    #[serde(default)]
    run: usize,
    metric: String,
    focus: String,
    #[serde(default)]
    from: usize,
}

#[derive(Debug, Deserialize)]
struct WhichStream {
    #[serde(default)]
    run: usize,
    stream: usize,
    #[serde(default)]
    from: usize,
}

#[derive(Debug, Deserialize)]
struct WhichEvents {
    #[serde(default)]
    run: usize,
    #[serde(default)]
    since: u64,
}

/// Metric, focus and the first bin of each pair that is wanted.
#[derive(Debug, Deserialize)]
struct ManyPairs {
    pairs: Vec<(String, String, FirstBin)>,
}

/// A number of a bin, as JSON has it: it may be written as `3.0`, and is read alike everywhere.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "f64")]
struct FirstBin(usize);

impl TryFrom<f64> for FirstBin {
    type Error = String;

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "just checked")]
    fn try_from(number: f64) -> Result<Self, String> {
        let is_whole = number.fract() == 0.0 && (0.0..=MOST_EXACT).contains(&number);
        is_whole.then_some(Self(number as usize)).ok_or_else(|| format!("{number} is no bin"))
    }
}

/// Whole numbers above are not told apart by all that read JSON.
const MOST_EXACT: f64 = 9_007_199_254_740_991.0;

type Asked<T> = Result<Query<T>, QueryRejection>;

fn told<T>(asked: Asked<T>) -> Result<T, Refusal> {
    asked.map(|Query(words)| words).map_err(|error| Refusal::BadRequest(error.body_text()))
}

async fn the_page(State(site): State<Arc<Site>>, headers: HeaderMap) -> Response {
    const KIND: &str = "text/html; charset=utf-8";
    if compressed::is_wanted(&headers) {
        return compressed::of_packed(site.packed_page.clone(), KIND);
    }
    ([(header::CONTENT_TYPE, KIND)], site.page.clone()).into_response()
}

async fn runs(State(site): State<Arc<Site>>) -> Response {
    Json(serde_json::json!({ "version": crate::document::VERSION, "runs": site.shown.runs.len() }))
        .into_response()
}

async fn run(
    State(site): State<Arc<Site>>,
    asked: Asked<WhichRun>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let (number, turn) = (told(asked)?.run, site.turn().await);
    let takes_commands = number == 0 && site.shown.commands.is_some();
    let run = site.run(number)?;
    document(turn, headers, move || {
        let mut run = run.run();
        run.takes_commands = takes_commands;
        run
    })
    .await
}

async fn graph(
    State(site): State<Arc<Site>>,
    asked: Asked<WhichRun>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let (run, turn) = (site.run(told(asked)?.run)?, site.turn().await);
    document(turn, headers, move || run.graph()).await
}

async fn profile(
    State(site): State<Arc<Site>>,
    asked: Asked<WhichRun>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let (run, turn) = (site.run(told(asked)?.run)?, site.turn().await);
    document(turn, headers, move || run.profile()).await
}

async fn one_series(
    State(site): State<Arc<Site>>,
    asked: Asked<WhichSeries>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let WhichSeries { run, metric, focus, from } = told(asked)?;
    let (run, turn) = (site.run(run)?, site.turn().await);
    let pairs = [(pair(&metric, &focus)?, Bins::From(from))];
    answer(turn, headers, move |out| {
        let found = run.series(&pairs).map_err(|error| Refusal::Failed(error.to_string()))?;
        match found.into_iter().next().flatten() {
            Some(series) => write(&series, out),
            None => Err(Refusal::NoSeries { metric, focus }),
        }
    })
    .await
}

async fn many_series(
    State(site): State<Arc<Site>>,
    asked: Asked<WhichRun>,
    headers: HeaderMap,
    body: Result<Json<ManyPairs>, JsonRejection>,
) -> Result<Response, Refusal> {
    let run = site.run(told(asked)?.run)?;
    let Json(ManyPairs { pairs }) = body.map_err(|error| Refusal::BadRequest(error.body_text()))?;
    if pairs.len() > MOST_PAIRS {
        return Err(Refusal::BadRequest(format!("at most {MOST_PAIRS} pairs at once")));
    }
    let pairs = pairs
        .into_iter()
        .map(|(metric, focus, from)| Ok((pair(&metric, &focus)?, Bins::From(from.0))));
    let pairs = pairs.collect::<Result<Vec<_>, Refusal>>()?;
    let turn = site.turn().await;
    answer(turn, headers, move |out| write_series(&run, &pairs, out)).await
}

/// Writes one series after the other: all of a thousand processes at once are tens of megabytes.
fn write_series(
    run: &ViewedRun,
    pairs: &[(Pair, Bins)],
    out: &mut compressed::Answer,
) -> Result<(), Refusal> {
    let mut written = out.write_all(b"[");
    let mut separator: &[u8] = b"";
    let all = run.each_series(pairs, |series| {
        if written.is_ok() {
            written = out.write_all(separator);
            separator = b",";
        }
        if written.is_ok() {
            written = serde_json::to_writer(&mut *out, &series).map_err(io::Error::from);
        }
    });
    all.map_err(|error| Refusal::Failed(error.to_string()))?;
    written.and_then(|()| out.write_all(b"]")).map_err(|error| Refusal::Failed(error.to_string()))
}

fn pair(metric: &str, focus: &str) -> Result<Pair, Refusal> {
    let metric: Metric = metric
        .parse()
        .map_err(|_| Refusal::BadRequest(format!("there is no metric {metric:?}")))?;
    let read: Result<Focus, _> = focus.parse();
    let focus =
        read.map_err(|error| Refusal::BadRequest(format!("the focus {focus:?}: {error}")))?;
    Ok(Pair::new(metric, focus))
}

async fn stream(
    State(site): State<Arc<Site>>,
    asked: Asked<WhichStream>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let WhichStream { run, stream, from } = told(asked)?;
    let turn = site.turn().await;
    let found = site.run(run)?.stream(stream, from).ok_or(Refusal::NoStream(stream))?;
    document(turn, headers, move || found).await
}

async fn changes(
    State(site): State<Arc<Site>>,
    asked: Asked<WhichEvents>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let WhichEvents { run, since } = told(asked)?;
    // A browser that connects again says which change it saw last.
    let last = headers.get("last-event-id").and_then(|value| value.to_str().ok()?.parse().ok());
    let place = Place::take(&site.streams).ok_or(Refusal::TooManyStreams)?;
    Ok(events::stream(site.run(run)?, last.unwrap_or(since), place).into_response())
}

async fn command(
    State(site): State<Arc<Site>>,
    body: Result<Json<Command>, JsonRejection>,
) -> Result<Response, Refusal> {
    let Json(command) = body.map_err(|error| Refusal::BadRequest(error.body_text()))?;
    let Some(sender) = &site.shown.commands else {
        return Err(Refusal::NotDone("this run is over and takes no commands".to_owned()));
    };
    sender.ask(command).await.map_err(Refusal::NotDone)?;
    Ok(Json(serde_json::json!({ "done": true })).into_response())
}

async fn description() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], DESCRIPTION).into_response()
}

async fn schema() -> Result<Response, Refusal> {
    let schema = json_schema(DESCRIPTION).map_err(|error| Refusal::Failed(error.to_string()))?;
    Ok(([(header::CONTENT_TYPE, "application/schema+json")], schema).into_response())
}

/// Of all that is answered.
const DESCRIPTION: &str = include_str!("../../openapi.json");

/// The schemas of a description as one JSON schema, with the documents by name among its definitions.
fn json_schema(description: &str) -> serde_json::Result<String> {
    let mut described: serde_json::Value = serde_json::from_str(description)?;
    let definitions = described["components"]["schemas"].take();
    let schema = serde_json::json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": described["info"]["title"],
        "$defs": definitions,
    });
    Ok(schema.to_string().replace("#/components/schemas/", "#/$defs/"))
}

/// A document as JSON, made where it keeps nobody waiting.
async fn document<T: Serialize>(
    turn: Turn,
    headers: HeaderMap,
    make: impl FnOnce() -> T + Send + 'static,
) -> Result<Response, Refusal> {
    answer(turn, headers, move |out| write(&make(), out)).await
}

fn write<T: Serialize>(document: &T, out: &mut compressed::Answer) -> Result<(), Refusal> {
    serde_json::to_writer(out, document).map_err(|error| Refusal::Failed(error.to_string()))
}

/// JSON, written where it keeps nobody waiting.
async fn answer(
    turn: Turn,
    headers: HeaderMap,
    write: impl FnOnce(&mut compressed::Answer) -> Result<(), Refusal> + Send + 'static,
) -> Result<Response, Refusal> {
    let made = tokio::task::spawn_blocking(move || {
        let mut answer = compressed::Answer::new(&headers);
        write(&mut answer)?;
        answer.finish("application/json").map_err(|error| Refusal::Failed(error.to_string()))
    });
    let made = made.await.map_err(|error| Refusal::Failed(error.to_string()))?;
    made.map(|answer| held(answer, turn))
}

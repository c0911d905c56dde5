//! Answers that are packed where the browser can unpack them, and that keep their turn until they are read.

use std::io::Write as _;

use axum::body::{Body, Bytes, HttpBody as _};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::stream::{self, StreamExt as _};
use tokio::sync::OwnedSemaphorePermit;

/// A smaller answer is not worth packing.
const LEAST: usize = 1024;

/// Leave to have a document in hand, of which there are so many.
pub(crate) type Turn = Option<OwnedSemaphorePermit>;

/// Packs a text.
pub(crate) fn packed(text: &[u8], level: Compression) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(text.len() / 4), level);
    // Writing to memory does not fail.
    let _ = encoder.write_all(text);
    encoder.finish().unwrap_or_default()
}

/// Whether a browser can unpack it.
pub(crate) fn is_wanted(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|accepted| {
        accepted.split(',').any(|one| one.trim().split(';').next() == Some("gzip"))
    })
}

/// A text as an answer of a kind.
pub(crate) fn answer(text: Vec<u8>, kind: &'static str, headers: &HeaderMap) -> Response {
    if text.len() < LEAST || !is_wanted(headers) {
        return ([(header::CONTENT_TYPE, kind)], text).into_response();
    }
    of_packed(packed(&text, Compression::fast()), kind)
}

/// The same answer, that keeps its turn until a browser has read it but for what lies on the way.
pub(crate) fn held(answer: Response, turn: Turn) -> Response {
    let (mut head, body) = answer.into_parts();
    if let Some(length) = body.size_hint().exact() {
        head.headers.insert(header::CONTENT_LENGTH, length.into());
    }
    let pieces = body.into_data_stream().flat_map(|whole| stream::iter(pieces(whole)));
    let pieces = pieces.map(move |piece| {
        let _ = &turn;
        piece
    });
    Response::from_parts(head, Body::from_stream(pieces))
}

/// Bytes in pieces that share their memory: the next one is asked for when the one before is written.
fn pieces(whole: Result<Bytes, axum::Error>) -> Vec<Result<Bytes, axum::Error>> {
    match whole {
        Ok(bytes) => {
            let starts = (0..bytes.len()).step_by(PIECE);
            starts.map(|at| Ok(bytes.slice(at..bytes.len().min(at + PIECE)))).collect()
        }
        Err(error) => vec![Err(error)],
    }
}

const PIECE: usize = 1 << 16;

/// What was packed before as an answer.
pub(crate) fn of_packed(bytes: Vec<u8>, kind: &'static str) -> Response {
    let mut response = ([(header::CONTENT_TYPE, kind)], bytes).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    response
}

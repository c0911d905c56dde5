//! Answers that are packed where the browser can unpack them.

use std::io::Write as _;

use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use flate2::Compression;
use flate2::write::GzEncoder;

/// A smaller answer is not worth packing.
const LEAST: usize = 1024;

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

/// What was packed before as an answer.
pub(crate) fn of_packed(bytes: Vec<u8>, kind: &'static str) -> Response {
    let mut response = ([(header::CONTENT_TYPE, kind)], bytes).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    response
}

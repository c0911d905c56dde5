//! Answers that are packed where the browser can unpack them, and that keep their turn until they are read.

use std::io::{self, Write};

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

/// An answer that is packed while it is written: no more of it than a piece lies unpacked in memory.
pub(crate) struct Answer {
    /// What is written and not packed.
    piece: Vec<u8>,
    encoder: Option<GzEncoder<Vec<u8>>>,
    packs: bool,
}

impl Answer {
    /// One that is packed where a browser can unpack it.
    pub(crate) fn new(headers: &HeaderMap) -> Self {
        Self { piece: Vec::new(), encoder: None, packs: is_wanted(headers) }
    }

    fn pack(&mut self) -> io::Result<()> {
        let encoder =
            self.encoder.get_or_insert_with(|| GzEncoder::new(Vec::new(), Compression::fast()));
        encoder.write_all(&self.piece)?;
        self.piece.clear();
        Ok(())
    }

    /// What was written, as an answer of a kind.
    pub(crate) fn finish(mut self, kind: &'static str) -> io::Result<Response> {
        if self.packs && (self.encoder.is_some() || self.piece.len() >= LEAST) {
            self.pack()?;
        }
        match self.encoder {
            Some(encoder) => Ok(of_packed(encoder.finish()?, kind)),
            None => Ok(([(header::CONTENT_TYPE, kind)], self.piece).into_response()),
        }
    }
}

impl Write for Answer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        if self.packs && self.piece.len() >= PIECE {
            self.pack()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
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

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::GzDecoder;
    use tokio::runtime::Builder;

    use super::*;

    /// Writes a text in words, as a document is written, and unpacks what became of it; with whether it was packed.
    fn written(text: &str, accepted: &'static str) -> (bool, String) {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(accepted));
        let mut answer = Answer::new(&headers);
        text.split_inclusive(' ')
            .for_each(|word| answer.write_all(word.as_bytes()).expect("memory"));
        let response = answer.finish("text/plain").expect("memory");
        let is_packed = response.headers().contains_key(header::CONTENT_ENCODING);
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        let body = axum::body::to_bytes(response.into_body(), usize::MAX);
        let bytes = runtime.block_on(body).expect("it is there");
        let mut text = String::new();
        if is_packed {
            GzDecoder::new(&bytes[..]).read_to_string(&mut text).expect("it is packed");
        } else {
            text = String::from_utf8(bytes.to_vec()).expect("it is a text");
        }
        (is_packed, text)
    }

    #[test]
    fn what_is_packed_piece_by_piece_is_whole_again() {
        let long: String = (0..40_000).map(|n| format!("{n} ")).collect();
        let told = written(&long, "br, gzip;q=0.9");
        assert!(told == (true, long), "packed: {}, {} bytes", told.0, told.1.len());
    }

    #[test]
    fn what_is_short_or_not_to_be_packed_is_told_as_it_is() {
        let long = "word ".repeat(40_000);
        let told = [written("a word", "gzip"), written(&long, "br")];
        assert!(told == [(false, "a word".into()), (false, long)]);
    }
}

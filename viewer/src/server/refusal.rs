//! Requests that are not answered, each with its reason and its status.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

/// Why a request is not answered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    #[error(
        "the host {0:?} is not this machine: use the address that whyperf printed, or name the host to whyperf with --view-host"
    )]
    Host(String),
    #[error("the page of {0} may not ask this server")]
    Origin(String),
    #[error("the token is missing or wrong: use the whole address that whyperf printed")]
    Token,
    #[error("there is no run {0} here")]
    NoRun(usize),
    #[error("there is no stream {0} beside this run")]
    NoStream(usize),
    #[error("nothing is there")]
    NoAddress,
    #[error("{0}")]
    BadRequest(String),
    #[error("{metric} at {focus} is not known over time")]
    NoSeries { metric: String, focus: String },
    #[error("too many pages follow this run")]
    TooManyStreams,
    #[error("{0}")]
    NotDone(String),
    #[error("{0}")]
    Failed(String),
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status = match &self {
            Self::Token => StatusCode::UNAUTHORIZED,
            Self::Host(_) | Self::Origin(_) => StatusCode::FORBIDDEN,
            Self::NoRun(_) | Self::NoStream(_) | Self::NoAddress | Self::NoSeries { .. } => {
                StatusCode::NOT_FOUND
            }
            Self::BadRequest(_) => StatusCode::BAD_REQUEST,
            Self::TooManyStreams => StatusCode::SERVICE_UNAVAILABLE,
            Self::NotDone(_) => StatusCode::CONFLICT,
            Self::Failed(_) => StatusCode::INTERNAL_SERVER_ERROR,
        };
        (status, Json(serde_json::json!({ "error": self.to_string() }))).into_response()
    }
}

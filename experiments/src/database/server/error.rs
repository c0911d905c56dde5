//! Why a server did not do what was asked of it.

use std::io;

use crate::database::problem::Problem;

/// What went wrong, on the way or at the server.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServerError {
    /// Nobody answers there.
    #[error("{0}")]
    Unreachable(io::Error),
    /// The connection broke, or nothing came for too long.
    #[error("the connection to the server was lost: {0}")]
    Lost(io::Error),
    /// No encrypted connection could be made, where one is wanted.
    #[error("{0}")]
    Tls(TlsError),
    /// The server wants a password, and there is none.
    #[error(
        "the server asks for the password of {user}, and there is none: put it into ~/.pgpass, or set PGPASSWORD"
    )]
    NoPassword {
        /// Who is to be let in.
        user: String,
    },
    /// The server wants to know who this is in a way that is not known here.
    #[error(
        "the server asks for an authentication that this whyperf does not know; scram-sha-256, md5, password, trust, peer and cert are known"
    )]
    UnknownAuthentication,
    /// The server said no.
    #[error("{message}{}", detail.as_deref().map(|detail| format!(" ({detail})")).unwrap_or_default())]
    Said {
        /// Five letters and digits, as PostgreSQL lists them.
        code: String,
        /// In its words.
        message: String,
        /// More of them.
        detail: Option<String>,
    },
    /// What came makes no sense.
    #[error("the server answers in a way that makes no sense")]
    Protocol,
}

/// Why no encrypted connection could be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TlsError {
    /// The server has none.
    #[error("the server speaks no TLS, and sslmode asks for it")]
    NotOffered,
    /// A file of certificates or keys cannot be used.
    #[error("cannot use {}: {reason}", path.display())]
    File {
        /// Which.
        path: std::path::PathBuf,
        /// Why not.
        reason: io::Error,
    },
    /// There is nothing to check the server's certificate with.
    #[error(
        "sslmode asks to check the server's certificate, and there is no root certificate: name its file by sslrootcert, or put it into ~/.postgresql/root.crt"
    )]
    NoRoot,
    /// The name of the server is none.
    #[error("{0} is no name of a server")]
    Name(String),
    /// The two do not understand each other, or the certificate is not one to be trusted.
    #[error("TLS: {0}")]
    Handshake(#[from] rustls::Error),
}

impl ServerError {
    /// The kind of it.
    pub(crate) fn problem(&self) -> Problem {
        let Self::Said { code, .. } = self else {
            return match self {
                Self::Unreachable(_) | Self::Lost(_) => Problem::Unreachable,
                Self::Tls(_) | Self::NoPassword { .. } | Self::UnknownAuthentication => {
                    Problem::Refused
                }
                Self::Said { .. } | Self::Protocol => Problem::Other,
            };
        };
        match code.as_str() {
            // Invalid password or authorization, no such database, no right to connect.
            code if code.starts_with("28") || code == "3D000" => Problem::Refused,
            // No right to make or write tables.
            "42501" => Problem::Refused,
            // What was opened to be read, or a server that only follows another.
            "25006" => Problem::ReadOnly,
            // The lock was not free, somebody waited for us while we waited for them, or a change of another came between.
            "55P03" | "40P01" | "40001" => Problem::Busy,
            "53100" => Problem::Full,
            // Shut down, crashed, starting up, or too many connections.
            "57P01" | "57P02" | "57P03" | "57P05" | "53300" => Problem::Unreachable,
            code if code.starts_with("08") => Problem::Unreachable,
            code if code.starts_with("XX00") => Problem::Damaged,
            _ => Problem::Other,
        }
    }
}

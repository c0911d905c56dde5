//! The way to a server: a socket of this machine, or of the network, with TLS or without.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use bytes::BytesMut;
use postgres_protocol::message::frontend;
use rustls::{ClientConnection, StreamOwned};

use super::address::{Host, ServerAddress};
use super::error::{ServerError, TlsError};
use super::tls;

/// Where bytes come from and go to.
pub(super) enum Stream {
    Unix(UnixStream),
    Tcp(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
}

/// How the way is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protection {
    Plain,
    Encrypted,
}

/// After this a server that says nothing is gone: no statement of a store takes so long.
const SILENCE: Duration = Duration::from_secs(60);

impl Stream {
    /// The way to one of the hosts of an address.
    pub(super) fn open(
        address: &ServerAddress,
        host: &Host,
        protection: Protection,
    ) -> Result<Self, ServerError> {
        if host.is_socket() {
            let file = Path::new(&host.name).join(format!(".s.PGSQL.{}", host.port));
            let named = |error| told(&error, &file.display().to_string());
            let stream = UnixStream::connect(&file).map_err(named)?;
            stream.set_read_timeout(Some(SILENCE)).map_err(ServerError::Unreachable)?;
            stream.set_write_timeout(Some(SILENCE)).map_err(ServerError::Unreachable)?;
            return Ok(Self::Unix(stream));
        }
        let stream = tcp(host, address.patience)?;
        match protection {
            Protection::Plain => Ok(Self::Tcp(stream)),
            Protection::Encrypted => encrypted(address, host, stream),
        }
    }
}

/// A connection over the network.
fn tcp(host: &Host, patience: Duration) -> Result<TcpStream, ServerError> {
    let name = format!("{} at port {}", host.name, host.port);
    let places = (host.name.as_str(), host.port).to_socket_addrs();
    let places = places.map_err(|error| told(&error, &name))?;
    let mut failed = io::Error::from(io::ErrorKind::NotFound);
    for place in places {
        match TcpStream::connect_timeout(&place, patience) {
            Ok(stream) => {
                let set = || {
                    stream.set_nodelay(true)?;
                    stream.set_read_timeout(Some(SILENCE))?;
                    stream.set_write_timeout(Some(SILENCE))
                };
                return set().map(|()| stream).map_err(ServerError::Unreachable);
            }
            Err(error) => failed = error,
        }
    }
    Err(told(&failed, &name))
}

/// TLS over this connection, if the server has it.
fn encrypted(
    address: &ServerAddress,
    host: &Host,
    mut stream: TcpStream,
) -> Result<Stream, ServerError> {
    let mut request = BytesMut::new();
    frontend::ssl_request(&mut request);
    stream.write_all(&request).map_err(ServerError::Lost)?;
    let mut answer = [0];
    stream.read_exact(&mut answer).map_err(ServerError::Lost)?;
    if answer != *b"S" {
        return Err(ServerError::Tls(TlsError::NotOffered));
    }
    let mut client = tls::client(address, &host.name).map_err(ServerError::Tls)?;
    // Whether the two understand each other is told apart from a way that breaks.
    while client.is_handshaking() {
        client.complete_io(&mut stream).map_err(|error| {
            match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
                Some(reason) => ServerError::Tls(TlsError::Handshake(reason.clone())),
                None => ServerError::Lost(error),
            }
        })?;
    }
    Ok(Stream::Tls(Box::new(StreamOwned::new(client, stream))))
}

/// With the place that could not be reached.
fn told(error: &io::Error, place: &str) -> ServerError {
    ServerError::Unreachable(io::Error::new(error.kind(), format!("{place}: {error}")))
}

impl Read for Stream {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Unix(stream) => stream.read(bytes),
            Self::Tcp(stream) => stream.read(bytes),
            Self::Tls(stream) => stream.read(bytes),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Unix(stream) => stream.write(bytes),
            Self::Tcp(stream) => stream.write(bytes),
            Self::Tls(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Unix(stream) => stream.flush(),
            Self::Tcp(stream) => stream.flush(),
            Self::Tls(stream) => stream.flush(),
        }
    }
}

//! The server of the page: runs that are shown, to a browser on this machine.
//!
//! ```text
//!   browser ── GET . ─────────────────► page          (its scripts ask for the rest, by relative addresses)
//!           ── GET api/v1/run … ──────► documents     ◄── ViewedRun
//!           ◄─ api/v1/events ────────── what changed  ◄── ViewedRun::changed, as fast as the browser reads
//!           ── POST api/v1/command ───► CommandRequest ──► whoever watches the run
//! ```
//!
//! It has one thread, and makes documents on others, so many at once as browsers take. A request needs the token that was printed, names this machine as its host, and comes
//! from the page itself ([`access`]). A browser that stops reading holds up nobody: each stream has one change at most in its hands.

mod access;
mod command;
mod compressed;
mod connection;
mod error;
mod events;
mod refusal;
mod routes;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::FileTypeExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use rustix::fs::{Mode, fchmod};
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, listen, socket_with,
};
use tokio::runtime::Builder;

pub use access::{AccessRules, Token};
pub use command::{Answer, Command, CommandRequest, CommandSender, PriorityLevel};
pub use error::ServeError;

use self::connection::{Connections, MOST};
use crate::viewed_run::ViewedRun;

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViewAddress {
    /// An address and a port of this machine; port 0 is a free one.
    Tcp(SocketAddr),
    /// A socket of the file system, which nobody else may open: for `ssh -L PORT:/path/of/it`.
    Unix(PathBuf),
}

/// What a server shows.
#[derive(Debug)]
pub struct Shown {
    /// The runs, side by side.
    pub runs: Vec<Arc<ViewedRun>>,
    /// Whoever carries out commands for the first of them; none of runs that are over.
    pub commands: Option<CommandSender>,
}

/// A server, which lives as long as the process.
#[derive(Debug)]
pub struct ViewServer {
    address: ViewAddress,
    token: Token,
}

impl ViewServer {
    /// Begins to listen, and answers from a thread of its own.
    ///
    /// # Errors
    /// When nothing can listen at the address, or no thread can be made.
    pub fn start(
        shown: Shown,
        address: &ViewAddress,
        rules: AccessRules,
    ) -> Result<Self, ServeError> {
        let token = rules.token.clone();
        let site = Arc::new(routes::Site::new(shown));
        let listener = Listener::at(address)?;
        let address = listener.address(address);
        let failed = |error| ServeError::Thread { error };
        let runtime =
            Builder::new_current_thread().enable_all().max_blocking_threads(WORKERS).build();
        let runtime = runtime.map_err(failed)?;
        let answer = move || runtime.block_on(listener.serve(site, Arc::new(rules)));
        thread::Builder::new().name("whyperf-view".into()).spawn(answer).map_err(failed)?;
        Ok(Self { address, token })
    }

    /// The address of the page; of a socket of the file system that of the port that `ssh` is told to forward.
    #[must_use]
    pub fn url(&self) -> String {
        let token = self.token.as_str();
        match &self.address {
            ViewAddress::Tcp(address) => format!("http://{address}/?token={token}"),
            ViewAddress::Unix(_) => format!("http://localhost:{FORWARDED}/?token={token}"),
        }
    }

    /// What to type on another machine to see the page there, with the name of this one.
    #[must_use]
    pub fn tunnel(&self, host: &str) -> String {
        match &self.address {
            ViewAddress::Tcp(address) => {
                let port = address.port();
                format!("ssh -L {port}:{address} {host}")
            }
            ViewAddress::Unix(path) => format!("ssh -L {FORWARDED}:{} {host}", path.display()),
        }
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> &ViewAddress {
        &self.address
    }
}

impl Drop for ViewServer {
    fn drop(&mut self) {
        if let ViewAddress::Unix(path) = &self.address {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Documents are made by so many threads at once: one that is slow to read does not keep the rest waiting.
const WORKERS: usize = 4;
/// The port at which the page of a socket is seen on the other machine.
const FORWARDED: u16 = 8400;

/// Nobody else may open it, from its first moment on: the file gets the rights that the socket has before.
fn bound(path: &Path) -> io::Result<UnixListener> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    fchmod(&socket, Mode::RUSR | Mode::WUSR)?;
    bind(&socket, &SocketAddrUnix::new(path)?)?;
    listen(&socket, BACKLOG)?;
    Ok(socket.into())
}

/// Connections that wait until they are taken.
const BACKLOG: i32 = 128;

/// Whether a path is that of a socket at which nobody listens.
fn is_left_over(path: &Path) -> bool {
    let is_socket = path.symlink_metadata().is_ok_and(|about| about.file_type().is_socket());
    let refused = |error: io::Error| error.kind() == io::ErrorKind::ConnectionRefused;
    is_socket && UnixStream::connect(path).is_err_and(refused)
}

/// A socket that is open.
enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener),
}

impl Listener {
    fn at(address: &ViewAddress) -> Result<Self, ServeError> {
        let failed = |error| ServeError::Listen { address: shown(address), error };
        match address {
            ViewAddress::Tcp(at) => {
                let listener = TcpListener::bind(at).map_err(failed)?;
                listener.set_nonblocking(true).map_err(failed)?;
                Ok(Self::Tcp(listener))
            }
            ViewAddress::Unix(path) => Self::of_path(path).map(Self::Unix).map_err(failed),
        }
    }

    /// A socket of the file system. One at which nobody listens any more is left from a server that was killed, and makes room.
    fn of_path(path: &Path) -> io::Result<UnixListener> {
        match bound(path) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && is_left_over(path) => {
                std::fs::remove_file(path)?;
                bound(path)
            }
            bound => bound,
        }
    }

    /// With the port that was free.
    fn address(&self, wanted: &ViewAddress) -> ViewAddress {
        match self {
            Self::Tcp(listener) => {
                listener.local_addr().map_or_else(|_| wanted.clone(), ViewAddress::Tcp)
            }
            Self::Unix(_) => wanted.clone(),
        }
    }

    async fn serve(self, site: Arc<routes::Site>, rules: Arc<AccessRules>) {
        let router = routes::router(site, rules);
        // The listener was made by us and does not block, so neither conversion fails; serving never ends by itself.
        match self {
            Self::Tcp(listener) => {
                if let Ok(listener) = tokio::net::TcpListener::from_std(listener) {
                    let _ = axum::serve(Connections::of(listener, MOST), router).await;
                }
            }
            Self::Unix(listener) => {
                if let Ok(listener) = tokio::net::UnixListener::from_std(listener) {
                    let _ = axum::serve(Connections::of(listener, MOST), router).await;
                }
            }
        }
    }
}

fn shown(address: &ViewAddress) -> String {
    match address {
        ViewAddress::Tcp(address) => address.to_string(),
        ViewAddress::Unix(path) => path.display().to_string(),
    }
}

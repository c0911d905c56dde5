//! Tells whether a process serves others by sockets, from the system's lists: it listens, and is connected to nobody on its own account.
//!
//! ```text
//!   /proc/PID/fd/N ──► socket:[17]
//!   /proc/PID/net/{tcp,tcp6,unix} ──► 17 listens at port 8080      18 is connected, from port 8080: a client      19 from another port: it is one itself
//! ```
//! Who waits for several sockets of which one listens waits for requests. Who is connected to another server may wait for an answer of that: it
//! is not told to serve.

use std::collections::BTreeSet;
use std::fs;

/// What the sockets of a process say of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SocketRole {
    /// It listens, and only others are connected to it.
    Serves,
    /// It listens nowhere, or is connected to somebody itself; or its sockets may not be listed.
    #[default]
    DoesNot,
}

impl SocketRole {
    /// That of a process now.
    #[must_use]
    pub fn of(pid: u32) -> Self {
        let own = sockets_of(pid);
        if own.is_empty() {
            return Self::DoesNot;
        }
        let text = |file: &str| fs::read_to_string(format!("/proc/{pid}/net/{file}"));
        let internet = ["tcp", "tcp6"].map(|file| text(file).unwrap_or_default());
        let local = text("unix").unwrap_or_default();
        let own_of = |text: &str| -> Vec<InternetSocket> {
            let all = text.lines().filter_map(InternetSocket::parse);
            all.filter(|socket| own.contains(&socket.number)).collect()
        };
        let sockets: Vec<_> = internet.iter().flat_map(|text| own_of(text)).collect();
        let listens = local.lines().filter_map(listening).any(|number| own.contains(&number));
        Self::by(&sockets, listens)
    }

    fn by(sockets: &[InternetSocket], listens_locally: bool) -> Self {
        let listening = sockets.iter().filter(|socket| socket.state == InternetState::Listens);
        let ports: BTreeSet<u16> = listening.map(|socket| socket.port).collect();
        let is_client = |socket: &InternetSocket| {
            socket.state == InternetState::Connected && !ports.contains(&socket.port)
        };
        let listens = listens_locally || !ports.is_empty();
        if listens && !sockets.iter().any(is_client) { Self::Serves } else { Self::DoesNot }
    }
}

/// A socket of the Internet protocols in such a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct InternetSocket {
    number: u64,
    /// At this end.
    port: u16,
    state: InternetState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InternetState {
    Listens,
    Connected,
    Other,
}

impl InternetSocket {
    /// That of a line; `None` of the heading.
    fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        let own = words.nth(1)?;
        let state = match words.nth(1)? {
            "0A" => InternetState::Listens,
            "01" => InternetState::Connected,
            _ => InternetState::Other,
        };
        let port = u16::from_str_radix(own.rsplit_once(':')?.1, 16).ok()?;
        Some(Self { number: words.nth(5)?.parse().ok()?, port, state })
    }
}

/// The number of a socket of this machine that listens, by its line.
fn listening(line: &str) -> Option<u64> {
    const ACCEPTS: u32 = 0x1_0000;
    let mut words = line.split_whitespace();
    let flags = u32::from_str_radix(words.nth(3)?, 16).ok()?;
    let number = words.nth(2)?.parse().ok()?;
    (flags & ACCEPTS != 0).then_some(number)
}

fn sockets_of(pid: u32) -> BTreeSet<u64> {
    let entries = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    let number = |target: std::path::PathBuf| {
        target.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()
    };
    entries.filter_map(|entry| fs::read_link(entry.path()).ok().and_then(number)).collect()
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    const TCP: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n   \
        0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 17 1 0 100 0 0 10 0\n   \
        1: 0100007F:1F90 0100007F:C000 01 00000000:00000000 00:00000000 00000000  1000        0 18 1 0 20 4 30 10 -1\n   \
        2: 0100007F:C001 0100007F:1538 01 00000000:00000000 00:00000000 00000000  1000        0 19 1 0 20 4 30 10 -1\n";
    const UNIX: &str = "Num       RefCount Protocol Flags    Type St Inode Path\n\
        0000000000000000: 00000002 00000000 00010000 0001 01 21 /run/a\n\
        0000000000000000: 00000003 00000000 00000000 0001 03 22\n";

    #[test]
    fn who_listens_and_is_nobodys_client_serves() {
        let all: Vec<_> = TCP.lines().filter_map(InternetSocket::parse).collect();
        assert_eq!(all.iter().map(|socket| socket.number).collect::<Vec<_>>(), [17, 18, 19]);
        assert_eq!(SocketRole::by(&all[..2], false), SocketRole::Serves);
        assert_eq!(SocketRole::by(&all, false), SocketRole::DoesNot);
        assert_eq!(SocketRole::by(&all[1..2], false), SocketRole::DoesNot);
        assert_eq!(SocketRole::by(&[], true), SocketRole::Serves);
        assert_eq!(UNIX.lines().filter_map(listening).collect::<Vec<_>>(), [21]);
    }

    #[test]
    fn a_process_is_told_by_its_sockets() {
        let own = std::process::id();
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("some port is free");
        assert!(!sockets_of(own).is_empty());
        let client = TcpStream::connect(listener.local_addr().expect("it is bound"));
        let _client = client.expect("somebody listens");
        assert_eq!(SocketRole::of(own), SocketRole::DoesNot, "it is connected itself");
        assert_eq!(SocketRole::of(0), SocketRole::DoesNot);
    }
}

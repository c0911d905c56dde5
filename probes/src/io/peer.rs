//! The name of who is at the other end of a socket, as the kernel tells it.
//!
//! ```text
//!   10.0.0.7:5432         we connected to that port
//!   10.0.0.7 at :8080     somebody connected to our port: the port over there is one of many that mean nothing
//!   :8080                 nobody yet: who connects to that port is accepted
//!   unix:/run/x.sock      a socket of this machine, with its path at either end
//! ```
//! A server of many clients so has one name for each host, and not one for each connection.

use core::ffi::c_int;
use core::mem::offset_of;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// A name, cut where it is too long.
#[derive(Debug)]
pub(super) struct PeerName {
    bytes: [u8; LONGEST],
    length: usize,
}

impl PeerName {
    /// Of the other end of an open socket; `None` where there is none, or it has no name.
    pub(super) fn of(fd: c_int, origin: Origin) -> Option<Self> {
        let own = Address::of(fd, Side::Own)?;
        let mut name = Self { bytes: [0; LONGEST], length: 0 };
        name.text(PREFIX);
        match (Address::of(fd, Side::Peer), own) {
            (Some(Address::Internet(peer)), own) => name.internet(&peer, own.port(), origin),
            (Some(Address::Local(peer)), Address::Local(own)) => {
                name.local(if peer.length > 0 { &peer } else { &own })?;
            }
            (None, Address::Internet(own)) if accepts(fd) => name.port(own.port()),
            (None, Address::Local(own)) if accepts(fd) => name.local(&own)?,
            _ => return None,
        }
        Some(name)
    }

    /// As a file: `socket/10.0.0.7:5432`.
    pub(super) fn file(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or(&[])
    }

    /// Who it is: `10.0.0.7:5432`.
    pub(super) fn peer(&self) -> &[u8] {
        self.file().get(PREFIX.len()..).unwrap_or(&[])
    }

    fn local(&mut self, path: &Path) -> Option<()> {
        if path.length == 0 {
            return None;
        }
        self.text(b"unix:");
        self.text(path.bytes());
        Some(())
    }

    fn internet(&mut self, peer: &SocketAddr, own_port: u16, origin: Origin) {
        let is_client =
            origin == Origin::Accepted || peer.port() >= SHORT_LIVED && own_port < SHORT_LIVED;
        match peer.ip() {
            IpAddr::V4(ip) => self.version_4(ip),
            IpAddr::V6(ip) if is_client => self.version_6(ip),
            IpAddr::V6(ip) => {
                self.text(b"[");
                self.version_6(ip);
                self.text(b"]");
            }
        }
        if is_client {
            self.text(b" at ");
        }
        self.port(if is_client { own_port } else { peer.port() });
    }

    fn version_4(&mut self, ip: Ipv4Addr) {
        for (at, part) in ip.octets().into_iter().enumerate() {
            if at > 0 {
                self.text(b".");
            }
            self.number(u16::from(part), 10);
        }
    }

    /// The first of the longest runs of zeros is left out, as RFC 5952 has it.
    fn version_6(&mut self, ip: Ipv6Addr) {
        let parts = ip.segments();
        let zeros = |from: usize| parts.iter().skip(from).take_while(|part| **part == 0).count();
        let (mut first, mut length) = (parts.len(), 1);
        for from in 0..parts.len() {
            if zeros(from) > length {
                (first, length) = (from, zeros(from));
            }
        }
        let behind = first.saturating_add(length);
        for (at, part) in parts.into_iter().enumerate() {
            if at == first {
                self.text(b"::");
            } else if at < first || at >= behind {
                if at > 0 && at != behind {
                    self.text(b":");
                }
                self.number(part, 16);
            }
        }
    }

    fn port(&mut self, port: u16) {
        self.text(b":");
        self.number(port, 10);
    }

    fn number(&mut self, number: u16, base: u16) {
        let mut unit = 1_u16;
        while number.checked_div(unit).unwrap_or(0) >= base {
            unit = unit.wrapping_mul(base);
        }
        while let Some(digit) = number.checked_div(unit) {
            let digit = digit.checked_rem(base).unwrap_or(0) as usize;
            self.text(DIGITS.get(digit..=digit).unwrap_or(b"?"));
            unit = unit.checked_div(base).unwrap_or(0);
        }
    }

    fn text(&mut self, text: &[u8]) {
        for byte in text {
            if let Some(place) = self.bytes.get_mut(self.length) {
                *place = *byte;
                self.length = self.length.wrapping_add(1);
            }
        }
    }
}

/// How a socket came to have a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// The peer connected to us.
    Accepted,
    /// Nobody saw it: its ports tell.
    Unseen,
}

/// An end of a socket.
#[derive(Clone, Copy, Debug)]
enum Side {
    Own = libc::SYS_getsockname as isize,
    Peer = libc::SYS_getpeername as isize,
}

/// Where an end is.
enum Address {
    Internet(SocketAddr),
    Local(Path),
}

/// The path of a socket of this machine; empty where it has none.
struct Path {
    bytes: [u8; PATH],
    length: usize,
}

impl Address {
    fn of(fd: c_int, side: Side) -> Option<Self> {
        // SAFETY: zeros are an address of no family.
        let mut storage: libc::sockaddr_storage = unsafe { core::mem::zeroed() };
        let mut length = size_of::<libc::sockaddr_storage>() as libc::socklen_t;
        let call = side as libc::c_long;
        // SAFETY: the kernel writes at most as many bytes as there are.
        let answer = unsafe { libc::syscall(call, fd, &raw mut storage, &raw mut length) };
        if answer != 0 {
            return None;
        }
        match c_int::from(storage.ss_family) {
            libc::AF_INET => {
                // SAFETY: storage is large enough for any address, and aligned for each.
                let of = unsafe { (&raw const storage).cast::<libc::sockaddr_in>().read() };
                let ip = Ipv4Addr::from(u32::from_be(of.sin_addr.s_addr));
                Some(Self::Internet(SocketAddr::new(ip.into(), u16::from_be(of.sin_port))))
            }
            libc::AF_INET6 => {
                // SAFETY: as above.
                let of = unsafe { (&raw const storage).cast::<libc::sockaddr_in6>().read() };
                let ip = Ipv6Addr::from(of.sin6_addr.s6_addr);
                let ip = ip.to_ipv4_mapped().map_or(IpAddr::V6(ip), IpAddr::V4);
                Some(Self::Internet(SocketAddr::new(ip, u16::from_be(of.sin6_port))))
            }
            libc::AF_UNIX => {
                // SAFETY: as above.
                let of = unsafe { (&raw const storage).cast::<libc::sockaddr_un>().read() };
                let known =
                    (length as usize).saturating_sub(offset_of!(libc::sockaddr_un, sun_path));
                Some(Self::Local(Path::of(of.sun_path.map(|letter| letter as u8), known)))
            }
            _ => None,
        }
    }

    /// 0 of one of this machine.
    const fn port(&self) -> u16 {
        match self {
            Self::Internet(address) => address.port(),
            Self::Local(_) => 0,
        }
    }
}

impl Path {
    /// Of so many bytes: a name that is in no folder begins with a zero, and is written with an `@`.
    fn of(mut bytes: [u8; PATH], known: usize) -> Self {
        if let Some(first) = bytes.first_mut().filter(|first| known > 1 && **first == 0) {
            *first = b'@';
        }
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(PATH);
        Self { bytes, length: end.min(known) }
    }

    fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or(&[])
    }
}

/// Whether others can connect to it.
fn accepts(fd: c_int) -> bool {
    let mut answer: c_int = 0;
    let mut length = size_of::<c_int>() as libc::socklen_t;
    let (level, option) = (libc::SOL_SOCKET, libc::SO_ACCEPTCONN);
    let call = libc::SYS_getsockopt;
    // SAFETY: the kernel writes one number.
    let done = unsafe { libc::syscall(call, fd, level, option, &raw mut answer, &raw mut length) };
    done == 0 && answer != 0
}

/// How a name begins, as a file.
const PREFIX: &[u8] = b"socket/";
const DIGITS: &[u8] = b"0123456789abcdef";
/// Longer names are cut.
const LONGEST: usize = 128;
/// Of `sun_path`.
const PATH: usize = 108;
/// Ports from here on are handed out to whoever connects, unless a machine was set up otherwise.
const SHORT_LIVED: u16 = 32768;

// The library itself has no test harness: the tests of its contract take this file in.
#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream, UdpSocket};
    use std::os::fd::AsRawFd;
    use std::os::unix::net::{UnixListener, UnixStream};

    use super::*;

    fn name(of: &impl AsRawFd) -> Option<String> {
        let name = PeerName::of(of.as_raw_fd(), Origin::Unseen)?;
        assert_eq!(name.file(), [PREFIX, name.peer()].concat());
        Some(String::from_utf8_lossy(name.peer()).into_owned())
    }

    #[test]
    fn both_ends_of_a_connection_have_names() {
        // One of the ports that are not handed out, whichever is free.
        let listener =
            (20_000..SHORT_LIVED).find_map(|port| TcpListener::bind(("127.0.0.1", port)).ok());
        let listener = listener.expect("one is free");
        let port = listener.local_addr().expect("it is bound").port();
        let client = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
        let (server, _) = listener.accept().expect("somebody connected");
        assert_eq!(name(&listener), Some(format!(":{port}")));
        assert_eq!(name(&client), Some(format!("127.0.0.1:{port}")));
        assert_eq!(name(&server), Some(format!("127.0.0.1 at :{port}")));
        let accepted = PeerName::of(client.as_raw_fd(), Origin::Accepted).expect("it has a peer");
        assert!(accepted.peer().starts_with(b"127.0.0.1 at :"));
        let udp = UdpSocket::bind("127.0.0.1:0").expect("a port");
        assert_eq!([name(&udp), name(&std::fs::File::open("/").expect("a folder"))], [None, None]);
    }

    #[test]
    fn sockets_of_this_machine_have_the_path_of_either_end() {
        let path = std::env::temp_dir().join(format!("whyperf-peer-{}", std::process::id()));
        let listener = UnixListener::bind(&path).expect("the folder can be written");
        let client = UnixStream::connect(&path).expect("it listens");
        let (server, _) = listener.accept().expect("somebody connected");
        let expected = format!("unix:{}", path.display());
        for told in [name(&listener), name(&client), name(&server)] {
            assert_eq!(told.as_ref(), Some(&expected));
        }
        std::fs::remove_file(path).expect("it is ours");
        let (one, _other) = UnixStream::pair().expect("a pair");
        assert_eq!(name(&one), None, "neither end has a path");
    }

    #[test]
    fn addresses_read_as_the_standard_library_writes_them() {
        let mut state = 88_172_645_463_325_252_u64;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        for turn in 0..100_000 {
            let [port, own] = [random(), random()].map(|number| number as u16);
            let kept = random();
            let part =
                |at: u32| if kept >> at & 1 == 1 { kept.rotate_left(at * 8) as u16 } else { 0 };
            let ip: IpAddr = if turn % 2 == 0 {
                Ipv4Addr::from(kept as u32).into()
            } else {
                Ipv6Addr::from(core::array::from_fn::<u16, 8, _>(|at| part(at as u32))).into()
            };
            // An old form of addresses, which the standard library writes with dots.
            if matches!(ip, IpAddr::V6(ip) if ip.to_ipv4().is_some()) {
                continue;
            }
            let peer = SocketAddr::new(ip, port);
            let is_client = port >= SHORT_LIVED && own < SHORT_LIVED;
            let expected = if is_client { format!("{ip} at :{own}") } else { peer.to_string() };
            let mut name = PeerName { bytes: [0; LONGEST], length: 0 };
            name.text(PREFIX);
            name.internet(&peer, own, Origin::Unseen);
            assert_eq!(String::from_utf8_lossy(name.peer()), expected);
        }
    }
}

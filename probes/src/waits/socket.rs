//! Wrappers of calls on sockets: connecting, sending and receiving. `read` and `write` on a socket are input and output.

use whyperf_layout::ObjectKind;

use super::only;
use crate::io::file::{accepted, forget_peer, socket};
use crate::io::moved::{received, sent};
use crate::wrapped::{nothing, wrapped};

wrapped! {
    accept(fd, address, length) => Socket, socket(fd), accepted;
    accept4(fd, address, length, flags) => Socket, socket(fd), accepted;
    connect(fd, address, length) with _known = forget_peer(fd) => Socket, only(ObjectKind::Socket), nothing;
    recv(fd, buffer, size, flags) => Socket, socket(fd), received;
    __recv_chk(fd, buffer, size, room, flags) => Socket, socket(fd), received;
    recvfrom(fd, buffer, size, flags, address, length) => Socket, socket(fd), received;
    __recvfrom_chk(fd, buffer, size, room, flags, address, length) => Socket, socket(fd), received;
    recvmsg(fd, message, flags) => Socket, socket(fd), received;
    recvmmsg(fd, messages, count, flags, limit) => Socket, socket(fd), nothing;
    send(fd, buffer, size, flags) => Socket, socket(fd), sent;
    sendto(fd, buffer, size, flags, address, length) => Socket, socket(fd), sent;
    sendmsg(fd, message, flags) => Socket, socket(fd), sent;
    sendmmsg(fd, messages, count, flags) => Socket, socket(fd), nothing;
}

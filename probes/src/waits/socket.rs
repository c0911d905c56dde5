//! Wrappers of calls on sockets: connecting, sending and receiving. `read` and `write` on a socket are input and output.

use whyperf_layout::ObjectKind;
use whyperf_runtime::ObjectId;

use super::only;
use crate::io::moved::{received, sent};
use crate::wrapped::{nothing, wrapped};

wrapped! {
    accept(fd, address, length) => Socket, socket(), nothing;
    accept4(fd, address, length, flags) => Socket, socket(), nothing;
    connect(fd, address, length) => Socket, socket(), nothing;
    recv(fd, buffer, size, flags) => Socket, socket(), received;
    __recv_chk(fd, buffer, size, room, flags) => Socket, socket(), received;
    recvfrom(fd, buffer, size, flags, address, length) => Socket, socket(), received;
    __recvfrom_chk(fd, buffer, size, room, flags, address, length) => Socket, socket(), received;
    recvmsg(fd, message, flags) => Socket, socket(), received;
    recvmmsg(fd, messages, count, flags, limit) => Socket, socket(), nothing;
    send(fd, buffer, size, flags) => Socket, socket(), sent;
    sendto(fd, buffer, size, flags, address, length) => Socket, socket(), sent;
    sendmsg(fd, message, flags) => Socket, socket(), sent;
    sendmmsg(fd, messages, count, flags) => Socket, socket(), nothing;
}

#[inline(always)]
fn socket() -> ObjectId {
    only(ObjectKind::Socket)
}

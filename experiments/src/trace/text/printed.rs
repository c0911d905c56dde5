//! Writes a trace as text.

use std::fmt::Write as _;

use whyperf_extrapolate::{CommId, Event, Expected, Sent, TraceHead};

use super::FIRST_LINE;
use crate::trace::TraceAbout;

/// The lines before the events.
#[must_use]
pub fn write_head(about: &TraceAbout, head: &TraceHead) -> String {
    let mut text = format!("{FIRST_LINE}\n");
    if !about.name.is_empty() {
        let _ = writeln!(text, "name {}", one_line(&about.name));
    }
    for (name, value) in &about.facts {
        let _ = writeln!(text, "fact {} {}", one_line(name), one_line(value));
    }
    let _ = writeln!(text, "ranks {}", head.ranks());
    for (number, communicator) in (0..).zip(head.communicators()).skip(1) {
        let _ = write!(text, "communicator {number}");
        for member in communicator.members() {
            let _ = write!(text, " {}", member.0);
        }
        text.push('\n');
    }
    text
}

/// A name of another source in a line of text.
fn one_line(name: &str) -> String {
    name.split(char::is_control).collect::<Vec<_>>().join(" ")
}

/// One event, as it stands in a line.
#[must_use]
pub fn write_event(event: &Event, head: &TraceHead) -> String {
    let comm = |comm: CommId| match comm {
        CommId::WORLD => String::new(),
        comm => format!(" comm={}", comm.0),
    };
    let sent = |sent: &Sent| {
        format!("{} {} tag={}{}", sent.to.0, sent.bytes.0, sent.tag.0, comm(sent.comm))
    };
    let expected = |expected: &Expected| {
        let any = |number: Option<i64>| number.map_or_else(|| "any".to_owned(), |n| n.to_string());
        let from = any(expected.from.map(|from| i64::from(from.0)));
        let tag = any(expected.tag.map(|tag| i64::from(tag.0)));
        format!("{from} tag={tag}{}", comm(expected.comm))
    };
    match event {
        Event::Compute { region, span } => {
            format!("compute {} {}ns", one_line(&head.region(*region)), span.as_nanos())
        }
        Event::Send(of) => format!("send {}", sent(of)),
        Event::Isend(of, request) => format!("isend {} request={}", sent(of), request.0),
        Event::Recv(of) => format!("recv {}", expected(of)),
        Event::Irecv(of, request) => format!("irecv {} request={}", expected(of), request.0),
        Event::Wait(request) => format!("wait {}", request.0),
        Event::Collective(of) => {
            let root =
                if of.kind.has_root() { format!(" root={}", of.root.0) } else { String::new() };
            format!("{} {}{root}{}", of.kind.name(), of.bytes.0, comm(of.comm))
        }
        Event::Barrier(of) => format!("barrier{}", comm(*of)),
        Event::Get(of) => format!("get {} {}", of.owner.0, of.bytes.0),
        Event::Put(of) => format!("put {} {}", of.owner.0, of.bytes.0),
    }
}

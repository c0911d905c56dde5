//! A trace as the JSON that browsers show: `chrome://tracing`, Perfetto and Speedscope read it.
//!
//! Each rank is a process. An event that took time is a bar, and an arrow leads from each message that was sent to where it was received.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{Value, json};
use whyperf_extrapolate::{CommId, Event, Expected, Rank, RequestId, Tag};

use super::{TraceFile, write_event};

/// Writes a trace so.
///
/// # Errors
/// When it cannot be written. Whether the trace is sound, it says itself.
pub fn export_chrome(trace: &TraceFile, out: &mut dyn Write) -> io::Result<()> {
    let mut array = Array { out, is_first: true };
    array.out.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n")?;
    for rank in trace.head().all_ranks() {
        let name = json!({ "name": format!("rank {}", rank.0) });
        array.put(&json!({ "ph": "M", "name": "process_name", "pid": rank.0, "args": name }))?;
        let order = json!({ "sort_index": rank.0 });
        array.put(
            &json!({ "ph": "M", "name": "process_sort_index", "pid": rank.0, "args": order }),
        )?;
        export_rank(trace, rank, &mut array)?;
    }
    array.out.write_all(b"\n]}\n")
}

struct Array<'o> {
    out: &'o mut dyn Write,
    is_first: bool,
}

impl Array<'_> {
    fn put(&mut self, value: &Value) -> io::Result<()> {
        if !std::mem::replace(&mut self.is_first, false) {
            self.out.write_all(b",\n")?;
        }
        serde_json::to_writer(&mut *self.out, value)?;
        Ok(())
    }
}

/// Messages so far, by who sends, who receives, communicator and tag: the n-th sent is the n-th received.
type Counts = BTreeMap<(Rank, Rank, CommId, Tag), u64>;

fn export_rank(trace: &TraceFile, rank: Rank, array: &mut Array<'_>) -> io::Result<()> {
    let head = trace.head();
    let (mut sent, mut received) = (Counts::new(), Counts::new());
    let mut posted: BTreeMap<RequestId, Option<String>> = BTreeMap::new();
    for timed in trace.timeline(rank) {
        let (begin, end) = (timed.begin.as_nanos() / 1e3, timed.end.as_nanos() / 1e3);
        let name = match &timed.event {
            Event::Compute { region, .. } => head.region(*region),
            event => write_event(event, head).split(' ').next().unwrap_or_default().to_owned(),
        };
        if end > begin {
            let text = json!({ "event": write_event(&timed.event, head) });
            array.put(&json!({
                "ph": "X", "name": name, "pid": rank.0, "tid": 0, "ts": begin, "dur": end - begin, "args": text,
            }))?;
        }
        let mut arrow = |ph: &str, id: &str, ts: f64| {
            array.put(&json!({
                "ph": ph, "bp": "e", "id": id, "name": "message", "cat": "message", "pid": rank.0, "tid": 0, "ts": ts,
            }))
        };
        match &timed.event {
            Event::Send(one) | Event::Isend(one, _) => {
                let id = next(&mut sent, (rank, one.to, one.comm, one.tag));
                arrow("s", &id, begin)?;
            }
            Event::Recv(expected) => {
                if let Some(id) = received_id(&mut received, rank, expected) {
                    arrow("f", &id, end)?;
                }
            }
            Event::Irecv(expected, request) => {
                posted.insert(*request, received_id(&mut received, rank, expected));
            }
            Event::Wait(request) => {
                if let Some(id) = posted.remove(request).flatten() {
                    arrow("f", &id, end)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn received_id(counts: &mut Counts, rank: Rank, expected: &Expected) -> Option<String> {
    let (from, tag) = (expected.from?, expected.tag?);
    Some(next(counts, (from, rank, expected.comm, tag)))
}

fn next(counts: &mut Counts, key: (Rank, Rank, CommId, Tag)) -> String {
    let count = counts.entry(key).or_default();
    *count += 1;
    let (from, to, comm, tag) = key;
    format!("{}-{}-{}-{}-{count}", from.0, to.0, comm.0, tag.0)
}

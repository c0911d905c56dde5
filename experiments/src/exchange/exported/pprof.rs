//! The profile of Google's `pprof`: a protocol buffer of calls and nanoseconds, a sample for each callpath of each thread.
//!
//! After `profile.proto`. The buffer is not packed: readers take it either way.

use std::collections::BTreeMap;

use super::ExportedRun;
use super::protobuf::Message;

impl ExportedRun {
    /// The bytes of the profile.
    #[must_use]
    pub fn pprof(&self) -> Vec<u8> {
        let mut strings = Strings::default();
        let mut profile = Message::default();
        for (kind, unit) in [("calls", "count"), ("time", "nanoseconds")] {
            let mut value = Message::default();
            value.number(1, strings.number(kind));
            value.number(2, strings.number(unit));
            profile.message(1, &value);
        }
        // By name and place: the number of the function, which is that of its location, too.
        let mut functions: BTreeMap<(&str, Option<&str>), u64> = BTreeMap::new();
        let trees = self.trees();
        for tree in &trees {
            for (at, node) in tree
                .nodes
                .iter()
                .enumerate()
                .filter(|(_, node)| node.exclusive > 0 || node.calls > 0)
            {
                let mut locations = Vec::new();
                // The innermost first.
                for at in tree.way(at).into_iter().rev() {
                    let key = (tree.nodes[at].name, tree.nodes[at].source);
                    let next = functions.len() as u64 + 1;
                    locations.push(*functions.entry(key).or_insert(next));
                }
                let mut sample = Message::default();
                sample.numbers(1, &locations);
                sample.numbers(2, &[node.calls, node.exclusive]);
                for (name, value) in [("process", tree.process), ("thread", tree.thread)] {
                    let mut label = Message::default();
                    label.number(1, strings.number(name));
                    label.number(3, u64::from(value));
                    sample.message(3, &label);
                }
                profile.message(2, &sample);
            }
        }
        for ((name, source), number) in &functions {
            profile.message(4, &location(*number, *source));
            let mut function = Message::default();
            function.number(1, *number);
            function.number(2, strings.number(name));
            function.number(3, strings.number(name));
            let file = source.and_then(|place| place.rsplit_once(':')).map_or("", |(file, _)| file);
            function.number(4, strings.number(file));
            profile.message(5, &function);
        }
        profile.number(10, (self.summary.elapsed_s * 1e9) as u64);
        profile.number(14, strings.number("time"));
        strings.all.iter().for_each(|text| profile.bytes(6, text.as_bytes()));
        profile.written()
    }
}

fn location(number: u64, source: Option<&str>) -> Message {
    let line =
        source.and_then(|place| place.rsplit_once(':')).and_then(|(_, line)| line.parse().ok());
    let mut of_function = Message::default();
    of_function.number(1, number);
    of_function.number(2, line.unwrap_or(0));
    let mut location = Message::default();
    location.number(1, number);
    location.message(4, &of_function);
    location
}

/// The table of texts; the first is empty.
struct Strings {
    all: Vec<String>,
    numbers: BTreeMap<String, u64>,
}

impl Default for Strings {
    fn default() -> Self {
        Self { all: vec![String::new()], numbers: BTreeMap::from([(String::new(), 0)]) }
    }
}

impl Strings {
    fn number(&mut self, text: &str) -> u64 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.all.len() as u64;
        self.all.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }
}

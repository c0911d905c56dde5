//! The records of a stream, as columns, so far as they were read.

use std::collections::BTreeMap;

use super::attribute::{AttributeKind, StreamAttribute, StreamClock, number};
use super::declaration::{StreamDeclaration, StreamPicture, check};
use super::document::{ColumnDocument, MalformedRow, StreamDocument};
use super::fields::Field;
use super::pictures;
use super::reader::{Line, StreamReader};

/// A stream beside a run.
#[derive(Clone, Debug)]
pub struct DataStream {
    name: String,
    source: String,
    /// When the run began, in seconds since 1970.
    began: f64,
    reader: StreamReader,
    clock: Option<StreamClock>,
    shift: f64,
    attributes: Vec<StreamAttribute>,
    declared: Vec<StreamPicture>,
    columns: Vec<Column>,
    records: usize,
    /// Of so many records one is kept, and so many came.
    every: usize,
    came: usize,
    lines: u64,
    malformed: Vec<MalformedRow>,
    malformed_count: u64,
    /// Whether each record has the moment at which it came as its first attribute.
    is_stamped: bool,
}

/// The values of an attribute.
#[derive(Clone, Debug)]
enum Column {
    /// NaN where there is none.
    Numbers(Vec<f64>),
    /// Places among the words; [`NO_WORD`] where there is none.
    Words(Vec<u32>, Vec<String>, BTreeMap<String, u32>),
}

/// A value of a record.
enum Value {
    Nothing,
    Number(f64),
    Word(String),
}

/// At most so many characters of a word.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST_WORD) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

const NO_WORD: u32 = u32::MAX;
/// A longer word is cut.
const LONGEST_WORD: usize = 200;
/// More records are not kept: of twice as many every second one is, and so on, as a histogram folds.
const MOST_RECORDS: usize = 100_000;
/// So many malformed lines are named; the others are counted.
const MOST_NAMED: usize = 100;
/// A line has no more fields.
const MOST_ATTRIBUTES: usize = 256;
/// The attribute that says when a record came.
const ARRIVAL: &str = "arrived";

impl DataStream {
    /// A stream of this source, beside a run that began so many seconds after 1970.
    #[must_use]
    pub fn new(source: &str, declaration: &StreamDeclaration, began: f64) -> Self {
        let declared = &declaration.attributes;
        let header =
            (!declared.is_empty()).then(|| declared.iter().map(|one| one.name.clone()).collect());
        let mut stream = Self {
            name: declaration.name.clone().unwrap_or_else(|| source.to_owned()),
            source: source.to_owned(),
            began,
            reader: StreamReader::new(declaration.separator, header),
            clock: declaration.clock,
            shift: declaration.shift,
            attributes: Vec::new(),
            declared: declaration.pictures.clone(),
            columns: Vec::new(),
            records: 0,
            every: 1,
            came: 0,
            lines: 0,
            malformed: Vec::new(),
            malformed_count: 0,
            is_stamped: false,
        };
        stream.attributes.clone_from(declared);
        stream
    }

    /// The same, of which each record is stamped with the moment at which it came, unless it has one of its own.
    #[must_use]
    pub const fn stamped(mut self) -> Self {
        self.is_stamped = true;
        self
    }

    /// Takes the next line, which came so many seconds after the beginning of the run.
    pub fn feed(&mut self, line: &str, arrived: f64) {
        self.lines += 1;
        match self.reader.read(line) {
            Line::Nothing => {}
            Line::Header(names, first) => {
                self.take_header(&names);
                if let Some(fields) = first {
                    self.record(&fields, arrived);
                }
            }
            Line::Record(fields) => {
                if self.columns.is_empty() {
                    self.begin();
                }
                self.record(&fields, arrived);
            }
            Line::Malformed(column, what) => self.complain(column, what),
        }
    }

    /// Takes note of what is wrong with all of it.
    pub fn complain_of(&mut self, what: &str) {
        self.complain(1, what.to_owned());
    }

    /// How it is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What is wrong with its lines, as far as it is named, and with how many.
    #[must_use]
    pub fn malformed(&self) -> (&[MalformedRow], u64) {
        (&self.malformed, self.malformed_count)
    }

    /// How many lines came.
    pub(crate) const fn lines(&self) -> u64 {
        self.lines
    }

    /// Its pictures, for another stream that has none of its own.
    pub(crate) fn declared(&self) -> &[StreamPicture] {
        &self.declared
    }

    /// Takes the pictures of another stream, if it declares none and has their attributes.
    pub(crate) fn borrow_pictures(&mut self, pictures: &[StreamPicture]) {
        if self.declared.is_empty() && check(pictures, &self.attributes).is_ok() {
            self.declared = pictures.to_vec();
        }
    }

    /// What a page is told: all of it, from one of its records on.
    pub(crate) fn document(&self, from: usize) -> StreamDocument {
        let from = from.min(self.records);
        let pictures = if self.declared.is_empty() {
            pictures::usual(&self.attributes)
        } else {
            self.declared.clone()
        };
        StreamDocument {
            version: crate::document::VERSION,
            name: self.name.clone(),
            source: self.source.clone(),
            attributes: self.attributes.clone(),
            pictures,
            records: self.records,
            every: self.every,
            from,
            columns: self.columns.iter().map(|column| column.told(from)).collect(),
            malformed: self.malformed.clone(),
            malformed_count: self.malformed_count,
        }
    }

    /// The same in at most so many records.
    pub(crate) fn thinned(&self, most: usize) -> StreamDocument {
        let mut few = self.clone();
        while few.records > most {
            few.thin();
        }
        few.document(0)
    }

    fn take_header(&mut self, names: &[String]) {
        let kept = names.iter().take(MOST_ATTRIBUTES);
        self.attributes = kept.map(|name| StreamAttribute::named(name)).collect();
        if names.len() > MOST_ATTRIBUTES {
            let (count, first) = (names.len(), MOST_ATTRIBUTES);
            self.complain(1, format!("{count} fields are too many: the first {first} are kept"));
        }
        self.begin();
    }

    /// Begins with the records: all attributes are known.
    fn begin(&mut self) {
        let has_time = self.attributes.iter().any(|one| one.kind == Some(AttributeKind::Time));
        if self.is_stamped && !has_time {
            let kind = Some(AttributeKind::Time);
            let unit = "s".to_owned();
            self.attributes.insert(0, StreamAttribute { name: ARRIVAL.to_owned(), kind, unit });
        } else {
            self.is_stamped = false;
        }
        self.columns = vec![Column::Numbers(Vec::new()); self.attributes.len()];
        if let Err(error) = check(&self.declared, &self.attributes) {
            self.declared.clear();
            self.complain(1, error.to_string());
        }
    }

    fn record(&mut self, fields: &[Field], arrived: f64) {
        let first = usize::from(self.is_stamped);
        let mut values: Vec<Value> = Vec::with_capacity(self.attributes.len());
        if self.is_stamped {
            values.push(Value::Number(arrived));
        }
        let kept = self.attributes.len() - first;
        for (at, field) in fields.iter().take(kept).enumerate() {
            match self.value(first + at, &field.text) {
                Ok(value) => values.push(value),
                Err(what) => return self.complain(field.column, what),
            }
        }
        self.came += 1;
        if (self.came - 1).is_multiple_of(self.every) {
            self.columns.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
            self.records += 1;
        }
        if self.records >= MOST_RECORDS {
            self.thin();
        }
    }

    /// A value of an attribute. The first one says what all are, where nothing else does.
    fn value(&mut self, at: usize, text: &str) -> Result<Value, String> {
        if text.is_empty() || text == "-" {
            return Ok(Value::Nothing);
        }
        let attribute = &mut self.attributes[at];
        let kind = *attribute.kind.get_or_insert_with(|| match number(text) {
            Some(_) => AttributeKind::Number,
            None => AttributeKind::Text,
        });
        let name = &attribute.name;
        match kind {
            AttributeKind::Text => {
                if self.records == 0 || matches!(self.columns[at], Column::Numbers(_)) {
                    self.columns[at].become_words();
                }
                Ok(Value::Word(shortened(text)))
            }
            AttributeKind::Number => number(text)
                .map(Value::Number)
                .ok_or_else(|| format!("{name} is {text:?}, which is no number")),
            AttributeKind::Time => {
                let clock = self.clock.or_else(|| StreamClock::of(text));
                let moment = clock.and_then(|clock| clock.read(text, self.began));
                let moment =
                    moment.ok_or_else(|| format!("{name} is {text:?}, which is no moment"))?;
                self.clock = clock;
                Ok(Value::Number(moment + self.shift))
            }
        }
    }

    fn complain(&mut self, column: usize, what: String) {
        self.malformed_count += 1;
        if self.malformed.len() < MOST_NAMED {
            self.malformed.push(MalformedRow { line: self.lines, column, what });
        }
    }

    /// Keeps every second of the records that are kept.
    fn thin(&mut self) {
        self.every *= 2;
        self.columns.iter_mut().for_each(Column::thin);
        self.records = self.records.div_ceil(2);
    }
}

impl Column {
    fn push(&mut self, value: Value) {
        match (self, value) {
            (Self::Numbers(numbers), Value::Number(number)) => numbers.push(number),
            (Self::Numbers(numbers), _) => numbers.push(f64::NAN),
            (Self::Words(places, words, known), Value::Word(word)) => {
                let place = known.get(&word).copied().unwrap_or_else(|| {
                    let place = u32::try_from(words.len()).unwrap_or(NO_WORD);
                    words.push(word.clone());
                    known.insert(word, place);
                    place
                });
                places.push(place);
            }
            (Self::Words(places, ..), _) => places.push(NO_WORD),
        }
    }

    /// Its values are words: those before had none.
    fn become_words(&mut self) {
        if let Self::Numbers(numbers) = self {
            *self = Self::Words(vec![NO_WORD; numbers.len()], Vec::new(), BTreeMap::new());
        }
    }

    fn thin(&mut self) {
        fn halve<T>(all: &mut Vec<T>) {
            let mut at = 0;
            all.retain(|_| {
                at += 1;
                at % 2 == 1
            });
        }
        match self {
            Self::Numbers(numbers) => halve(numbers),
            Self::Words(places, words, known) => {
                halve(places);
                // Words that are gone with their records need no memory.
                let before = std::mem::take(words);
                known.clear();
                for place in places.iter_mut().filter(|place| **place != NO_WORD) {
                    let word = &before[*place as usize];
                    *place = *known.entry(word.clone()).or_insert_with(|| {
                        words.push(word.clone());
                        u32::try_from(words.len() - 1).unwrap_or(NO_WORD)
                    });
                }
            }
        }
    }

    fn told(&self, from: usize) -> ColumnDocument {
        match self {
            Self::Numbers(numbers) => {
                let told = |number: &f64| (!number.is_nan()).then_some(*number);
                ColumnDocument::Numbers(numbers[from..].iter().map(told).collect())
            }
            Self::Words(places, words, _) => {
                let told = |place: &u32| words.get(*place as usize).cloned();
                ColumnDocument::Words(places[from..].iter().map(told).collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::PictureKind;

    fn stream(declaration: &str, text: &str) -> DataStream {
        let declaration = StreamDeclaration::parse(declaration).expect("right");
        let mut stream = DataStream::new("a.csv", &declaration, 1_700_000_000.0);
        text.lines().for_each(|line| stream.feed(line, 0.0));
        stream
    }

    fn column(document: &StreamDocument, name: &str) -> String {
        let at = document.attributes.iter().position(|one| one.name == name).expect("it is there");
        serde_json::to_string(&document.columns[at]).expect("JSON")
    }

    #[test]
    fn good_lines_are_kept_and_bad_ones_are_named_with_line_and_column() {
        let text = "time,worker,step\n0.5,1,a\n1.0,x,b\n1.5,2\nsoon,1,c\n2.0,,d\n";
        let stream = stream("", text);
        let told = stream.document(0);
        assert_eq!(told.records, 2);
        assert_eq!(column(&told, "time"), "[0.5,2.0]");
        assert_eq!(column(&told, "worker"), "[1.0,null]");
        assert_eq!(column(&told, "step"), "[\"a\",\"d\"]");
        let (named, count) = stream.malformed();
        let named: Vec<String> = named.iter().map(ToString::to_string).collect();
        assert_eq!(count, 3);
        assert_eq!(
            named,
            [
                "3:5: worker is \"x\", which is no number",
                "4:6: 2 fields, where the stream has 3",
                "5:1: time is \"soon\", which is no moment"
            ]
        );
        assert_eq!(column(&stream.document(1), "time"), "[2.0]");
    }

    #[test]
    fn declared_attributes_need_no_header_and_moments_are_those_of_the_run() {
        let declared = "clock = \"unix\"\nshift = 0.25\n[[attribute]]\nname = \"at\"\ntype = \"time\"\n\
                        [[attribute]]\nname = \"host\"\ntype = \"text\"\n";
        let told = stream(declared, "at,host\n1700000003,7\n1700000004.5,n1\n").document(0);
        assert_eq!(column(&told, "at"), "[3.25,4.75]");
        assert_eq!(column(&told, "host"), "[\"7\",\"n1\"]", "a header is no record");
        assert_eq!(told.malformed_count, 0);
    }

    #[test]
    fn what_comes_live_is_stamped_unless_it_has_moments_of_its_own() {
        let declaration = StreamDeclaration::default();
        let mut live = DataStream::new("vmstat 1", &declaration, 0.0).stamped();
        for (line, arrived) in
            [("procs --memory--", 0.1), (" r  b", 0.1), (" 1  0", 0.2), (" 2  0", 1.2)]
        {
            live.feed(line, arrived);
        }
        let told = live.document(0);
        assert_eq!(column(&told, ARRIVAL), "[0.2,1.2]");
        assert!(told.pictures.iter().all(|one| one.kind == PictureKind::Lines && one.x == ARRIVAL));
        let mut own = DataStream::new("x", &declaration, 0.0).stamped();
        ["t,v", "5,1"].into_iter().for_each(|line| own.feed(line, 9.0));
        assert_eq!(own.document(0).attributes.len(), 2);
    }

    #[test]
    fn a_long_stream_is_thinned_evenly_and_its_memory_is_bounded() {
        let mut stream = DataStream::new("x", &StreamDeclaration::default(), 0.0);
        stream.feed("t,v", 0.0);
        for at in 0..(3 * MOST_RECORDS) {
            stream.feed(&format!("{at},1"), 0.0);
        }
        let told = stream.document(0);
        assert!(told.records < MOST_RECORDS && told.every == 4, "{} {}", told.records, told.every);
        let ColumnDocument::Numbers(times) = &told.columns[0] else { panic!("they are numbers") };
        let times: Vec<f64> = times.iter().flatten().copied().collect();
        assert!(times.windows(2).all(|two| (two[1] - two[0] - 4.0).abs() < 1e-9), "evenly");
        assert!(stream.thinned(1000).records <= 1000);
    }

    #[test]
    fn words_that_are_gone_with_their_records_are_forgotten() {
        let mut stream = DataStream::new("x", &StreamDeclaration::default(), 0.0);
        stream.feed("t,v", 0.0);
        for at in 0..(2 * MOST_RECORDS) {
            stream.feed(&format!("{at},word {at}"), 0.0);
        }
        let Column::Words(places, words, known) = &stream.columns[1] else { panic!("words") };
        assert!(words.len() <= places.len() && known.len() == words.len(), "{}", words.len());
        let told = column(&stream.thinned(4), "v");
        assert!(told.starts_with("[\"word 0\",\"word "), "{told}");
        stream.feed(&format!("1,{}", "x".repeat(5000)), 0.0);
        assert!(column(&stream.document(0), "v").len() < MOST_RECORDS * 20);
    }

    #[test]
    fn of_more_fields_than_there_may_be_the_first_are_kept() {
        let header: Vec<String> = (0..MOST_ATTRIBUTES + 44).map(|at| format!("a{at}")).collect();
        let values: Vec<String> = (0..MOST_ATTRIBUTES + 44).map(|at| at.to_string()).collect();
        let told = stream("", &format!("{}\n{}\n", header.join(","), values.join(","))).document(0);
        assert_eq!((told.records, told.attributes.len()), (1, MOST_ATTRIBUTES));
        assert_eq!(column(&told, "a255"), "[255.0]");
        assert_eq!(
            told.malformed[0].to_string(),
            "1:1: 300 fields are too many: the first 256 are kept"
        );
    }

    #[test]
    fn a_picture_of_what_is_not_there_is_named() {
        let declared = "[[picture]]\nkind = \"scatter\"\nx = \"sent\"\ny = \"received\"\n";
        let told = stream(declared, "sent,got\n1,2\n").document(0);
        assert!(told.malformed[0].what.contains("\"received\""), "{:?}", told.malformed);
        assert_eq!((told.records, told.pictures.len()), (1, 1), "the usual picture stands in");
    }
}

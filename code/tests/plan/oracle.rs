//! Builds the oracle and asks it: every plan is run, as the bytes were and as they become.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use object::{Object as _, ObjectSegment as _, SegmentFlags};
use whyperf_code::plan::{Encoded, Plan, Refusal};

/// What the oracle counted.
#[derive(Debug)]
pub(crate) struct Verdict {
    pub(crate) cases: usize,
    pub(crate) runs: usize,
    pub(crate) unfinished: usize,
    pub(crate) inexact: usize,
    pub(crate) mismatches: usize,
    /// What it printed.
    pub(crate) text: String,
}

/// An object as it is in memory, and room for stubs above and far below.
pub(crate) struct Image {
    segments: Vec<(u64, Vec<u8>, bool)>,
    low: u64,
    high: u64,
    bias: u64,
}

/// Stubs of one arena.
const ARENA: u64 = 8 << 20;
const STUB: u64 = 128;
const PAGE: u64 = 4096;

impl Image {
    pub(crate) fn of(path: &Path) -> Self {
        let bytes = fs::read(path).expect("the object can be read");
        let file = object::File::parse(&*bytes).expect("the object can be parsed");
        let mut segments = Vec::new();
        for segment in file.segments() {
            let mut data = segment.data().expect("a segment has its bytes").to_vec();
            data.resize(usize::try_from(segment.size()).expect("a segment fits"), 0);
            let SegmentFlags::Elf { p_flags, .. } = segment.flags() else { continue };
            let is_written = p_flags.0 & object::elf::PF_W.0 != 0;
            segments.push((segment.address(), data, is_written));
        }
        let low = segments.iter().map(|(at, ..)| *at).min().expect("an object has segments");
        let ends = segments.iter().map(|(at, data, _)| at + data.len() as u64);
        let high = ends.max().expect("an object has segments").next_multiple_of(PAGE);
        let bias = if low / PAGE == 0 { 0x1000_0000_0000 } else { 0 };
        Self { segments, low: low / PAGE * PAGE, high, bias }
    }

    /// One arena close above, one almost as far below as reaches: for an object that stays where it was linked,
    /// far above.
    fn arenas(&self) -> [u64; 2] {
        let (low, high) = (self.low + self.bias, self.high + self.bias);
        let near = high + (16 << 20);
        let far = if self.bias == 0 { low + 0x7000_0000 } else { high - 0x7f00_0000 };
        [near, far]
    }

    /// Encodes a plan as case number `index`, in one arena or the other.
    pub(crate) fn encode(&self, plan: &Plan, index: usize) -> Result<(Encoded, u64), Refusal> {
        let place = (index / 2) as u64;
        let arena = self.arenas()[index % 2];
        let word = arena + place * 8;
        let stub = arena + ARENA / 4 + place * STUB;
        assert!(stub + STUB <= arena + ARENA, "an arena holds all cases");
        Ok((plan.encode(self.bias, stub, word)?, word))
    }

    /// Runs the cases from several states each.
    pub(crate) fn ask(&self, cases: &[(u64, Encoded, u64)], states: u64) -> Verdict {
        let mut input = Vec::new();
        let words = |input: &mut Vec<u8>, words: &[u64]| {
            words.iter().for_each(|word| input.extend(word.to_le_bytes()));
        };
        let (low, high, [near, far]) = (self.low + self.bias, self.high + self.bias, self.arenas());
        let counts = [self.segments.len() as u64, cases.len() as u64, states];
        words(&mut input, &[low, high, near, far, ARENA]);
        words(&mut input, &counts);
        for (at, data, is_written) in &self.segments {
            words(&mut input, &[at + self.bias, data.len() as u64, u64::from(*is_written)]);
            input.extend(data);
        }
        for (entry, encoded, word) in cases {
            let entry = entry + self.bias;
            let island = encoded.island.map_or(0, |island| island.at);
            words(&mut input, &[entry, encoded.site, encoded.stub, encoded.copy, *word]);
            words(&mut input, &[island, u64::from(encoded.length)]);
            words(&mut input, &[encoded.boundaries.len() as u64, encoded.code.len() as u64]);
            input.extend(encoded.patched);
            padded(&mut input, &encoded.island.map_or([0; 5], |island| island.patched), 8);
            let pairs: Vec<u8> =
                encoded.boundaries.iter().flat_map(|(old, new)| [*old, *new]).collect();
            padded(&mut input, &pairs, 16);
            padded(&mut input, &encoded.code, 112);
        }
        verdict(&input)
    }
}

fn padded(input: &mut Vec<u8>, bytes: &[u8], length: usize) {
    assert!(bytes.len() <= length, "{} bytes do not fit into {length}", bytes.len());
    input.extend(bytes);
    input.resize(input.len() + length - bytes.len(), 0);
}

fn verdict(input: &[u8]) -> Verdict {
    let mut oracle = Command::new("timeout")
        .args(["--signal=KILL", "900"])
        .arg(program())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the oracle can be started");
    let sent = oracle.stdin.take().expect("its input is a pipe").write_all(input);
    let output = oracle.wait_with_output().expect("the oracle ends");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    sent.unwrap_or_else(|error| panic!("the oracle reads its cases: {error}; it said: {text}"));
    let last = text.lines().last().unwrap_or_default();
    let words: Vec<&str> = last.split(' ').collect();
    let count = |name: &str| {
        let at = words.iter().position(|word| *word == name);
        let number = at.and_then(|at| words.get(at + 1)?.parse().ok());
        number.unwrap_or_else(|| panic!("the oracle counts {name}: {text}"))
    };
    Verdict {
        cases: count("cases"),
        runs: count("runs"),
        unfinished: count("unfinished"),
        inexact: count("inexact"),
        mismatches: count("mismatches"),
        text: text.clone(),
    }
}

/// The oracle, built anew by each test that asks: they may run at once.
fn program() -> PathBuf {
    use std::sync::OnceLock;
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    let built = BUILT.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plan/oracle.c");
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("oracle");
        let mut gcc = Command::new("gcc");
        gcc.args(["-O1", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&program).arg(&source);
        let status = gcc.status().expect("gcc can be started");
        assert!(status.success(), "gcc builds {}", source.display());
        program
    });
    built.clone()
}

//! What a sweep sets: parameters of the machine with their values, and all combinations of these.
//!
//! ```text
//!   processors=1..32*2     1, 2, 4, 8, 16, 32
//!   latency=10..100+10     10, 20, ... 100
//!   gap=1,5,25             these
//!   barrier=tree,linear    words, for what is no number
//!   latency=none           as the machine has it; also one value among others, as in none,10
//! ```

use std::fmt;
use std::str::FromStr;

use serde_json::{Value, json};
use whyperf_extrapolate::{
    Algorithm, AlgorithmChoice, Barrier, CollectiveKind, LinearBarrier, Machine, Parameter,
    ParameterUnit, ServicePolicy, SimTime,
};

/// A parameter and the values that it takes in turn; none to leave it as it is.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    pub(crate) name: String,
    values: Vec<AxisValue>,
}

/// One value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum AxisValue {
    Number(f64),
    Word(&'static str),
}

impl fmt::Display for AxisValue {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(out, "{number}"),
            Self::Word(word) => write!(out, "{word}"),
        }
    }
}

/// What one run sets, in the order of the axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Setting(pub(crate) Vec<(String, AxisValue)>);

impl Setting {
    /// All combinations; the first axis varies slowest.
    pub(crate) fn all(axes: &[Axis]) -> Vec<Self> {
        axes.iter().filter(|axis| !axis.values.is_empty()).fold(
            vec![Self::default()],
            |all, axis| {
                let with = |setting: &Self| -> Vec<Self> {
                    let one = |value: &AxisValue| {
                        let mut set = setting.0.clone();
                        set.push((axis.name.clone(), *value));
                        Self(set)
                    };
                    axis.values.iter().map(one).collect()
                };
                all.iter().flat_map(with).collect()
            },
        )
    }

    /// How many combinations there are.
    pub(crate) fn count(axes: &[Axis]) -> usize {
        let sizes = axes.iter().map(|axis| axis.values.len().max(1));
        sizes.fold(1, usize::saturating_mul)
    }

    /// The number of processors that is set.
    pub(crate) fn processors(&self) -> Option<u32> {
        let number = |(name, value): &(String, AxisValue)| match value {
            AxisValue::Number(number) if name == "processors" => Some(*number as u32),
            _ => None,
        };
        self.0.iter().find_map(number)
    }

    /// All but the number of processors.
    pub(crate) fn others(&self) -> Self {
        Self(self.0.iter().filter(|(name, _)| name != "processors").cloned().collect())
    }

    pub(crate) fn as_json(&self) -> Value {
        let value = |value: &AxisValue| match value {
            AxisValue::Number(number) if number.fract() == 0.0 && *number < 1e15 => {
                json!(*number as u64)
            }
            AxisValue::Number(number) => json!(number),
            AxisValue::Word(word) => json!(word),
        };
        let members = self.0.iter().map(|(name, of)| (name.clone(), value(of)));
        Value::Object(members.collect())
    }

    /// The machine with all that is set.
    pub(crate) fn applied(&self, machine: &Machine) -> Machine {
        let mut machine = machine.clone();
        for (name, value) in &self.0 {
            match value {
                AxisValue::Number(number) => {
                    if let Some(parameter) = Parameter::named(name) {
                        parameter.set(&mut machine, *number);
                    }
                }
                AxisValue::Word(word) => set_word(&mut machine, name, word),
            }
        }
        machine
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (name, value)) in self.0.iter().enumerate() {
            let gap = if at == 0 { "" } else { " " };
            write!(out, "{gap}{name}={value}")?;
        }
        Ok(())
    }
}

const BARRIERS: [&str; 4] = ["hardware", "tree", "dissemination", "linear"];
const POLICIES: [&str; 2] = ["no-interrupt", "interrupt"];

/// The words that a parameter can be set to; none if it has none.
fn words(name: &str) -> Option<Vec<&'static str>> {
    match name {
        "barrier" => Some(BARRIERS.to_vec()),
        "service" => Some(POLICIES.to_vec()),
        _ => {
            let kind = CollectiveKind::named(name)?;
            let fits = Algorithm::ALL.into_iter().filter(|algorithm| algorithm.does(kind));
            Some(fits.map(Algorithm::name).collect())
        }
    }
}

fn set_word(machine: &mut Machine, name: &str, word: &str) {
    match (name, word) {
        ("barrier", "tree") => machine.barrier = Barrier::Tree,
        ("barrier", "dissemination") => machine.barrier = Barrier::Dissemination,
        ("barrier", "linear") if !matches!(machine.barrier, Barrier::Linear(_)) => {
            machine.barrier = Barrier::Linear(LinearBarrier::example());
        }
        ("barrier", "hardware") if !matches!(machine.barrier, Barrier::Hardware { .. }) => {
            machine.barrier = Barrier::Hardware { time: SimTime::ZERO };
        }
        ("service", "interrupt") => machine.processors.service = ServicePolicy::Interrupt,
        ("service", "no-interrupt") => machine.processors.service = ServicePolicy::NoInterrupt,
        _ => {
            if let (Some(kind), Some(algorithm)) =
                (CollectiveKind::named(name), Algorithm::named(word))
            {
                let choice = AlgorithmChoice { up_to: None, algorithm };
                machine.collectives.choices.insert(kind, vec![choice]);
            }
        }
    }
}

impl FromStr for Axis {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, values) = text
            .split_once('=')
            .ok_or_else(|| "expected NAME=VALUES, as in processors=1..32*2".to_owned())?;
        let (name, values) = (name.trim(), values.trim());
        let values = match (values, Parameter::named(name), words(name)) {
            (AS_IT_IS, Some(_), _) | (AS_IT_IS, _, Some(_)) => Vec::new(),
            (_, Some(parameter), _) => numbers(values, parameter)?,
            (_, _, Some(words)) => chosen(values, &words)?,
            _ => {
                return Err(format!(
                    "there is no parameter '{}': {}",
                    name.escape_debug(),
                    known()
                ));
            }
        };
        Ok(Self { name: name.to_owned(), values })
    }
}

/// All names of parameters.
pub(crate) fn known() -> String {
    let numbers = Parameter::ALL.iter().map(|parameter| parameter.name);
    let calls = CollectiveKind::ALL.map(CollectiveKind::name);
    let all = numbers.chain(["barrier", "service"]).chain(calls);
    format!("name one of {}", all.collect::<Vec<_>>().join(", "))
}

fn chosen(text: &str, words: &[&'static str]) -> Result<Vec<AxisValue>, String> {
    let one = |part: &str| {
        let found = words.iter().chain([&AS_IT_IS]).find(|word| **word == part.trim());
        found.map(|word| AxisValue::Word(word)).ok_or_else(|| {
            format!("'{}' is none of {}", part.trim().escape_debug(), words.join(", "))
        })
    };
    text.split(',').map(one).collect()
}

fn numbers(text: &str, parameter: &Parameter) -> Result<Vec<AxisValue>, String> {
    let unit = parameter.unit;
    let number = |text: &str| -> Result<f64, String> {
        let number = text.trim().parse::<f64>().ok().filter(|number| unit.allows(*number));
        let what = match unit {
            ParameterUnit::Count => "a whole number from 1 on".to_owned(),
            ParameterUnit::Bytes => "a whole number of bytes".to_owned(),
            ParameterUnit::Ratio => "a number above zero".to_owned(),
            ParameterUnit::Micros | ParameterUnit::BytesPerSecond => {
                format!("a number of {}", unit.name())
            }
        };
        number.ok_or_else(|| format!("'{}' is not {what}", text.trim().escape_debug()))
    };
    let Some((from, rest)) = text.split_once("..") else {
        let one = |part: &str| match part.trim() {
            AS_IT_IS => Ok(AxisValue::Word(AS_IT_IS)),
            part => number(part).map(AxisValue::Number),
        };
        return text.split(',').map(one).collect();
    };
    let (to, step, is_factor) = match (rest.split_once('*'), rest.split_once('+')) {
        (Some((to, factor)), _) => (to, factor, true),
        (_, Some((to, step))) => (to, step, false),
        _ => (rest, "1", false),
    };
    let (from, to) = (number(from)?, number(to)?);
    let step: f64 = step.trim().parse().map_err(|_| {
        format!(
            "'{}' is no step: a range is 1..32*2, 10..100+10 or 1..8",
            step.trim().escape_debug()
        )
    })?;
    let grows = if is_factor { step > 1.0 && from > 0.0 } else { step > 0.0 };
    if !grows || from > to {
        return Err(format!(
            "'{}' does not go from a lower to a higher number",
            text.escape_debug()
        ));
    }
    let value = |at: u32| {
        let value =
            if is_factor { from * step.powi(at as i32) } else { from + step * f64::from(at) };
        (value <= to * (1.0 + 1e-12)).then_some(value)
    };
    if value(MOST_VALUES).is_some() {
        return Err(format!(
            "'{}' has more than {MOST_VALUES} values: take a larger step",
            text.escape_debug()
        ));
    }
    let all: Vec<f64> = (0..MOST_VALUES).map_while(value).collect();
    if let Some(odd) = all.iter().find(|value| !unit.allows(**value)) {
        return Err(format!(
            "'{}' has the value {odd}, which {} cannot have",
            text.escape_debug(),
            parameter.name
        ));
    }
    Ok(all.into_iter().map(AxisValue::Number).collect())
}

/// The value of a parameter that is not set.
const AS_IT_IS: &str = "none";
/// More values than anybody waits for.
const MOST_VALUES: u32 = 10_000_000;

#[cfg(test)]
mod tests {
    use whyperf_extrapolate::{Machine, SimTime};

    use super::{Axis, AxisValue, Setting};

    fn axis(text: &str) -> Axis {
        text.parse().expect("it is right")
    }

    fn values(text: &str) -> Vec<f64> {
        let number = |value: &AxisValue| match value {
            AxisValue::Number(number) => *number,
            AxisValue::Word(_) => f64::NAN,
        };
        axis(text).values.iter().map(number).collect()
    }

    #[test]
    fn ranges_lists_and_words() {
        assert_eq!(values("processors=1..32*2"), [1.0, 2.0, 4.0, 8.0, 16.0, 32.0]);
        assert_eq!(values("latency=10..40+10"), [10.0, 20.0, 30.0, 40.0]);
        assert_eq!(values("latency=0.1..0.3+0.1").len(), 3);
        assert_eq!(values("gap=1, 5"), [1.0, 5.0]);
        assert_eq!(values("processors=1..3"), [1.0, 2.0, 3.0]);
        assert_eq!(values("latency=none"), [0.0; 0]);
        let words = axis("barrier=tree,linear").values;
        assert_eq!(words, [AxisValue::Word("tree"), AxisValue::Word("linear")]);
        assert_eq!(axis("allreduce=ring").values, [AxisValue::Word("ring")]);
    }

    #[test]
    fn one_value_of_several_leaves_a_parameter_as_it_is() {
        let latencies = [axis("latency=none,4"), axis("barrier=none,tree")];
        let machine = Machine::ideal();
        let same = Setting::all(&latencies)[0].clone();
        assert_eq!(
            (same.to_string(), same.applied(&machine)),
            ("latency=none barrier=none".to_owned(), machine)
        );
    }

    #[test]
    fn what_makes_no_sense_is_told() {
        let fault = |text: &str| text.parse::<Axis>().expect_err("it is wrong");
        assert!(
            fault("speed=1").starts_with("there is no parameter 'speed': name one of processors")
        );
        assert_eq!(fault("processors=0"), "'0' is not a whole number from 1 on");
        assert_eq!(
            fault("processors=1..8*1.5"),
            "'1..8*1.5' has the value 1.5, which processors cannot have"
        );
        assert_eq!(
            fault("latency=1..1e9"),
            "'1..1e9' has more than 10000000 values: take a larger step"
        );
        assert_eq!(fault("latency=9..1+1"), "'9..1+1' does not go from a lower to a higher number");
        assert_eq!(fault("latency=0..9*2"), "'0..9*2' does not go from a lower to a higher number");
        assert_eq!(fault("bandwidth=-1"), "'-1' is not a number of bytes/s");
        assert_eq!(fault("broadcast=ring"), "'ring' is none of linear, binomial, parts");
        assert!(fault("processors").starts_with("expected NAME=VALUES"));
    }

    #[test]
    fn all_combinations_are_set() {
        let axes = ["processors=1,2", "latency=none", "latency=3,4,5"].map(axis);
        let all = Setting::all(&axes);
        assert_eq!((all.len(), Setting::count(&axes)), (6, 6));
        assert_eq!(all[4].to_string(), "processors=2 latency=4");
        let machine = all[4].applied(&Machine::ideal());
        assert_eq!(machine.processors.count, Some(2));
        assert_eq!(machine.network.between.ranges[0].latency, SimTime::micros(4.0));
        assert_eq!(all[4].as_json().to_string(), r#"{"latency":4,"processors":2}"#);
    }
}

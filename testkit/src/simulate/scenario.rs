//! Scenarios as text: a program, what happens beside it, and how it is searched.
//!
//! ```text
//! # what this shows
//! length 10s
//! processes 4 on n0
//! phase 0s 10s * period 170ms
//!   0.45 Receive /Code/oned.c/exchng1 /SyncObject/Message/MPI_COMM_WORLD/3
//!   0.55 User /Code/oned.c/sweep
//! phase 2s 4s 0,1
//!   1 Write /Code/out.c/save /File/data ops 2000 size 64
//! at 3s cost 0.08
//! at 5s retire /SyncObject/Message/MPI_COMM_WORLD/3
//! at 4s announce output
//! refuse </Code/oned.c/exchng1> its code cannot be changed
//! call /Code /Code/oned.c/main
//! call /Code/oned.c/main /Code/oned.c/sweep /Code/libm/exp
//! at 4s call /Code/oned.c/sweep /Code/oned.c/hook
//! function /Code/libm/exp rate 2000000 hot 0.01
//! function /Code/oned.c/hook cannot it is too short
//! call_cost 60
//! at 2s threshold CPUbound 0.2
//! at 3s pause
//! at 4s unpause
//! set classic 20s
//! directive priority high CPUbound </Code/libm/exp>
//! set active_limit 5
//! set order classic
//! show all
//! ```

use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;

use whyperf_model::{Category, Focus, Hierarchy, Interval, Nanos, Resource, Time};

use super::program::{SimulatedActivity, SimulatedPhase, SimulatedProcess, SimulatedProgram};
use super::simulated::{Script, Simulated};
use whyperf_consultant::{
    Classic, CodeSearch, Event, Observer, Order, SearchScope, Searches, Settings, Step, Verdicts,
};

/// A scenario that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Who does what.
    pub program: SimulatedProgram,
    /// What happens beside it.
    pub script: Script,
    /// How it is searched.
    pub settings: Settings,
    /// What a person does meanwhile, in the order of time.
    pub controls: Vec<(Time, Control)>,
    /// The text of a file of directives.
    pub directives: String,
    /// Whether every step is to be shown, not only what a user would want to see.
    pub shows_all: bool,
}

/// What a person does to a search.
#[derive(Clone, Debug, PartialEq)]
pub enum Control {
    /// Sets the threshold of a hypothesis.
    Threshold(String, f64),
    /// Stops it for a while.
    Pause,
    /// Lets it go on.
    Unpause,
}

/// A person who changes a search while it goes on, and writes down its steps.
#[derive(Clone, Debug, Default)]
pub struct Person {
    /// What is still to be done, in the order of time.
    controls: VecDeque<(Time, Control)>,
    /// What the search did so far.
    pub steps: Vec<Step>,
}

impl<S: ?Sized> Observer<S> for Person {
    fn before(&mut self, event: &Event, searches: &mut Searches, _: &mut S) {
        let now = event.time();
        while let Some((_, control)) = self.controls.pop_front_if(|(due, _)| *due <= now) {
            match control {
                Control::Threshold(name, value) => {
                    if let Some(id) = searches.global().hypotheses().named(&name) {
                        searches.set_threshold(now, id, value);
                    }
                }
                Control::Pause => searches.pause(now),
                Control::Unpause => searches.unpause(now),
            }
        }
    }

    fn step(&mut self, _: SearchScope, step: &Step) {
        self.steps.push(step.clone());
    }
}

/// What is wrong with the text of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioFault {
    /// The line, counted from one.
    pub line: usize,
    /// What was expected there.
    pub expected: String,
}

impl Scenario {
    /// Reads a scenario.
    ///
    /// # Errors
    /// When a line is not understood; the complaint names it.
    pub fn parse(text: &str) -> Result<Self, ScenarioFault> {
        let script = Script::default();
        let (program, settings) = (SimulatedProgram::default(), Settings::default());
        let directives = "whyperf directives 1\n".to_owned();
        let controls = Vec::new();
        let mut scenario =
            Self { program, script, settings, controls, directives, shows_all: false };
        for (at, line) in text.lines().enumerate() {
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('#') {
                scenario.read(line).map_err(|expected| ScenarioFault { line: at + 1, expected })?;
            }
        }
        Ok(scenario)
    }

    /// The person who does what the scenario says, to drive a search with.
    #[must_use]
    pub fn person(&self) -> Person {
        Person { controls: self.controls.iter().cloned().collect(), steps: Vec::new() }
    }

    /// The data source it describes.
    #[must_use]
    pub fn source(&self) -> Simulated {
        Simulated::new(self.program.clone(), self.script.clone())
    }

    fn read(&mut self, line: &str) -> Result<(), String> {
        let mut words = line.split_whitespace();
        let first = words.next().unwrap_or_default();
        let rest: Vec<&str> = words.collect();
        match (first, rest.as_slice()) {
            ("length", [length]) => self.script.length = duration(length)?,
            ("step", [step]) => self.script.step = duration(step)?,
            ("processes", [count, "on", machine]) => self.add_processes(count, machine)?,
            ("phase", [start, end, ranks, period @ ..]) => {
                self.add_phase([start, end, ranks], period)?;
            }
            ("at", [time, "cost", cost]) => {
                self.script.costs.push((Time(duration(time)?), number(cost)?));
            }
            ("at", [time, "retire", name]) => {
                self.script.retired.push((Time(duration(time)?), resource(name)?));
            }
            ("at", [time, "announce", name]) => {
                self.script.phases.push((Time(duration(time)?), (*name).to_owned()));
            }
            ("at", [time, "threshold", name, value]) => {
                let control = Control::Threshold((*name).to_owned(), number(value)?);
                self.controls.push((Time(duration(time)?), control));
            }
            ("at", [time, "pause"]) => {
                self.controls.push((Time(duration(time)?), Control::Pause));
            }
            ("at", [time, "unpause"]) => {
                self.controls.push((Time(duration(time)?), Control::Unpause));
            }
            ("at", [time, "call", caller, callees @ ..]) => {
                self.add_calls(Time(duration(time)?), caller, callees)?;
            }
            ("call", [caller, callees @ ..]) => self.add_calls(Time::ZERO, caller, callees)?,
            ("function", [name, rest @ ..]) => self.add_function(&resource(name)?, rest)?,
            ("call_cost", [nanos]) => self.script.code.call_cost = number(nanos)? * 1e-9,
            ("refuse", [focus, reason @ ..]) => {
                let focus = Focus::from_str(focus).map_err(|error| error.to_string())?;
                self.script.refused.push((focus, reason.join(" ")));
            }
            ("set", [name, value]) => self.set(name, value)?,
            ("directive", words) => {
                self.directives.push_str(&words.join(" "));
                self.directives.push('\n');
            }
            ("show", ["all"]) => self.shows_all = true,
            (share, [category, rest @ ..]) if share.starts_with(|c: char| c.is_ascii_digit()) => {
                self.add_activity(share, category, rest)?;
            }
            _ => return Err("a line as in the description of scenarios".to_owned()),
        }
        Ok(())
    }

    fn add_processes(&mut self, count: &str, machine: &str) -> Result<(), String> {
        for _ in 0..whole(count)? {
            let rank = self.program.processes.len().to_string();
            self.program.processes.push(SimulatedProcess {
                process: Resource::root(Hierarchy::Process).child(&rank),
                machine: Resource::root(Hierarchy::Machine).child(machine),
            });
        }
        Ok(())
    }

    fn add_calls(&mut self, since: Time, caller: &str, callees: &[&str]) -> Result<(), String> {
        let caller = resource(caller)?;
        for callee in callees {
            self.script.code.calls.push((since, caller.clone(), resource(callee)?));
        }
        Ok(())
    }

    fn add_function(&mut self, function: &Resource, rest: &[&str]) -> Result<(), String> {
        let code = &mut self.script.code;
        match rest {
            [] => return Ok(()),
            ["rate", rate, rest @ ..] => {
                code.rates.insert(function.clone(), number(rate)?);
                return self.add_function(function, rest);
            }
            ["hot", coverage, rest @ ..] => {
                code.hot.insert(function.clone(), number(coverage)?);
                return self.add_function(function, rest);
            }
            ["cannot", reason @ ..] => code.refused.insert(function.clone(), reason.join(" ")),
            _ => return Err("`rate`, `hot` or `cannot`".to_owned()),
        };
        Ok(())
    }

    fn add_phase(&mut self, [start, end, ranks]: [&str; 3], rest: &[&str]) -> Result<(), String> {
        let interval = Interval::new(Time(duration(start)?), Time(duration(end)?));
        let period = match rest {
            [] => self.script.step,
            ["period", period] => duration(period)?,
            _ => return Err("`period` and a duration".to_owned()),
        };
        let ranks = if ranks == "*" {
            (0..self.program.processes.len()).collect()
        } else {
            ranks.split(',').map(whole).collect::<Result<_, _>>()?
        };
        self.program.phases.push(SimulatedPhase {
            interval,
            ranks,
            period,
            activities: Vec::new(),
        });
        Ok(())
    }

    fn add_activity(&mut self, share: &str, name: &str, rest: &[&str]) -> Result<(), String> {
        let category = Category::ALL
            .into_iter()
            .find(|category| format!("{category:?}") == name)
            .ok_or_else(|| format!("a category, not {name}"))?;
        let mut activity = SimulatedActivity {
            permille: permille(share)?,
            category,
            resources: Vec::new(),
            calls_per_second: 1000,
            bytes_per_call: 0,
        };
        let mut words = rest.iter();
        while let Some(word) = words.next() {
            let mut value = || whole(words.next().copied().unwrap_or_default());
            match *word {
                "ops" => activity.calls_per_second = value()? as u64,
                "size" => activity.bytes_per_call = value()? as u64,
                name => activity.resources.push(resource(name)?),
            }
        }
        let phase = self.program.phases.last_mut().ok_or("a phase before its activities")?;
        phase.activities.push(activity);
        Ok(())
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let settings = &mut self.settings;
        match name {
            "active_limit" => settings.active_limit = whole(value)?,
            "breadth" => settings.breadth = whole(value)?,
            "scouts" => settings.process_roots = whole(value)?,
            "cost_limit" => settings.cost_limit = number(value)?,
            "patience" => settings.patience = duration(value)?,
            "retest" => settings.retest = duration(value)?,
            "call_cost" => settings.call_cost = number(value)? * 1e-9,
            "assumed_rate" => settings.assumed_rate = number(value)?,
            "heat_patience" => settings.throttle_patience = duration(value)?,
            "classic" => {
                let dwell_time = duration(value)?;
                let classic = Classic {
                    dwell_true: dwell_time,
                    dwell_false: dwell_time,
                    ..Classic::default()
                };
                settings.verdicts = Verdicts::Classic(classic);
            }
            "order" => settings.order = order(value)?,
            "code_search" => settings.code_search = code_search(value)?,
            _ => return Err(format!("a setting, not {name}")),
        }
        Ok(())
    }
}

impl fmt::Display for ScenarioFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {}: expected {}", self.line, self.expected)
    }
}

impl std::error::Error for ScenarioFault {}

fn order(text: &str) -> Result<Order, String> {
    match text {
        "information" => Ok(Order::Information),
        "classic" => Ok(Order::Classic),
        _ => Err(format!("information or classic, not {text}")),
    }
}

fn code_search(text: &str) -> Result<CodeSearch, String> {
    match text {
        "callgraph" => Ok(CodeSearch::CallGraph),
        "module" => Ok(CodeSearch::Module),
        _ => Err(format!("callgraph or module, not {text}")),
    }
}

fn duration(text: &str) -> Result<Nanos, String> {
    let complaint = || format!("a duration such as 50ms or 3s, not {text}");
    let (digits, length): (&str, fn(u64) -> Nanos) = if let Some(digits) = text.strip_suffix("ms") {
        (digits, Nanos::from_millis)
    } else if let Some(digits) = text.strip_suffix('s') {
        (digits, Nanos::from_secs)
    } else {
        return Err(complaint());
    };
    digits.parse().map(length).map_err(|_| complaint())
}

fn resource(text: &str) -> Result<Resource, String> {
    Resource::parse(text).map_err(|error| format!("a resource, not {text}: {error}"))
}

fn whole(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| format!("a whole number, not {text}"))
}

fn number(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| format!("a number, not {text}"))
}

/// Thousandths, read without a detour over fractions.
fn permille(text: &str) -> Result<u64, String> {
    let (whole_part, fraction) = text.split_once('.').unwrap_or((text, ""));
    let padded = format!("{fraction:0<3}");
    if padded.len() > 3 {
        return Err(format!("a share with at most three decimals, not {text}"));
    }
    let (whole_part, fraction) = (whole(whole_part)?, whole(&padded)?);
    Ok((whole_part * 1000 + fraction) as u64)
}

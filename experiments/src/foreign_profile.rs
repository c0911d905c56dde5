//! A profile as tools of the TAU family have it: timers, values of any number of metrics, user events and metadata of each thread.

use serde::{Deserialize, Serialize};

/// A whole profile.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ForeignProfile {
    /// What was measured, in the order of the values of timers.
    pub metrics: Vec<ForeignMetric>,
    /// Threads by node, context and number.
    pub threads: Vec<ForeignThread>,
    /// What was odd about it, for whoever takes it in.
    pub notes: Vec<String>,
}

/// A metric of another tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForeignMetric {
    /// As the tool calls it: `TIME`, `PAPI_TOT_CYC`.
    pub name: String,
}

impl ForeignMetric {
    /// Whether values are microseconds of time that passed.
    #[must_use]
    pub fn is_time(&self) -> bool {
        let name = self.name.to_ascii_uppercase();
        ["TIME", "GET_TIME_OF_DAY", "LINUX_TIMERS", "CLOCK_GET_TIME", "WALL_CLOCK_TIME"]
            .contains(&name.as_str())
    }
}

/// What one thread did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ForeignThread {
    /// The process: its rank in MPI.
    pub node: u32,
    /// Zero wherever TAU writes today.
    pub context: u32,
    /// The thread in it.
    pub thread: u32,
    /// Timers, in the order of the file.
    pub timers: Vec<Timer>,
    /// User events, in the order of the file.
    pub events: Vec<UserEvent>,
    /// What is known of it beside: names and values.
    pub metadata: Vec<(String, String)>,
}

/// A function, a callpath or a named part.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timer {
    /// Its name; of a callpath the names from the outside in, with ` => ` between them.
    pub name: String,
    /// The groups that it belongs to.
    pub groups: Vec<String>,
    /// How often it began.
    pub calls: f64,
    /// How often timers were begun in it.
    pub subcalls: f64,
    /// For each metric: what it took itself, and with all that was begun in it. Microseconds of time, else the counter's own unit.
    pub values: Vec<TimerValue>,
}

/// What a timer took of a metric.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimerValue {
    /// Itself.
    pub exclusive: f64,
    /// With all that was begun in it.
    pub inclusive: f64,
}

impl Timer {
    /// What stands between the names of a callpath.
    pub const ARROW: &'static str = " => ";
    /// The group of callpaths.
    pub const CALLPATH: &'static str = "TAU_CALLPATH";

    /// The names from the outside in; of what is no callpath its own.
    pub fn path(&self) -> impl Iterator<Item = &str> {
        Self::names(&self.name)
    }

    /// The names of a callpath that is called so, from the outside in.
    pub(crate) fn names(name: &str) -> impl Iterator<Item = &str> {
        name.split(Self::ARROW).map(str::trim)
    }

    /// Whether it is a callpath of several names.
    #[must_use]
    pub fn is_callpath(&self) -> bool {
        self.name.contains(Self::ARROW)
    }
}

/// Values that the program told, as a whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UserEvent {
    /// Its name; with a context it is `name : callpath`.
    pub name: String,
    /// How many values.
    pub count: f64,
    /// The largest.
    pub most: f64,
    /// The smallest.
    pub least: f64,
    /// Their mean.
    pub mean: f64,
    /// The sum of their squares.
    pub squares: f64,
}

impl UserEvent {
    /// The standard deviation of the values, all of which are known.
    #[must_use]
    pub fn deviation(&self) -> f64 {
        if self.count > 0.0 {
            (self.squares / self.count - self.mean.powi(2)).max(0.0).sqrt()
        } else {
            0.0
        }
    }
}

//! Commands to a run that goes on, and the way on which they reach whoever watches it.

use std::sync::Arc;

use serde::Deserialize;
use tokio::sync::oneshot;

/// What may be asked of a run.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// The search pauses; what is measured is measured on.
    Pause {},
    /// It goes on.
    Resume {},
    /// A phase begins.
    Phase {
        /// How it is called; a number where nothing is said.
        #[serde(default)]
        name: Option<String>,
    },
    /// A hypothesis is true from another value on.
    Threshold {
        /// Which.
        hypothesis: String,
        /// In the unit of the hypothesis, as `--threshold` takes it.
        value: String,
    },
    /// A question is asked at once and for the whole run, or after all others.
    Priority {
        /// `high` or `low`.
        level: PriorityLevel,
        /// Which hypothesis.
        hypothesis: String,
        /// Where.
        focus: String,
    },
    /// Hypotheses are never asked about a resource and what is below it.
    Prune {
        /// One with those that make it more precise, `*` for all, or `!` before the one that is spared.
        hypotheses: String,
        /// Which; of a root, all that is below it.
        resource: String,
    },
    /// A pair is measured from now on; of a function's focus, that function is switched on.
    Measure {
        /// What.
        metric: String,
        /// Where.
        focus: String,
    },
}

/// How soon a question is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PriorityLevel {
    /// At once.
    High,
    /// After all others.
    Low,
}

impl PriorityLevel {
    /// As a file of directives says it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Low => "low",
        }
    }
}

/// The answer to a command: done, or why not.
pub type Answer = Result<(), String>;

/// A command on its way.
#[derive(Debug)]
pub struct CommandRequest {
    /// What is asked.
    pub command: Command,
    reply: oneshot::Sender<Answer>,
}

impl CommandRequest {
    /// Tells the browser what came of it.
    pub fn answer(self, answer: Answer) {
        // A browser that is gone needs none.
        let _ = self.reply.send(answer);
    }
}

/// Sends commands to whoever watches the run.
#[derive(Clone)]
pub struct CommandSender(Arc<dyn Fn(CommandRequest) -> bool + Send + Sync>);

impl std::fmt::Debug for CommandSender {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("CommandSender")
    }
}

impl CommandSender {
    /// One that hands commands to a function, which says whether somebody is left to carry them out.
    pub fn new(send: impl Fn(CommandRequest) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(send))
    }

    /// Asks, and waits for the answer.
    pub(crate) async fn ask(&self, command: Command) -> Answer {
        let (reply, answer) = oneshot::channel();
        let over = || "the run is over".to_owned();
        if !(self.0)(CommandRequest { command, reply }) {
            return Err(over());
        }
        answer.await.unwrap_or_else(|_| Err(over()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Command, serde_json::Error> {
        serde_json::from_str(text)
    }

    #[test]
    fn commands_are_read_as_they_are_documented() {
        assert_eq!(read(r#"{"do":"pause"}"#).ok(), Some(Command::Pause {}));
        assert_eq!(read(r#"{"do":"phase"}"#).ok(), Some(Command::Phase { name: None }));
        let threshold = read(r#"{"do":"threshold","hypothesis":"CPUbound","value":"30%"}"#);
        let expected = Command::Threshold { hypothesis: "CPUbound".into(), value: "30%".into() };
        assert_eq!(threshold.ok(), Some(expected));
        let prune = read(r#"{"do":"prune","hypotheses":"*","resource":"/Machine"}"#);
        let expected = Command::Prune { hypotheses: "*".into(), resource: "/Machine".into() };
        assert_eq!(prune.ok(), Some(expected));
        for wrong in [r#"{"do":"explode"}"#, r#"{"do":"pause","now":1}"#, "{}", "[]"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}

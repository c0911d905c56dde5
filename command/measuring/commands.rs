//! Commands from the page to a search that goes on: each is carried out, or refused with the reason.

use whyperf_consultant::{Directive, Searches};
use whyperf_daemon::{Daemon, Live};
use whyperf_model::Time;
use whyperf_viewer::Command;

use crate::measuring::live_view::LiveView;
use crate::measuring::real_time::RealTime;
use crate::measuring::requested;

/// What a command asks of whoever watches.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Asked {
    /// It is done; this is worth a line in the log.
    Done(String),
    /// The search is to pause, or to go on.
    Pause,
    /// It does already.
    Nothing,
    /// A phase is to begin, called so.
    Phase(Option<String>),
    /// The search follows this from now on.
    Directed(Directive),
}

/// Carries out what needs nothing but the search and the measurement; says what is left to do.
pub(crate) fn carry_out(
    command: Command,
    searches: &mut Searches,
    live: &mut Live<Daemon, RealTime>,
    view: &mut LiveView,
) -> Result<Asked, String> {
    match command {
        Command::Pause {} if searches.is_paused() => Ok(Asked::Nothing),
        Command::Resume {} if !searches.is_paused() => Ok(Asked::Nothing),
        Command::Pause {} | Command::Resume {} => Ok(Asked::Pause),
        Command::Phase { .. } if searches.is_full() => Err("no more phases are told apart".into()),
        Command::Phase { name } => Ok(Asked::Phase(name.filter(|name| !name.is_empty()))),
        Command::Threshold { hypothesis, value } => {
            threshold(&hypothesis, &value, searches, live.daemon().now()).map(Asked::Done)
        }
        Command::Priority { level, hypothesis, focus } => {
            let words = ["priority", level.name(), &hypothesis, &focus];
            direct(words, searches, live.daemon().now())
        }
        Command::Prune { hypotheses, resource } => {
            direct(["prune", &hypotheses, &resource, ""], searches, live.daemon().now())
        }
        Command::Measure { metric, focus } => {
            let pair = requested::pair(&[metric, focus])?;
            view.measure(&pair, live.daemon_mut())?;
            Ok(Asked::Done(format!("{pair} is measured for the page")))
        }
    }
}

fn threshold(
    hypothesis: &str,
    value: &str,
    searches: &mut Searches,
    now: Time,
) -> Result<String, String> {
    let table = searches.global().hypotheses();
    let id =
        table.named(hypothesis).ok_or_else(|| format!("there is no hypothesis {hypothesis}"))?;
    let read = table.row(id).unit().read_passable(value);
    let read = read.map_err(|fault| fault.told(|value| format!("{hypothesis}={value}")))?;
    searches.set_threshold(now, id, read);
    Ok(format!("the threshold of {hypothesis} is {value}"))
}

/// Gives the search a directive, which its log tells.
fn direct(words: [&str; 4], searches: &mut Searches, now: Time) -> Result<Asked, String> {
    let told = words.join(" ");
    let read = Directive::parse(&told, searches.global().hypotheses());
    let directive = read.map_err(|mistake| mistake.to_string())?;
    searches.direct(now, &directive).map_err(|refusal| refusal.to_string())?;
    Ok(Asked::Directed(directive))
}

#[cfg(test)]
mod tests {
    use whyperf_consultant::{DirectivesInForce, Hypotheses, Settings};

    use super::*;

    #[test]
    fn a_threshold_is_read_in_the_unit_of_its_hypothesis() {
        let (table, directives) = (Hypotheses::built_in(), DirectivesInForce::default());
        let mut searches = Searches::new(table, Settings::default(), directives);
        let now = Time::from_secs(1);
        let mut set = |hypothesis: &str, value: &str| {
            threshold(hypothesis, value, &mut searches, now)?;
            let table = searches.global().hypotheses();
            let id = table.named(hypothesis).expect("it was just set");
            Ok::<f64, String>(table.row(id).threshold)
        };
        assert_eq!(set("CPUbound", "45%"), Ok(0.45));
        assert_eq!(set("TooManySmallIOOps", "4096 B/ops"), Ok(4096.0));
        for wrong in ["much", "100%", "0"] {
            let said = set("CPUbound", wrong).expect_err("no value can pass it");
            assert!(said.contains(wrong) && said.contains("CPUbound="), "{said}");
        }
        assert!(set("Nonsense", "1").is_err_and(|said| said.contains("no hypothesis Nonsense")));
    }
}

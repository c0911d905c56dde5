//! The directives in force: maps renamed the others, prunes dropped what is under them, and nothing contradicts itself.

use crate::text_position::{TextPosition, quoted};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use whyperf_model::{CodeFilter, Focus, Hierarchy, Nanos, Resource};

use super::definition::{Directive, DirectiveLine, Directives, Level, PrunedHypotheses};
use super::maps::NameMaps;
use super::mistake::{DirectiveError, Mistake};
use crate::hypothesis::{Hypotheses, HypothesisId};

/// Directives that were checked against each other and a table of hypotheses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DirectivesInForce {
    thresholds: BTreeMap<HypothesisId, f64>,
    prunes: BTreeMap<HypothesisId, BTreeSet<Resource>>,
    priorities: BTreeMap<(HypothesisId, Focus), Level>,
    dwell_time: Option<(Nanos, TextPosition)>,
    /// Functions that the user leaves out: nothing is asked about them.
    filter: Option<Arc<CodeFilter>>,
    used: usize,
}

/// Why a search that goes on does not follow a directive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DirectiveRefusal {
    /// The table has no such hypothesis.
    Hypothesis(String),
    /// A prune forbids the question that is to be asked.
    Pruned,
    /// It is neither a priority nor a prune.
    Kind,
}

impl fmt::Display for DirectiveRefusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hypothesis(name) => write!(out, "there is no hypothesis {}", quoted(name)),
            Self::Pruned => write!(out, "a prune forbids this question"),
            Self::Kind => write!(out, "a search that goes on follows priorities and prunes only"),
        }
    }
}

/// What is said about one question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ruling {
    /// Never ask.
    Pruned,
    /// Ask so soon.
    Asked(Level),
    /// Nothing.
    Silent,
}

impl DirectivesInForce {
    /// Renames by the maps, drops what is pruned, keeps the rest.
    ///
    /// # Errors
    /// When directives contradict each other, or maps go in circles; then nothing is used.
    pub fn new(
        directives: &Directives,
        hypotheses: &Hypotheses,
    ) -> Result<Self, Vec<DirectiveError>> {
        let mut draft =
            DirectivesDraft { maps: NameMaps::of(directives)?, ..DirectivesDraft::default() };
        for entry in &directives.entries {
            draft.take(entry, hypotheses);
        }
        if draft.mistakes.is_empty() { Ok(draft.finished()) } else { Err(draft.mistakes) }
    }

    /// The same, and no question about functions that a filter leaves out.
    #[must_use]
    pub fn with_filter(mut self, filter: Arc<CodeFilter>) -> Self {
        self.filter = Some(filter);
        self
    }

    /// Whether a filter leaves out the code of a focus: each part of it.
    pub(crate) fn leaves_out(&self, focus: &Focus) -> bool {
        let Some(filter) = &self.filter else { return false };
        focus.part(Hierarchy::Code).iter().all(|code| filter.leaves_out_code(code))
    }

    /// The dwell time of classic verdicts, and where it is said.
    #[must_use]
    pub const fn dwell_time(&self) -> Option<&(Nanos, TextPosition)> {
        self.dwell_time.as_ref()
    }

    /// How many directives have a say, a dwell time left out: it has one where verdicts are classic. NameMaps speak through the others, and what a prune dropped is silent.
    #[must_use]
    pub const fn used(&self) -> usize {
        self.used
    }

    /// Whether the other never asks what this one asks at once.
    #[must_use]
    pub fn is_pruned_by(&self, other: &Self) -> bool {
        self.high().any(|(id, focus)| other.ruling(*id, focus) == Ruling::Pruned)
    }

    /// What is said about a question. The whole program is always asked about.
    pub(crate) fn ruling(&self, hypothesis: HypothesisId, focus: &Focus) -> Ruling {
        let is_pruned =
            self.prunes.get(&hypothesis).is_some_and(|prunes| is_under_any(focus, prunes));
        if is_pruned || self.leaves_out(focus) {
            return Ruling::Pruned;
        }
        let level = self.priorities.get(&(hypothesis, focus.clone()));
        level.map_or(Ruling::Silent, |level| Ruling::Asked(*level))
    }

    /// The questions to be asked at once.
    pub(crate) fn high(&self) -> impl Iterator<Item = &(HypothesisId, Focus)> {
        let high = self.priorities.iter().filter(|(_, level)| **level == Level::High);
        high.map(|(question, _)| question)
    }

    /// Follows a priority or a prune from now on: it takes the place of what was said about the same before.
    ///
    /// # Errors
    /// When it is another directive, names no hypothesis of the table, or asks what a prune forbids; then nothing changes.
    pub(crate) fn take(
        &mut self,
        directive: &Directive,
        hypotheses: &Hypotheses,
    ) -> Result<(), DirectiveRefusal> {
        match directive {
            Directive::Prune { whom, resource } => {
                self.prune(whom, resource, hypotheses);
                Ok(())
            }
            Directive::Priority { level, hypothesis, focus } => {
                let unknown = || DirectiveRefusal::Hypothesis(hypothesis.clone());
                let id = hypotheses.named(hypothesis).ok_or_else(unknown)?;
                if self.ruling(id, focus) == Ruling::Pruned {
                    return Err(DirectiveRefusal::Pruned);
                }
                let is_new = self.priorities.insert((id, focus.clone()), *level).is_none();
                self.used += usize::from(is_new);
                Ok(())
            }
            Directive::Map { .. } | Directive::Threshold { .. } | Directive::DwellTime(_) => {
                Err(DirectiveRefusal::Kind)
            }
        }
    }

    /// Forbids questions, and drops the priorities of those.
    fn prune(&mut self, whom: &PrunedHypotheses, resource: &Resource, hypotheses: &Hypotheses) {
        let mut is_new = false;
        for id in hypotheses.ids().filter(|id| is_about(whom, *id, hypotheses)) {
            is_new |= self.prunes.entry(id).or_default().insert(resource.clone());
        }
        let before = self.priorities.len();
        let priorities = std::mem::take(&mut self.priorities);
        let kept = priorities
            .into_iter()
            .filter(|((id, focus), _)| self.ruling(*id, focus) != Ruling::Pruned)
            .collect();
        self.priorities = kept;
        self.used = self.used + usize::from(is_new) + self.priorities.len() - before;
    }

    /// The thresholds.
    pub(crate) fn thresholds(&self) -> impl Iterator<Item = (HypothesisId, f64)> {
        self.thresholds.iter().map(|(hypothesis, value)| (*hypothesis, *value))
    }
}

/// A prune is about what is inside its resource; of a root, about all that is not the root. There may be one for each of thousands
/// of functions, so what is above the focus is looked up among them.
fn is_under_any(focus: &Focus, prunes: &BTreeSet<Resource>) -> bool {
    Hierarchy::ALL.into_iter().any(|hierarchy| {
        let part = focus.part(hierarchy);
        let mut above = std::iter::successors(part.first().cloned(), Resource::parent);
        above.any(|resource| {
            let is_inside = || part.iter().all(|part| resource.contains(part));
            prunes.contains(&resource)
                && if resource.is_root() { !focus.is_root(hierarchy) } else { is_inside() }
        })
    })
}

/// The directives while they are put together: where each thing was said first.
#[derive(Default)]
struct DirectivesDraft {
    maps: NameMaps,
    thresholds: BTreeMap<HypothesisId, (f64, TextPosition)>,
    prunes: BTreeMap<(PrunedHypotheses, Resource), Vec<HypothesisId>>,
    priorities: BTreeMap<(HypothesisId, Focus), (Level, TextPosition)>,
    dwell_time: Option<(Nanos, TextPosition)>,
    mistakes: Vec<DirectiveError>,
}

impl DirectivesDraft {
    fn take(&mut self, entry: &DirectiveLine, hypotheses: &Hypotheses) {
        let place = entry.place.clone();
        match &entry.directive {
            Directive::Map { .. } => {}
            Directive::Prune { whom, resource } => {
                let about = hypotheses.ids().filter(|id| is_about(whom, *id, hypotheses)).collect();
                self.prunes.insert((whom.clone(), self.maps.renamed(resource)), about);
            }
            Directive::Priority { level, hypothesis, focus } => {
                let Some(id) = hypotheses.named(hypothesis) else {
                    return self.complain(place, Mistake::Hypothesis(hypothesis.clone()));
                };
                let question = (id, self.maps.focus(focus));
                match self.priorities.get(&question) {
                    Some((other, there)) if other != level => {
                        let there = there.clone();
                        self.complain(place, Mistake::Contradiction(there));
                    }
                    Some(_) => {}
                    None => _ = self.priorities.insert(question, (*level, place)),
                }
            }
            Directive::Threshold { hypothesis, value } => {
                let Some(id) = hypotheses.named(hypothesis) else {
                    return self.complain(place, Mistake::Hypothesis(hypothesis.clone()));
                };
                match self.thresholds.get(&id) {
                    Some((other, there)) if other.total_cmp(value).is_ne() => {
                        let there = there.clone();
                        self.complain(place, Mistake::Contradiction(there));
                    }
                    Some(_) => {}
                    None => _ = self.thresholds.insert(id, (*value, place)),
                }
            }
            Directive::DwellTime(time) => match &self.dwell_time {
                Some((other, there)) if other != time => {
                    let there = there.clone();
                    self.complain(place, Mistake::Contradiction(there));
                }
                Some(_) => {}
                None => self.dwell_time = Some((*time, place)),
            },
        }
    }

    fn complain(&mut self, place: TextPosition, mistake: Mistake) {
        self.mistakes.push(DirectiveError { place, mistake });
    }

    fn finished(self) -> DirectivesInForce {
        let mut in_force = DirectivesInForce::default();
        for ((_, resource), about) in &self.prunes {
            for hypothesis in about {
                in_force.prunes.entry(*hypothesis).or_default().insert(resource.clone());
            }
        }
        let said = self.priorities.into_iter().map(|(question, (level, _))| (question, level));
        let priorities: BTreeMap<_, _> = said
            .filter(|((hypothesis, focus), _)| {
                in_force.ruling(*hypothesis, focus) != Ruling::Pruned
            })
            .collect();
        let values = self.thresholds.into_iter().map(|(id, (value, _))| (id, value));
        in_force.thresholds = values.collect();
        in_force.dwell_time = self.dwell_time;
        in_force.used = self.prunes.len() + priorities.len() + in_force.thresholds.len();
        in_force.priorities = priorities;
        in_force
    }
}

fn is_about(whom: &PrunedHypotheses, id: HypothesisId, hypotheses: &Hypotheses) -> bool {
    let is_below = |name: &String| {
        let up = std::iter::successors(Some(id), |id| hypotheses.row(*id).parent);
        { up }.any(|id| hypotheses.row(id).name == *name)
    };
    match whom {
        PrunedHypotheses::All => true,
        PrunedHypotheses::Only(name) => is_below(name),
        PrunedHypotheses::AllBut(name) => !is_below(name),
    }
}

#[cfg(test)]
mod tests {
    use whyperf_model::{FilterEffect, FilterTarget, NamePattern};

    use super::*;

    fn in_force(text: &str) -> Result<DirectivesInForce, Vec<String>> {
        let table = Hypotheses::built_in();
        let text = format!("whyperf directives 1\n{text}");
        let directives = Directives::parse("d", &text, &table).expect("well formed");
        let told =
            |mistakes: Vec<DirectiveError>| mistakes.iter().map(ToString::to_string).collect();
        DirectivesInForce::new(&directives, &table).map_err(told)
    }

    fn ruling(in_force: &DirectivesInForce, name: &str, focus: &str) -> Ruling {
        let id = Hypotheses::built_in().named(name).expect("it is in the table");
        in_force.ruling(id, &focus.parse().expect("well formed"))
    }

    #[test]
    fn maps_rename_the_others_by_the_longest_old_name_and_on() {
        let said = in_force(
            "map /Code/a.c /Code/b.c\nmap /Code/a.c/f /Code/x.c/g\nmap /Code/b.c /Code/c.c\n\
             priority high CPUbound </Code/a.c/f>\npriority low CPUbound </Code/a.c/h>\nprune CPUbound /Code/a.c/t",
        )
        .expect("right");
        assert_eq!(ruling(&said, "CPUbound", "</Code/x.c/g>"), Ruling::Asked(Level::High));
        assert_eq!(ruling(&said, "CPUbound", "</Code/c.c/h>"), Ruling::Asked(Level::Low));
        assert_eq!(ruling(&said, "CPUbound", "</Code/c.c/t>"), Ruling::Pruned);
        assert_eq!(ruling(&said, "CPUbound", "</Code/a.c/t>"), Ruling::Silent);
        assert_eq!(said.used(), 3);
    }

    #[test]
    fn prunes_drop_what_is_under_them_and_never_the_whole_program() {
        let said = in_force(
            "prune * /Machine\nprune !ExcessiveIOBlockingTime /SyncObject\n\
             priority high CPUbound </Machine/n0>\npriority high TooManySmallIOOps </SyncObject/Barrier>",
        )
        .expect("right");
        assert_eq!(ruling(&said, "CPUbound", "</Machine/n0>"), Ruling::Pruned);
        assert_eq!(ruling(&said, "CPUbound", "<>"), Ruling::Silent);
        let small = ruling(&said, "TooManySmallIOOps", "</SyncObject/Barrier>");
        assert_eq!(small, Ruling::Asked(Level::High), "it belongs to what is spared");
        assert_eq!(said.used(), 3);
    }

    #[test]
    fn nothing_is_asked_about_what_a_filter_leaves_out() {
        let mut filter = CodeFilter::default();
        let small = FilterTarget::Function(NamePattern::with_signs("small*", '*', '?'));
        filter.add(small, FilterEffect::LeaveOut);
        let text = "priority high CPUbound </Code/a.c/small_one>";
        let said = in_force(text).expect("right").with_filter(Arc::new(filter));
        let one = ["</Code/a.c/small_one>", "</Code/b.c/small,/Process/1>"];
        let others = ["</Code/a.c/large>", "</Code/a.c>", "<>", "</Code/a.c/(large,small)>"];
        assert!(one.iter().all(|focus| ruling(&said, "CPUbound", focus) == Ruling::Pruned));
        assert!(others.iter().all(|focus| ruling(&said, "CPUbound", focus) == Ruling::Silent));
    }

    #[test]
    fn what_is_said_while_a_search_goes_on_takes_the_place_of_what_was_said_before() {
        let table = Hypotheses::built_in();
        let mut said =
            in_force("priority high CPUbound </Process/1>\nthreshold CPUbound 0.5").expect("right");
        let mut take = |text: &str| {
            let directive = Directive::parse(text, &table).expect("well formed");
            said.take(&directive, &table).map(|()| (said.used(), said.high().count()))
        };
        assert_eq!(take("priority high CPUbound </Process/2>"), Ok((3, 2)));
        assert_eq!(take("priority low CPUbound </Process/2>"), Ok((3, 1)), "the later word counts");
        assert_eq!(take("prune CPUbound /Process/2"), Ok((3, 1)), "the priority went with it");
        assert_eq!(take("prune CPUbound /Process/2"), Ok((3, 1)), "it was said before");
        let pruned = Err(DirectiveRefusal::Pruned);
        assert_eq!(take("priority high CPUbound </Process/2,/Code/a.c>"), pruned);
        assert_eq!(take("hold 2 s"), Err(DirectiveRefusal::Kind));
    }

    #[test]
    fn a_dwell_time_is_known_with_its_place() {
        let said = in_force("threshold CPUbound 0.2\nhold 500 ms\nhold 0.5 s").expect("right");
        let (time, place) = said.dwell_time().expect("there is one");
        assert_eq!((*time, place.to_string().as_str()), (Nanos::from_millis(500), "d:3:1"));
        assert_eq!(said.used(), 1, "whether it has a say depends on the verdict");
        assert_eq!(in_force("threshold CPUbound 0.2").expect("right").dwell_time(), None);
    }

    #[test]
    fn circles_and_contradictions_are_refused_as_a_whole() {
        let mistakes = |text: &str| in_force(text).expect_err("wrong");
        let circle = "the maps lead from";
        let both = mistakes("map /Code/a /Code/b\nmap /Code/b /Code/a");
        assert!(both.len() == 2 && both.iter().all(|mistake| mistake.contains(circle)), "{both:?}");
        assert!(mistakes("map /Code/a /Code/a/b")[0].contains(circle));
        assert!(mistakes("map /Code/a /Code/a")[0].contains(circle));
        let contradictions = mistakes(
            "map /Code/a /Code/b\nthreshold CPUbound 0.2\nthreshold CPUbound 0.3\n\
             priority high CPUbound </Code/a>\npriority low CPUbound </Code/b>",
        );
        assert_eq!(
            contradictions,
            ["d:4:1: this contradicts d:3:1", "d:6:1: this contradicts d:5:1"]
        );
        assert_eq!(mistakes("map /Code/a /Code/b\nmap /Code/a /Code/c").len(), 1);
        assert_eq!(mistakes("hold 2 s\nhold 2000 ms\nhold 1 s"), ["d:4:1: this contradicts d:2:1"]);
    }
}

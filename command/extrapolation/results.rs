//! What an extrapolation printed: a table for each variant, who is best where, and all of it as JSON.

use std::fmt::Write as _;

use serde_json::{Value, json};
use whyperf_experiments::{Figure, MachineFile, figures};

use crate::extrapolation::extrapolated::ExtrapolatedRun;
use crate::extrapolation::ranking::{crossovers, rankings};
use crate::output::terminal::{self, OutputStyle, plain, readable};

/// All runs of an extrapolation.
pub(crate) struct Results<'r> {
    pub(crate) machine: &'r MachineFile,
    /// By variant, then by setting.
    pub(crate) runs: Vec<ExtrapolatedRun>,
}

impl Results<'_> {
    /// What speed-up is relative to: the run on one processor where there is one, else the computing of all ranks.
    fn base_s(&self, run: &ExtrapolatedRun) -> f64 {
        let is_base = |other: &&ExtrapolatedRun| {
            other.variant == run.variant
                && other.processors == 1
                && other.setting.others() == run.setting.others()
        };
        self.runs.iter().find(is_base).map_or(run.compute_s, |base| base.elapsed_s)
    }

    pub(crate) fn as_json(&self) -> Value {
        let figure = |figure: &Figure| json!({ "path": figure.path, "of": figure.of, "value": figure.value.trim_matches('"'), "unit": figure.unit });
        let machine = &self.machine.machine;
        let rankings = rankings(&self.runs);
        json!({
            "format": "whyperf-extrapolation",
            "version": 1,
            "machine": {
                "name": machine.name,
                "title": self.machine.title,
                "figures": figures(machine).iter().map(figure).collect::<Vec<_>>(),
            },
            "runs": self.runs.iter().map(|run| run.as_json(self.base_s(run))).collect::<Vec<_>>(),
            "ranking": rankings.iter().map(|ranking| ranking.as_json()).collect::<Vec<_>>(),
            "crossovers": crossovers(&rankings).iter().map(|one| one.as_json()).collect::<Vec<_>>(),
        })
    }

    pub(crate) fn text(&self, output_style: OutputStyle) -> String {
        let mut text = String::new();
        let mut variant = None;
        let longest = self.runs.iter().map(|run| run.elapsed_s).fold(0.0, f64::max);
        for run in &self.runs {
            if variant != Some(&run.variant) {
                variant = Some(&run.variant);
                let title = format!("{} on {}", plain(&run.variant), self.machine.machine.name);
                let _ = writeln!(text, "{}", output_style.paint(title, terminal::TITLE));
                let _ = writeln!(text, "{}", output_style.paint(HEAD, terminal::FAINT));
            }
            text += &self.row(run, longest, output_style);
        }
        self.write_ranking(&mut text, output_style);
        text
    }

    fn row(&self, run: &ExtrapolatedRun, longest: f64, output_style: OutputStyle) -> String {
        let speedup = run.speedup(self.base_s(run));
        let efficiency = speedup / f64::from(run.processors) * 100.0;
        let percent = |seconds: f64| seconds / run.total_s().max(f64::MIN_POSITIVE) * 100.0;
        let leading = run.leading.as_ref().map_or_else(String::new, |leading| {
            format!("{} {}", leading.hypothesis, readable(&leading.focus))
        });
        let folded = match run.ranks > run.processors {
            true => format!(" ({} ranks)", run.ranks),
            false => String::new(),
        };
        let setting = if run.setting.0.is_empty() {
            format!("processors={}", run.processors)
        } else {
            run.setting.to_string()
        };
        let mut text = format!(
            "  {:<24} {:>12.6} {speedup:>8.2} {efficiency:>5.0} {:>6.1} {:>6.1} {:>6.1}  {} {leading}\n",
            setting + &folded,
            run.elapsed_s,
            percent(run.compute_s),
            percent(run.communication_s),
            percent(run.barrier_s),
            bar(run.elapsed_s / longest.max(f64::MIN_POSITIVE), output_style),
        );
        if let Some(guess) = run.guess {
            let off = guess.plus_minus_s / run.elapsed_s.max(f64::MIN_POSITIVE) * 100.0;
            let note = format!(
                "a guess from fewer ranks, give or take {:.6} s ({off:.0} %); what leads is that of the largest trace",
                guess.plus_minus_s
            );
            let _ = writeln!(text, "    {}", output_style.paint(note, terminal::CAUTION));
        }
        for complaint in &run.complaints {
            let _ = writeln!(text, "    {}", output_style.paint(plain(complaint), terminal::ALARM));
        }
        text
    }

    fn write_ranking(&self, text: &mut String, output_style: OutputStyle) {
        let rankings = rankings(&self.runs);
        if rankings.is_empty() {
            return;
        }
        let _ = writeln!(text, "{}", output_style.paint("The fastest first", terminal::TITLE));
        for ranking in &rankings {
            let best = ranking.order[0].elapsed_s.max(f64::MIN_POSITIVE);
            let one = |run: &&ExtrapolatedRun| {
                let more = (run.elapsed_s / best - 1.0) * 100.0;
                format!("{} +{more:.1} %", plain(&run.variant))
            };
            let others = ranking.order[1..].iter().map(one).collect::<Vec<_>>().join(", ");
            let first = &ranking.order[0];
            let _ = writeln!(
                text,
                "  {}  {} {:.6} s; {others}",
                ranking.setting,
                plain(&first.variant),
                first.elapsed_s
            );
        }
        for one in crossovers(&rankings) {
            let _ = writeln!(
                text,
                "  between {}={} and {}: {} instead of {}",
                one.parameter,
                one.from,
                one.to,
                plain(one.after),
                plain(one.before)
            );
        }
    }
}

const HEAD: &str =
    "  setting                            s speed-up eff.% comp.% comm.% barr.%  time       leads";

/// A share of the longest time as a bar of ten columns.
fn bar(share: f64, output_style: OutputStyle) -> String {
    let length = (share * 10.0).round().clamp(0.0, 10.0) as usize;
    let mark = output_style.either("█", "#");
    format!("{}{}", mark.repeat(length), " ".repeat(10 - length))
}

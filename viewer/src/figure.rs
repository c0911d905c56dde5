//! Pairs over time as a drawing for papers, without a browser: SVG, in the colours of the page.
//!
//! A line is a rate in each bin: a number of threads where time is measured, and an amount per second elsewhere. Where nothing was measured it is interrupted.

use std::fmt::Write as _;

use whyperf_experiments::markup_escaped;
use whyperf_model::{Metric, Style, Unit};

use crate::series::SeriesDocument;

/// A line of a drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct FigureLine {
    /// What it is called in the legend.
    pub label: String,
    /// What is measured.
    pub metric: Metric,
    /// The pair over time.
    pub series: SeriesDocument,
}

/// The part of a run that is drawn, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FigureRange {
    /// From here.
    pub from_s: f64,
    /// To here, which is later.
    pub to_s: f64,
}

/// A drawing of these lines over one time: those of one unit on one axis, those of another below.
#[must_use]
pub fn figure(title: &str, lines: &[FigureLine], range: FigureRange) -> String {
    let panels = panels(lines);
    let bottom: f64 = panels.iter().map(|panel| HIGH + LEGEND * panel.len() as f64).sum();
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDE}\" height=\"{bottom}\" viewBox=\"0 0 {WIDE} {bottom}\" \
         font-family=\"Helvetica, Arial, sans-serif\" font-size=\"11\" fill=\"#1c2026\">\n<title>{}</title>\n\
         <rect width=\"{WIDE}\" height=\"{bottom}\" fill=\"#ffffff\"/>\n\
         <text x=\"{LEFT}\" y=\"17\" font-size=\"13\">{}</text>\n",
        markup_escaped(title),
        markup_escaped(title)
    );
    let mut top = 0.0;
    for panel in &panels {
        let _ = writeln!(svg, "<g transform=\"translate(0 {top})\">");
        draw_panel(panel, range, &mut svg);
        svg.push_str("</g>\n");
        top += HIGH + LEGEND * panel.len() as f64;
    }
    svg.push_str("</svg>\n");
    svg
}

/// A line with its colour.
type Coloured<'l> = (&'l FigureLine, &'static str);

/// The lines by unit, in the order in which they were asked for.
fn panels(lines: &[FigureLine]) -> Vec<Vec<Coloured<'_>>> {
    let mut panels: Vec<Vec<Coloured<'_>>> = Vec::new();
    for (line, colour) in lines.iter().zip(COLOURS.into_iter().cycle()) {
        match panels.iter_mut().find(|panel| unit(panel[0].0) == unit(line)) {
            Some(panel) => panel.push((line, colour)),
            None => panels.push(vec![(line, colour)]),
        }
    }
    panels
}

/// Lines on one axis, with their legend below.
fn draw_panel(lines: &[Coloured<'_>], range: FigureRange, svg: &mut String) {
    let frame = Frame::of(lines, range);
    frame.axes(lines.first().map_or("", |(line, _)| unit(line)), svg);
    for (number, (line, colour)) in lines.iter().enumerate() {
        for points in frame.pieces(line) {
            let _ = writeln!(
                svg,
                "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.4\"/>"
            );
        }
        let y = HIGH + LEGEND * (number as f64 + 0.5);
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" y1=\"{y}\" x2=\"{}\" y2=\"{y}\" stroke=\"{colour}\" stroke-width=\"2\"/>\
             <text x=\"{}\" y=\"{}\">{}</text>",
            LEFT + 22.0,
            LEFT + 28.0,
            y + 4.0,
            markup_escaped(&line.label)
        );
    }
}

/// Points of the drawing.
const WIDE: f64 = 640.0;
const HIGH: f64 = 300.0;
const LEFT: f64 = 66.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 30.0;
const BELOW: f64 = 46.0;
const LEGEND: f64 = 17.0;

/// Paul Tol's bright scheme, which colour-blind people tell apart.
const COLOURS: [&str; 7] =
    ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#8a8a8a"];

/// Where values lie.
struct Frame {
    range: FigureRange,
    most: f64,
}

impl Frame {
    fn of(lines: &[Coloured<'_>], range: FigureRange) -> Self {
        let rates = lines.iter().flat_map(|(line, _)| rates(&line.series));
        let within = rates.filter(|bin| range.part(bin).is_some());
        let most = within.filter_map(|bin| bin.rate).fold(0.0, f64::max);
        Self { range, most: if most > 0.0 { most * 1.05 } else { 1.0 } }
    }

    fn x(&self, time: f64) -> f64 {
        let share = (time - self.range.from_s) / (self.range.to_s - self.range.from_s);
        LEFT + share * (WIDE - LEFT - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        HIGH - BELOW - value / self.most * (HIGH - BELOW - TOP)
    }

    /// The parts of a line between which nothing was measured, as points of a drawing.
    fn pieces(&self, line: &FigureLine) -> Vec<String> {
        let mut pieces = vec![String::new()];
        for bin in rates(&line.series) {
            match (self.range.part(&bin), bin.rate) {
                (Some([from, to]), Some(rate)) => {
                    let last = pieces.len() - 1;
                    let [from, to] = [from, to].map(|time| self.x(time));
                    let y = self.y(rate);
                    let _ = write!(pieces[last], "{from:.1},{y:.1} {to:.1},{y:.1} ");
                }
                _ => pieces.push(String::new()),
            }
        }
        pieces.retain(|points| !points.is_empty());
        pieces
    }

    fn axes(&self, unit: &str, svg: &mut String) {
        let [left, right, floor] = [LEFT, WIDE - RIGHT, HIGH - BELOW];
        for value in ticks(0.0, self.most) {
            let y = self.y(value);
            let _ = writeln!(
                svg,
                "<line x1=\"{left}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\" stroke=\"#e3e1da\"/>\
                 <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                left - 6.0,
                y + 4.0,
                short(value)
            );
        }
        for time in ticks(self.range.from_s, self.range.to_s) {
            let x = self.x(time);
            let _ = writeln!(
                svg,
                "<line x1=\"{x:.1}\" y1=\"{floor}\" x2=\"{x:.1}\" y2=\"{}\" stroke=\"#1c2026\"/>\
                 <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                floor + 4.0,
                floor + 16.0,
                short(time)
            );
        }
        let middle = (left + right) / 2.0;
        let _ = writeln!(
            svg,
            "<line x1=\"{left}\" y1=\"{floor}\" x2=\"{right}\" y2=\"{floor}\" stroke=\"#1c2026\"/>\
             <text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">seconds since the beginning of the run</text>\
             <text transform=\"translate(14 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            floor + 32.0,
            f64::midpoint(TOP, floor),
            unit
        );
    }
}

/// A bin of a series.
struct RatedBin {
    from_s: f64,
    to_s: f64,
    /// None where nothing was measured.
    rate: Option<f64>,
}

impl FigureRange {
    /// The part of a bin that lies in it.
    fn part(self, bin: &RatedBin) -> Option<[f64; 2]> {
        let [from, to] = [bin.from_s.max(self.from_s), bin.to_s.min(self.to_s)];
        (from < to).then_some([from, to])
    }
}

fn rates(series: &SeriesDocument) -> impl Iterator<Item = RatedBin> + '_ {
    series.amounts.iter().enumerate().map(|(at, amount)| {
        let covered = series.covered.get(at).copied().unwrap_or(1.0) * series.width_s;
        let from_s = (series.from + at) as f64 * series.width_s;
        let rate = amount.filter(|_| covered > 0.0).map(|amount| amount / covered);
        RatedBin { from_s, to_s: from_s + series.width_s, rate }
    })
}

/// What the values of a line are.
const fn unit(line: &FigureLine) -> &'static str {
    let definition = line.metric.definition();
    match (definition.unit, definition.style) {
        (Unit::Nanoseconds, _) => "threads",
        (Unit::Processes, _) | (_, Style::SampledFunction) => "processes",
        (Unit::Bytes, _) => "bytes per second",
        (Unit::Operations, _) => "calls per second",
        (Unit::Events, _) => "events per second",
        (Unit::OfProgram, _) => "per second",
    }
}

/// Round values between two others, about five.
fn ticks(from: f64, to: f64) -> impl Iterator<Item = f64> {
    let rough = (to - from) / 5.0;
    let power = 10f64.powf(rough.log10().floor());
    let step =
        [1.0, 2.0, 5.0, 10.0].map(|n| n * power).into_iter().find(|step| *step >= rough * 0.999);
    let step = step.unwrap_or(rough);
    let first = (from / step).ceil();
    (0..20)
        .map(move |n| (first + f64::from(n)) * step)
        .take_while(move |value| *value <= to * (1.0 + 1e-9))
}

fn short(value: f64) -> String {
    let size = value.abs();
    let (scaled, sign) = match size {
        _ if size >= 1e9 => (value / 1e9, " G"),
        _ if size >= 1e6 => (value / 1e6, " M"),
        _ if size >= 1e4 => (value / 1e3, " k"),
        _ => (value, ""),
    };
    let text = format!("{scaled:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{}{sign}", if text.is_empty() || text == "-0" { "0" } else { text })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(label: &str, amounts: &[Option<f64>]) -> FigureLine {
        let series = SeriesDocument {
            metric: "sync_wait".into(),
            focus: "</Code>".into(),
            width_s: 0.5,
            from: 0,
            amounts: amounts.to_vec(),
            covered: Vec::new(),
        };
        FigureLine { label: label.into(), metric: Metric::SyncWait, series }
    }

    const ALL: FigureRange = FigureRange { from_s: 0.0, to_s: 2.0 };

    #[test]
    fn a_gap_interrupts_a_line() {
        let gap = line("a", &[Some(0.5), Some(0.5), None, Some(1.0)]);
        let svg = figure("t", &[gap], ALL);
        assert_eq!(svg.matches("<polyline").count(), 2, "{svg}");
        assert!(svg.contains(">threads<"), "{svg}");
    }

    #[test]
    fn lines_of_several_kinds_each_have_an_axis_of_their_own() {
        let bytes = FigureLine { metric: Metric::IoBytes, ..line("b", &[Some(9000.0)]) };
        let svg = figure("t", &[line("a", &[Some(1.0)]), bytes], ALL);
        let told = [">threads<", ">2<", ">bytes per second<", ">15 k<", "translate(0 317)"];
        assert!(told.iter().all(|told| svg.contains(told)), "{svg}");
    }

    #[test]
    fn names_are_never_markup() {
        let svg = figure("<b>", &[line("<script>", &[Some(1.0)])], ALL);
        assert!(!svg.contains("<b>") && !svg.contains("<script>"), "{svg}");
    }

    #[test]
    fn ticks_are_round_and_lie_within() {
        assert_eq!(ticks(0.0, 1.05).map(short).collect::<Vec<_>>(), ["0", "0.5", "1"]);
        assert_eq!(ticks(3.0, 13.0).map(short).collect::<Vec<_>>(), ["4", "6", "8", "10", "12"]);
        assert_eq!([0.25, 12_000.0, 3e6, 0.0].map(short), ["0.25", "12 k", "3 M", "0"]);
    }
}

//! `whyperf plot`: pairs of a run over time as a drawing or an image, without a browser.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use whyperf_experiments::{Access, Selector, Store};
use whyperf_model::{Focus, Metric, Pair};
use whyperf_viewer::{Bins, FigureLine, FigureRange, figure, png};

use crate::output::delivery::{self, status};
use crate::output::whole_file;
use crate::search::near_names::near;
use crate::stored::viewed;

/// Which pairs of which run, and where the drawing goes.
#[derive(Debug, Args)]
pub(crate) struct Plot {
    /// An id, the beginning of one, a tag, latest or latest~1
    #[arg(value_name = "RUN", default_value = "latest")]
    pub(crate) run: Selector,
    /// Draw this metric; may be repeated
    #[arg(long, value_name = "METRIC", required = true, value_parser = metric)]
    pub(crate) metric: Vec<Metric>,
    /// At this focus; may be repeated. The whole program where nothing is said
    #[arg(long, value_name = "FOCUS", value_parser = focus)]
    pub(crate) focus: Vec<Focus>,
    /// From so many seconds after the beginning of the run
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0)]
    pub(crate) from: f64,
    /// To so many seconds after it; to the end where nothing is said
    #[arg(long, value_name = "SECONDS")]
    pub(crate) to: Option<f64>,
    /// The line above the drawing; the command of the run where nothing is said
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// Write to FILE, which is replaced as a whole: a drawing where its name ends in .svg, an image where it ends in .png; a drawing to standard output where nothing is said
    #[arg(short, long, value_name = "FILE", value_parser = drawn_file)]
    pub(crate) output: Option<DrawnFile>,
    /// Points of a PNG for each point of the drawing, which is 640 wide
    #[arg(long, value_name = "NUMBER", default_value_t = 3.0)]
    pub(crate) scale: f32,
    /// The store to read
    #[arg(long, value_name = "FILE", env = "WHYPERF_STORE", hide_env_values = true)]
    #[arg(default_value = "whyperf.db")]
    pub(crate) store: PathBuf,
}

/// Draws what the request asks for.
pub(crate) fn plot(request: &Plot) -> Result<ExitCode> {
    let store = Store::open(&request.store, Access::Read)?;
    let id = store.find(&request.run)?;
    let viewed = viewed::one(&store, &id)?;
    let run = viewed.run();
    let range =
        FigureRange { from_s: request.from, to_s: request.to.unwrap_or(run.progress.elapsed_s) };
    if !(range.from_s >= 0.0 && range.to_s > range.from_s) {
        bail!("nothing of run {id} lies between {} s and {} s", range.from_s, range.to_s);
    }
    let whole = [Focus::whole_program()];
    let foci = if request.focus.is_empty() { &whole[..] } else { &request.focus };
    let pairs = request
        .metric
        .iter()
        .flat_map(|metric| foci.iter().map(|focus| Pair::new(*metric, focus.clone())));
    let pairs: Vec<Pair> = pairs.collect();
    let asked: Vec<_> = pairs.iter().map(|pair| (pair.clone(), Bins::AtMost(MOST_BINS))).collect();
    let mut lines = Vec::new();
    for (pair, series) in pairs.iter().zip(viewed.series(&asked)?) {
        let Some(series) = series else {
            bail!(
                "{pair} is not known over time of run {id}; `whyperf run --measure` measures a pair for the whole run"
            );
        };
        lines.push(FigureLine { label: pair.to_string(), metric: pair.metric, series });
    }
    let title = request.title.clone().unwrap_or_else(|| run.command.join(" "));
    let svg = figure(&title, &lines, range);
    let Some(DrawnFile { path, form }) = &request.output else {
        return Ok(status(delivery::print(&svg)));
    };
    let content = match form {
        DrawnForm::Image => png(&svg, request.scale)?,
        DrawnForm::Drawing => svg.into_bytes(),
    };
    whole_file::replace(path, content)
        .with_context(|| format!("writing the drawing to {}", path.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// A line has hardly more points on paper.
const MOST_BINS: usize = 1000;

/// A file that is drawn into, by its name.
#[derive(Clone, Debug)]
pub(crate) struct DrawnFile {
    path: PathBuf,
    form: DrawnForm,
}

#[derive(Clone, Copy, Debug)]
enum DrawnForm {
    /// SVG.
    Drawing,
    /// PNG.
    Image,
}

fn drawn_file(text: &str) -> Result<DrawnFile, String> {
    let path = PathBuf::from(text);
    let is = |ending: &str| path.extension().is_some_and(|own| own.eq_ignore_ascii_case(ending));
    let form = match () {
        () if is("svg") => DrawnForm::Drawing,
        () if is("png") => DrawnForm::Image,
        () => {
            return Err("a drawing is written to a file whose name ends in .svg or .png".to_owned());
        }
    };
    Ok(DrawnFile { path, form })
}

fn metric(text: &str) -> Result<Metric, String> {
    let names = Metric::ALL.map(Metric::name);
    text.parse().map_err(|_| match &near(text, names)[..] {
        [] => format!("there is no such metric; there are {}", names.join(", ")),
        [one] => format!("there is no such metric; near it is {one}"),
        [rest @ .., last] => {
            format!("there is no such metric; near it are {} and {last}", rest.join(", "))
        }
    })
}

fn focus(text: &str) -> Result<Focus, String> {
    Focus::parse(text).map_err(|error| {
        format!("{error}; a focus is written as in '</Code/app.c/work,/Process/(0,1)>'")
    })
}

//! The `whyperf` command: one folder per group of verbs, one file per verb.
#![forbid(unsafe_code)]

mod arguments;
mod experiments;
mod extrapolation;
mod machine;
mod measuring;
mod output;
mod search;
mod stack_room;
mod stored;
mod tracing;

use std::process::ExitCode;

use anyhow::Result;
use clap::CommandFactory as _;

use crate::arguments::{CommandLine, Verb};
use crate::experiments::{ci, compare, export, import, query, reduce, scale};
use crate::extrapolation::{extrapolate, machines, traces, what_if};
use crate::machine::{clean, completions, doctor, manual};
use crate::measuring::{attach, exec, launch, run, signal_witness};
use crate::output::{delivery, file_size_limit, terminal};
use crate::search::{evaluation, metrics};
use crate::stored::{diagnose, directives, plot, report, runs, show, store_copy, top, view};

fn main() -> ExitCode {
    if signal_witness::is_one() {
        return signal_witness::be_one();
    }
    stack_room::with_room(work)
}

fn work() -> ExitCode {
    let request = CommandLine::given();
    let done = file_size_limit::answer_errors().and_then(|()| carry_out(request.verb));
    done.unwrap_or_else(|error| {
        terminal::complain(&delivery::words(&error));
        ExitCode::from(launch::FAILURE)
    })
}

fn carry_out(verb: Verb) -> Result<ExitCode> {
    match verb {
        Verb::Run(request) => run::run(&request),
        Verb::Exec(request) => exec::exec(&request),
        Verb::Runs(request) => runs::runs(&request),
        Verb::Show(request) => show::show(&request),
        Verb::Diagnose(request) => diagnose::diagnose(&request),
        Verb::Report(request) => report::report(&request),
        Verb::Top(request) => top::top(*request),
        Verb::View(request) => view::view(&request),
        Verb::Compare(request) => compare::compare(&request),
        Verb::Query(request) => query::query(&request),
        Verb::Ci(request) => ci::ci(&request),
        Verb::Reduce(request) => reduce::reduce(&request),
        Verb::Scale(request) => scale::scale(&request),
        Verb::Import(request) => import::import(&request),
        Verb::Export(request) => export::export(&request),
        Verb::Plot(request) => plot::plot(&request),
        Verb::Store(verb) => store_copy::store(&verb),
        Verb::Directives(verb) => directives::directives(&verb),
        Verb::Attach(request) => attach::attach(&request),
        Verb::Hypotheses { json } => evaluation::print(json),
        Verb::Metrics { json } => metrics::print(json),
        Verb::Extrapolate(request) => extrapolate::extrapolate(&request),
        Verb::WhatIf(request) => what_if::what_if(&request),
        Verb::Trace(verb) => traces::traces(&verb),
        Verb::Machine(verb) => machines::machine(&verb),
        Verb::Doctor(listing) => doctor::doctor(&listing),
        Verb::Clean(listing) => clean::clean(&listing),
        Verb::Completions { shell } => completions::completions(shell, CommandLine::command()),
        Verb::Manual { folder } => manual::manual(&folder, CommandLine::command()),
    }
}

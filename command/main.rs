//! The `whyperf` command: one file per verb.
#![forbid(unsafe_code)]

mod arguments;
mod attach;
mod attendance;
mod clean;
mod diagnose;
mod directive_file;
mod directives;
mod doctor;
mod elf;
mod event;
mod exec;
mod guide;
mod heat;
mod hold;
mod journal;
mod judging;
mod keys;
mod launch;
mod library;
mod measure;
mod objects;
mod outlet;
mod phases;
mod report;
mod rescue;
mod run;
mod runs;
mod show;
mod stock;
mod store_arguments;
mod surroundings;
mod target;
mod terminal;
mod watch;

use std::io::{self, Write as _};
use std::process::ExitCode;

use crate::arguments::{Arguments, Verb};

fn main() -> ExitCode {
    let done = match Arguments::given().verb {
        Verb::Run(request) => run::run(&request),
        Verb::Exec(request) => exec::exec(&request),
        Verb::Runs(request) => runs::runs(&request),
        Verb::Show(request) => show::show(&request),
        Verb::Diagnose(request) => diagnose::diagnose(&request),
        Verb::Directives(verb) => directives::directives(&verb),
        Verb::Attach(request) => attach::attach(&request),
        Verb::Hypotheses { json } => judging::print(json),
        Verb::Doctor(listing) => doctor::doctor(&listing),
        Verb::Clean(listing) => clean::clean(&listing),
    };
    done.unwrap_or_else(|error| {
        let _ = writeln!(io::stderr(), "whyperf: {}", outlet::words(&error));
        ExitCode::from(launch::FAILURE)
    })
}

//! `whyperf store copy`: the runs of a store into another, from a file to a group's server or back.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use serde_json::json;
use whyperf_experiments::{Access, CopiedRuns, CopyProgress, Store};

use crate::output::delivery::{self, status};
use crate::output::report::counted;
use crate::output::terminal::{Colour, Screen, plain};

pub(crate) const NOTES: &str = "\
A store is a file, or a database of PostgreSQL: postgres://USER@HOST:PORT/DATABASE, with the parameters of libpq after a `?`
(host, port, user, dbname, sslmode, sslrootcert, sslcert, sslkey, passfile, connect_timeout, options) and its variables
(PGHOST, PGUSER, PGSSLMODE, ...). A password belongs into ~/.pgpass, PGPASSFILE or PGPASSWORD: words of a command can be read by
everybody on the machine.";

/// What is done with whole stores.
#[derive(Debug, Subcommand)]
pub(crate) enum StoreVerb {
    /// Copy every run that another store does not have; a run that is there in part is replaced by its whole
    Copy {
        /// The store to read: a file, or postgres://USER@HOST/DATABASE
        #[arg(value_name = "FROM")]
        from: PathBuf,
        /// The store to write, which is made when it is missing; the database of a server must be there
        #[arg(value_name = "TO")]
        to: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// Does it.
pub(crate) fn store(verb: &StoreVerb) -> Result<ExitCode> {
    let StoreVerb::Copy { from, to, json } = verb;
    let from = Store::open(from, Access::Read)?;
    let mut to = Store::open(to, Access::Write)?;
    let mut screen = Screen::new(Colour::Auto, false);
    let copied = from.copy_to(&mut to, |CopyProgress { done, all }| {
        screen.status(&format!("{done} of {all} runs are copied"));
    })?;
    if *json {
        let CopiedRuns { copied, completed, present } = copied;
        let told = json!({ "copied": copied, "completed": completed, "present": present });
        return Ok(status(delivery::print_json(&told)));
    }
    Ok(status(delivery::print(&words(&copied, &to))))
}

fn words(copied: &CopiedRuns, to: &Store) -> String {
    let CopiedRuns { copied, completed, present } = copied;
    let copied = counted(copied.len(), "run", "runs");
    let mut words = format!("{copied} copied into {}", to.shown().display());
    if !completed.is_empty() {
        words += &format!(", {} completed there", completed.len());
    }
    if *present > 0 {
        words += &format!(", {present} were there");
    }
    plain(&words).into_owned() + "\n"
}

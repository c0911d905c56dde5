//! What mpiP reports: the time of each rank, and of each call of MPI by call site and rank.
//!
//! Functions below MPI calls are those of the call site's stack; what a rank computes is known as a whole, so it is that of `main`.

use std::collections::BTreeMap;
use std::path::Path;

use super::callpath_sums::CallpathSums;
use super::error::ExchangeError;
use crate::foreign_profile::{ForeignMetric, ForeignProfile};

/// A call site: the functions around it from the outside in, and the call.
#[derive(Clone, Debug, Default)]
struct CallSite {
    around: Vec<String>,
    call: String,
}

/// Reads a text that came from `path`.
///
/// # Errors
/// At the first line of a table that makes no sense, or where the tables are not there.
pub fn mpip(path: &Path, text: &str) -> Result<ForeignProfile, ExchangeError> {
    let mut sums = CallpathSums::default();
    let (mut sites, mut times) = (BTreeMap::<u32, CallSite>::new(), BTreeMap::<u32, f64>::new());
    let (mut table, mut hosts) = ("", BTreeMap::<u32, String>::new());
    for (line, words) in (1..).zip(text.lines()) {
        let wrong = |problem| ExchangeError::Line { path: path.to_owned(), line, problem };
        if let Some(name) = words.strip_prefix("@---") {
            table = name.trim();
        } else if let Some(host) = words.strip_prefix("@ MPI Task Assignment") {
            let mut words = host.split_whitespace().skip_while(|word| *word == ":");
            let rank = words.next().and_then(|rank| rank.parse().ok());
            hosts.extend(rank.zip(words.next().map(str::to_owned)));
        } else if words.starts_with('-') || words.trim().is_empty() {
            continue;
        } else if table.starts_with("MPI Time") {
            times.extend(task(words));
        } else if table.starts_with("Callsites") {
            call_site(words, &mut sites);
        } else if table.starts_with("Callsite Time statistics") {
            let Some((site, rank, count, mean)) = statistics(words).map_err(wrong)? else {
                continue;
            };
            let site = sites.get(&site).ok_or_else(|| wrong("a call site that was not told"))?;
            let names = site.around.iter().cloned().chain([format!("MPI_{}()", site.call)]);
            let names: Vec<String> = names.collect();
            sums.called((rank, 0, 0), &names, count);
            // Milliseconds of each call.
            sums.add((rank, 0, 0), &names, 0, count * mean * 1e3);
            *times.entry(rank).or_default() -= count * mean / 1e3;
        }
    }
    for (rank, computed) in &times {
        sums.add((*rank, 0, 0), &[MAIN.to_owned()], 0, computed.max(0.0) * 1e6);
    }
    if sums.is_empty() {
        let what = "no report of mpiP";
        return Err(ExchangeError::Nothing { path: path.to_owned(), what });
    }
    let mut threads = sums.threads(1);
    for thread in &mut threads {
        let host = hosts.get(&thread.node);
        thread.metadata.extend(host.map(|host| ("Hostname".to_owned(), host.clone())));
    }
    let metrics = vec![ForeignMetric { name: "TIME".into() }];
    let note = "mpiP tells of functions outside MPI only how long all of them took: that is main's; times are numbers of calls times a mean of three digits";
    Ok(ForeignProfile { metrics, threads, notes: vec![note.into()] })
}

/// All that is not in MPI.
const MAIN: &str = "main";

/// `rank AppTime MPITime MPI%`; the last line is of all ranks.
fn task(line: &str) -> Option<(u32, f64)> {
    let mut words = line.split_whitespace();
    Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?))
}

/// `id level file line function call`, the call at level 0 alone; where mpiP finds no file there is an address, and no line.
fn call_site(line: &str, sites: &mut BTreeMap<u32, CallSite>) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [id, level, file, rest @ ..] = &words[..] else { return };
    let (Ok(id), Ok(level)) = (id.parse::<u32>(), level.parse::<u32>()) else { return };
    let has_line = rest.first().is_some_and(|word| word.parse::<u32>().is_ok());
    let (number, rest) = if has_line { (rest.first(), &rest[1..]) } else { (None, rest) };
    let site = sites.entry(id).or_default();
    let mut names = rest.to_vec();
    if level == 0 {
        site.call = names.pop().unwrap_or_default().to_owned();
    }
    let name = names.join(" ");
    if name.is_empty() || name == "[unknown]" {
        return;
    }
    let name =
        number.map_or_else(|| name.clone(), |line| format!("{name} [{{{file}}} {{{line},0}}]"));
    // Callers come after what they called.
    site.around.insert(0, name);
}

/// `name site rank count max mean min app% mpi%`; a star stands for all ranks.
fn statistics(line: &str) -> Result<Option<(u32, u32, f64, f64)>, &'static str> {
    let words: Vec<&str> = line.split_whitespace().collect();
    if words.first() == Some(&"Name") || words.get(2) == Some(&"*") {
        return Ok(None);
    }
    let [_, site, rank, count, _, mean, ..] = &words[..] else {
        return Err("expected a call, its site, rank, count, and times");
    };
    let number = |word: &str| word.parse::<f64>().map_err(|_| "expected a number");
    let whole = |word: &str| word.parse::<u32>().map_err(|_| "expected a whole number");
    Ok(Some((whole(site)?, whole(rank)?, number(count)?, number(mean)?)))
}

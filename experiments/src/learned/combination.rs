//! Combines several sets of directives: keeps what all of them say, or what any of them says.

use std::collections::BTreeMap;

use whyperf_consultant::{Directive, DirectiveError, Directives, Level, NameMaps};

/// How sets of directives are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combination {
    /// Only what all of them say.
    Intersection,
    /// What any of them says; what one calls high and another low is high. Of several thresholds the lowest finds most, and of several
    /// holds the longest is safe for all.
    Union,
}

/// One set of directives of many, in the new names of their maps: in a union those of all hold for all, as if the files were used together.
///
/// # Errors
/// When the maps contradict each other, or go in circles.
pub fn combine(
    sets: &[Directives],
    combination: Combination,
) -> Result<Directives, Vec<DirectiveError>> {
    let mut all = Directives::default();
    if combination == Combination::Union {
        sets.iter().for_each(|set| all.append(set.clone()));
    }
    let common = NameMaps::of(&all)?;
    let mut said: BTreeMap<(u8, String), Vec<Directive>> = BTreeMap::new();
    for set in sets {
        let own = NameMaps::of(set)?;
        let maps = if combination == Combination::Union { &common } else { &own };
        for (subject, directive) in subjects(set, maps) {
            said.entry(subject).or_default().push(directive);
        }
    }
    let mut combined = Directives::default();
    for directives in said.into_values() {
        let comment = format!("said by {} of {}", directives.len(), sets.len());
        let is_common = directives.len() == sets.len();
        let counts = is_common || combination == Combination::Union;
        if let Some(directive) = agreed(&directives, combination).filter(|_| counts) {
            combined.push(directive, Some(comment));
        }
    }
    Ok(combined)
}

/// What a set of directives speaks of, in the order in which files are read best.
fn subjects(set: &Directives, maps: &NameMaps) -> BTreeMap<(u8, String), Directive> {
    let rank = |directive: &Directive| match directive {
        Directive::Map { .. } => 0,
        Directive::Prune { .. } => 1,
        Directive::Threshold { .. } => 2,
        Directive::DwellTime(_) => 3,
        Directive::Priority { .. } => 4,
    };
    let directives = set.entries.iter().map(|entry| maps.directive(&entry.directive));
    let mut subjects = BTreeMap::new();
    for directive in directives {
        let key = (rank(&directive), directive.subject());
        let said = match subjects.remove(&key) {
            // The maps of others may give two names to one thing.
            Some(before) => agreed(&[before, directive.clone()], Combination::Union),
            None => Some(directive),
        };
        subjects.extend(said.map(|directive| (key, directive)));
    }
    subjects
}

/// What directives of one subject say together; nothing where they cannot agree.
fn agreed(directives: &[Directive], combination: Combination) -> Option<Directive> {
    let first = directives.first()?;
    match first {
        Directive::Priority { hypothesis, focus, .. } => {
            let is_high =
                |one: &&Directive| matches!(one, Directive::Priority { level: Level::High, .. });
            let high = directives.iter().filter(|one| is_high(one)).count();
            let level = match combination {
                Combination::Union if high > 0 => Level::High,
                _ if high == directives.len() => Level::High,
                _ if high == 0 => Level::Low,
                _ => return None,
            };
            Some(Directive::Priority {
                level,
                hypothesis: hypothesis.clone(),
                focus: focus.clone(),
            })
        }
        Directive::Threshold { hypothesis, .. } => {
            let values = directives.iter().filter_map(|one| match one {
                Directive::Threshold { value, .. } => Some(*value),
                _ => None,
            });
            let value = values.fold(f64::INFINITY, f64::min);
            Some(Directive::Threshold { hypothesis: hypothesis.clone(), value })
        }
        Directive::DwellTime(_) => {
            let times = directives.iter().filter_map(|one| match one {
                Directive::DwellTime(time) => Some(*time),
                _ => None,
            });
            times.max().map(Directive::DwellTime)
        }
        _ => directives.iter().all(|one| one == first).then(|| first.clone()),
    }
}

#[cfg(test)]
mod tests {
    use whyperf_consultant::{DirectivesInForce, Hypotheses};

    use super::*;

    fn read(lines: &[&str]) -> Directives {
        let text = format!("whyperf directives 1\n{}\n", lines.join("\n"));
        Directives::parse("test", &text, &Hypotheses::built_in()).expect("well formed")
    }

    fn combined(combination: Combination) -> Vec<String> {
        let sets = [
            read(&[
                "priority high CPUbound </Code/a.c/f>",
                "priority low CPUbound </Code/a.c/g>",
                "priority high CPUbound </Code/a.c/h>",
                "threshold CPUbound 0.2",
            ]),
            read(&[
                "priority high CPUbound </Code/a.c/f>",
                "priority high CPUbound </Code/a.c/g>",
                "prune * /Machine",
                "threshold CPUbound 0.1",
            ]),
        ];
        let text = combine(&sets, combination).expect("no maps").to_string();
        let said = |line: &str| {
            line.split("  #")
                .next()
                .unwrap_or_default()
                .replace(",/Machine,/Process,/SyncObject", "")
        };
        text.lines().skip(1).map(said).collect()
    }

    #[test]
    fn the_intersection_is_what_all_say() {
        assert_eq!(
            combined(Combination::Intersection),
            ["threshold CPUbound  0.1", "priority  high  CPUbound  </Code/a.c/f>",]
        );
    }

    #[test]
    fn the_union_is_what_any_says() {
        assert_eq!(
            combined(Combination::Union),
            [
                "prune     *  /Machine",
                "threshold CPUbound  0.1",
                "priority  high  CPUbound  </Code/a.c/f>",
                "priority  high  CPUbound  </Code/a.c/g>",
                "priority  high  CPUbound  </Code/a.c/h>",
            ]
        );
    }

    #[test]
    fn of_two_holds_the_longer_is_safe_for_both() {
        let said = |first: &str, second: &str, how| {
            let first: Vec<&str> = first.lines().collect();
            let second: Vec<&str> = second.lines().collect();
            let all = combine(&[read(&first), read(&second)], how).expect("no maps").to_string();
            all.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
        };
        for how in [Combination::Intersection, Combination::Union] {
            assert_eq!(said("hold 500 ms", "hold 2 s", how), ["hold      2 s  # said by 2 of 2"]);
        }
        let lone = "hold 500 ms\nthreshold CPUbound 0.2";
        let both = "threshold CPUbound  0.2  # said by 2 of 2";
        assert_eq!(said(lone, "threshold CPUbound 0.2", Combination::Intersection), [both]);
        assert_eq!(
            said(lone, "threshold CPUbound 0.2", Combination::Union),
            [both, "hold      500 ms  # said by 1 of 2"]
        );
    }

    fn all(sets: &[&[&str]], how: Combination) -> Directives {
        let sets: Vec<Directives> = sets.iter().map(|lines| read(lines)).collect();
        combine(&sets, how).expect("the maps agree")
    }

    fn plain(directives: &Directives) -> Vec<String> {
        directives.entries.iter().map(|entry| entry.directive.to_string()).collect()
    }

    #[test]
    fn things_of_two_names_are_one_and_maps_that_disagree_are_refused() {
        let old: &[&str] = &["map /Code/a.c /Code/b.c", "priority low CPUbound </Code/a.c/f>"];
        let new: &[&str] = &["priority high CPUbound </Code/b.c/f>"];
        let union = all(&[old, new], Combination::Union);
        DirectivesInForce::new(&union, &Hypotheses::built_in()).expect("it agrees with itself");
        let high = "priority  high  CPUbound  </Code/b.c/f,/Machine,/Process,/SyncObject>";
        assert_eq!(plain(&union), ["map       /Code/a.c  /Code/b.c", high]);
        let same: &[&str] = &["map /Code/a.c /Code/b.c", "priority high CPUbound </Code/a.c/f>"];
        assert_eq!(plain(&all(&[same, new], Combination::Intersection)), [high]);
        let refused = combine(&[read(old), read(&["map /Code/a.c /Code/c.c"])], Combination::Union);
        let mistake = refused.expect_err("one name for two")[0].to_string();
        assert_eq!(mistake, "test:2:1: this contradicts test:2:1");
    }

    #[test]
    fn neither_order_nor_brackets_matter() {
        let sets: [&[&str]; 3] = [
            &["priority high CPUbound </Code/a.c/f>", "prune * /Machine", "threshold CPUbound 0.2"],
            &["priority low CPUbound </Code/a.c/f>", "threshold CPUbound 0.1", "hold 2 s"],
            &["priority high CPUbound </Code/a.c/f>", "prune * /Machine", "threshold CPUbound 0.3"],
        ];
        for how in [Combination::Union, Combination::Intersection] {
            for turned in [[0, 1, 2], [1, 2, 0], [2, 1, 0]] {
                let [one, two, three] = turned.map(|at| read(sets[at]));
                let pair = |one: &Directives, other: &Directives| {
                    combine(&[one.clone(), other.clone()], how).expect("no maps")
                };
                let at_once = plain(&all(&sets, how));
                assert_eq!(plain(&pair(&pair(&one, &two), &three)), at_once);
                assert_eq!(plain(&pair(&one, &pair(&two, &three))), at_once);
            }
        }
    }
}

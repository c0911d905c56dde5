//! What several lessons have in common, or say together.

use std::collections::BTreeMap;

use whyperf_consultant::{Directive, Directives, Level};

/// How lessons are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combination {
    /// Only what all of them say.
    Intersection,
    /// What any of them says; what one calls high and another low is high. Of several thresholds the lowest finds most, and of several
    /// holds the longest is safe for all.
    Union,
}

/// One lesson of many.
#[must_use]
pub fn combine(lessons: &[Directives], combination: Combination) -> Directives {
    let mut said: BTreeMap<(u8, String), Vec<&Directive>> = BTreeMap::new();
    for lesson in lessons {
        for (subject, directive) in subjects(lesson) {
            said.entry(subject).or_default().push(directive);
        }
    }
    let mut combined = Directives::default();
    for directives in said.into_values() {
        let comment = format!("said by {} of {}", directives.len(), lessons.len());
        let is_common = directives.len() == lessons.len();
        let counts = is_common || combination == Combination::Union;
        if let Some(directive) = agreed(&directives, combination).filter(|_| counts) {
            combined.push(directive, Some(comment));
        }
    }
    combined
}

/// What a lesson speaks of, in the order in which files are read best; of repeated directives the last counts.
fn subjects(lesson: &Directives) -> BTreeMap<(u8, String), &Directive> {
    let rank = |directive: &Directive| match directive {
        Directive::Map { .. } => 0,
        Directive::Prune { .. } => 1,
        Directive::Threshold { .. } => 2,
        Directive::Hold(_) => 3,
        Directive::Priority { .. } => 4,
    };
    let directives = lesson.entries.iter().map(|entry| &entry.directive);
    directives.map(|directive| ((rank(directive), directive.subject()), directive)).collect()
}

/// What directives of one subject say together; nothing where they cannot agree.
fn agreed(directives: &[&Directive], combination: Combination) -> Option<Directive> {
    let first = *directives.first()?;
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
        Directive::Hold(_) => {
            let times = directives.iter().filter_map(|one| match one {
                Directive::Hold(time) => Some(*time),
                _ => None,
            });
            times.max().map(Directive::Hold)
        }
        _ => directives.iter().all(|one| *one == first).then(|| first.clone()),
    }
}

#[cfg(test)]
mod tests {
    use whyperf_consultant::Hypotheses;

    use super::*;

    fn read(lines: &[&str]) -> Directives {
        let text = format!("whyperf directives 1\n{}\n", lines.join("\n"));
        Directives::parse("test", &text, &Hypotheses::built_in()).expect("well formed")
    }

    fn combined(combination: Combination) -> Vec<String> {
        let lessons = [
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
        let text = combine(&lessons, combination).to_string();
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
            let all = combine(&[read(&first), read(&second)], how).to_string();
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
}

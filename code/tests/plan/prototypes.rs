//! Compares the proofs about the stack with the prototypes of well-known functions.

use crate::assembly::plan_of;
use crate::libraries::{named, open};

/// Functions with arguments on the stack: more than six words, `long double`, or a variable number that is walked.
const STACKED: [(&str, &[&str]); 3] = [
    (
        "libm.so.6",
        &[
            "sinl",
            "cosl",
            "tanl",
            "expl",
            "logl",
            "powl",
            "hypotl",
            "cbrtl",
            "ceill",
            "floorl",
            "roundl",
            "truncl",
            "erfl",
            "fmodl",
            "fabsl",
            "fmal",
            "fmaxl",
            "nextafterl",
            "scalbnl",
            "csinl",
            "cexpl",
        ],
    ),
    (
        "libc.so.6",
        &[
            "printf", "fprintf", "sprintf", "snprintf", "dprintf", "asprintf", "scanf", "sscanf",
            "syslog", "strfmon", "execl", "error",
        ],
    ),
    (
        "libmpi.so.40",
        &[
            "MPI_Sendrecv",
            "MPI_Alltoallv",
            "MPI_Alltoallw",
            "MPI_Allgatherv",
            "MPI_Gather",
            "MPI_Gatherv",
            "MPI_Scatter",
            "MPI_Scatterv",
            "MPI_Accumulate",
            "MPI_Put",
            "MPI_Get",
            "MPI_Type_create_darray",
        ],
    ),
];

/// Functions whose arguments are all in registers, and whose code shows it.
const UNSTACKED: [(&str, &[&str]); 3] = [
    ("libm.so.6", &["cosh", "j0", "lgamma", "erf", "cbrt", "nextafter"]),
    ("libc.so.6", &["qsort", "setenv", "fseek", "strtok_r", "fputs", "getline", "random", "free"]),
    ("libmpi.so.40", &["MPI_Send", "MPI_Bcast", "MPI_Cart_create", "MPI_Wait", "MPI_Barrier"]),
];

/// Words of arguments on the stack of functions that use them all.
const WORDS: [(&str, &[(&str, u8)]); 2] = [
    (
        "libm.so.6",
        &[
            ("sinl", 2),
            ("expl", 2),
            ("powl", 4),
            ("hypotl", 4),
            ("fmodl", 4),
            ("ceill", 2),
            ("truncl", 2),
            ("fabsl", 2),
            ("fmal", 6),
            ("fmaxl", 4),
            ("csinl", 4),
            ("scalbnl", 2),
        ],
    ),
    (
        "libmpi.so.40",
        &[
            ("MPI_Sendrecv", 6),
            ("MPI_Alltoallv", 3),
            ("MPI_Alltoallw", 3),
            ("MPI_Allgatherv", 2),
            ("MPI_Gather", 2),
            ("MPI_Gatherv", 3),
            ("MPI_Scatter", 2),
            ("MPI_Scatterv", 3),
            ("MPI_Accumulate", 3),
            ("MPI_Put", 2),
            ("MPI_Get", 2),
            ("MPI_Type_create_darray", 4),
        ],
    ),
];

#[test]
fn as_many_words_are_copied_as_are_passed() {
    for (library, functions) in WORDS {
        let Some(object) = open(library) else { continue };
        let mut copied = 0;
        for (name, words) in functions.iter().filter(|(name, _)| named(&object, name).is_some()) {
            let Ok(plan) = plan_of(&object, name) else { continue };
            if let Ok(stacked @ 1..) = plan.stacked {
                assert_eq!(stacked, *words, "{library}: {name}");
                copied += 1;
            }
        }
        assert!(copied * 4 >= functions.len() * 3, "{library}: {copied} of {}", functions.len());
    }
}

#[test]
fn stacked_arguments_are_never_missed() {
    for (library, names) in STACKED {
        let Some(object) = open(library) else { continue };
        let there: Vec<_> = names.iter().filter(|name| named(&object, name).is_some()).collect();
        assert!(there.len() * 2 > names.len(), "{library} has most of {names:?}: {there:?}");
        for name in there {
            let stacked = plan_of(&object, name).map(|plan| plan.stacked);
            assert_ne!(stacked, Ok(Ok(0)), "{library}: {name}");
        }
    }
}

#[test]
fn arguments_in_registers_are_proved() {
    for (library, names) in UNSTACKED {
        let Some(object) = open(library) else { continue };
        for name in names.iter().filter(|name| named(&object, name).is_some()) {
            let plan =
                plan_of(&object, name).unwrap_or_else(|why| panic!("{library}: {name}: {why}"));
            assert!(plan.stacked.is_ok(), "{library}: {name}: {:?}", plan.stacked);
        }
    }
}

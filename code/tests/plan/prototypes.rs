//! What is proved of the stack agrees with the prototypes of well-known functions.

use whyperf_code::plan::ThunkForm;

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

#[test]
fn stacked_arguments_are_never_missed() {
    for (library, names) in STACKED {
        let Some(object) = open(library) else { continue };
        let there: Vec<_> = names.iter().filter(|name| named(&object, name).is_some()).collect();
        assert!(there.len() * 2 > names.len(), "{library} has most of {names:?}: {there:?}");
        for name in there {
            let thunk = plan_of(&object, name).map(|plan| plan.thunk);
            assert_ne!(thunk, Ok(ThunkForm::Shift), "{library}: {name}");
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
            assert_eq!(plan.unproved, None, "{library}: {name}");
        }
    }
}

//! The case studies, and the versions of the programs that each compares.

/// Versions of a program whose trials take turns.
#[derive(Debug)]
pub(super) struct CaseStudy {
    pub(super) name: &'static str,
    pub(super) versions: &'static [Version],
}

/// A program as it is run for an experiment.
#[derive(Debug)]
pub(super) struct Version {
    pub(super) experiment: &'static str,
    /// What it is called in all versions.
    pub(super) application: &'static str,
    /// Below the folder of the programs.
    pub(super) program: &'static str,
    pub(super) launch: Launch,
    /// What is done: all versions of an application that get the same must find the same.
    pub(super) work: &'static [&'static str],
}

/// By what a program is started, with how many processes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Launch {
    Alone,
    OpenMpi(u32),
    Mpich(u32),
}

impl Launch {
    pub(super) fn words(self) -> Vec<String> {
        let (words, ranks): (&[&str], u32) = match self {
            Self::Alone => return Vec::new(),
            Self::OpenMpi(ranks) => {
                (&["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"], ranks)
            }
            Self::Mpich(ranks) => (&["mpirun.mpich"], ranks),
        };
        let number = ["-n".to_owned(), ranks.to_string()];
        words.iter().map(|word| (*word).to_owned()).chain(number).collect()
    }
}

impl CaseStudy {
    pub(super) const ALL: [Self; 4] = [
        Self { name: "port", versions: &PORT },
        Self { name: "port, crowded", versions: &CROWDED },
        Self { name: "tuning", versions: &TUNING },
        Self { name: "scaling", versions: &SCALING },
    ];
}

/// A basin of that many cells on each side, and that many steps.
const BASIN: &[&str] = &["512", "800"];
/// The same for processes that are more than the processors.
const CROWDED_BASIN: &[&str] = &["512", "100"];
/// Two threads, residues, and steps.
const CHAIN: &[&str] = &["2", "4000", "100"];

const fn ocean(experiment: &'static str, program: &'static str, launch: Launch) -> Version {
    Version { experiment, application: "ocean", program, launch, work: BASIN }
}

const fn crowded(experiment: &'static str, program: &'static str, launch: Launch) -> Version {
    Version { experiment, application: "ocean", program, launch, work: CROWDED_BASIN }
}

const fn fold(experiment: &'static str, program: &'static str) -> Version {
    Version { experiment, application: "fold", program, launch: Launch::Alone, work: CHAIN }
}

/// What changes from one to the next is first the source, then the library.
const PORT: [Version; 3] = [
    ocean("port/strips", "openmpi/sc97/strips", Launch::OpenMpi(2)),
    ocean("port/rows", "openmpi/sc97/ocean", Launch::OpenMpi(2)),
    ocean("port/mpich", "mpich/sc97/ocean", Launch::Mpich(2)),
];

const CROWDED: [Version; 2] = [
    crowded("crowded/openmpi", "openmpi/sc97/ocean", Launch::OpenMpi(4)),
    crowded("crowded/mpich", "mpich/sc97/ocean", Launch::Mpich(4)),
];

const TUNING: [Version; 3] = [
    fold("tuning/1", "openmpi/sc97/fold_1"),
    fold("tuning/2", "openmpi/sc97/fold_2"),
    fold("tuning/3", "openmpi/sc97/fold_3"),
];

const SCALING: [Version; 4] = [
    ocean("scaling/2", "openmpi/sc97/ocean", Launch::OpenMpi(2)),
    ocean("scaling/4", "openmpi/sc97/ocean", Launch::OpenMpi(4)),
    ocean("scaling/8", "openmpi/sc97/ocean", Launch::OpenMpi(8)),
    ocean("scaling/16", "openmpi/sc97/ocean", Launch::OpenMpi(16)),
];

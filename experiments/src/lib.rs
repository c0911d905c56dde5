//! Stores runs as experiments, and learns from finished ones.
//!
//! ```text
//!   application ──► experiment ──► run ──┬── facts        settings and environment
//!   (what it is)    (what is varied)     ├── resources    what existed, from when to when
//!                                        ├── verdicts     each question of the search, its answer, its price
//!                                        ├── steps        the log of the search
//!                                        ├── histograms   every measured pair over time
//!                                        ├── profile      callpaths, calls and times
//!                                        ├── messages     by sender and receiver, over time
//!                                        ├── report       as it was made at the end
//!                                        └── record       all of it over time, for another search: a diagnosis is a run, too
//! ```
//!
//! A run is written while it goes on, some seconds at a time and each time as a whole, so that a crash of anything loses
//! seconds and never an earlier run. Only [`Recorder::finish`] calls it complete.
//!
//! This crate knows no live process; what it stores comes in plain values.
#![forbid(unsafe_code)]

mod asked_totals;
mod bins;
mod callpath_numbers;
mod comparison;
mod copying;
mod database;
mod diagnosis;
mod error;
mod exchange;
mod foreign_bytes;
mod foreign_profile;
mod function_calls;
mod history;
mod import_recorder;
mod imported_part;
mod instant;
mod learned;
mod machine_file;
mod message_series;
mod migrations;
mod numbered_thread;
mod packed_thread;
mod profile_names;
mod profile_tables;
mod program_event;
mod query;
mod record;
mod recorder;
mod reduction;
mod replay;
mod run;
mod run_results;
mod run_series;
mod running_sums;
mod safe_recorder;
mod sampled_shares;
mod scaling;
mod selector;
mod simulated;
mod store;
mod trace;
mod varint;

pub use comparison::{
    ComparedConclusion, ComparedMetric, ComparedPart, ComparedRun, ComparedWall, Comparison,
    ComparisonSettings, Conclusions, ExplainedPart, JointStructure, MetricRole, MovedConclusion,
    Operand, OperandOutline, RankedDifference, RunPart, StructuralDifference, WallVerdict, compare,
};
pub use copying::{CopiedRuns, CopyProgress};
pub use database::AddressError;
pub use diagnosis::{Diagnosis, Extent};
pub use error::StoreError;
pub use exchange::{
    ExchangeError, ExportedRun, ExportedTables, ForeignFormat, ForeignSource, ImportError,
    ImportedProfile, StackWeight, TableFormat, TauFolder, WantedTrial, caliper_json,
    caliper_records, callgrind, chrome_trace, collapsed_stacks, cube, darshan, gprof, hpctoolkit,
    import_threads, markup_escaped, mpip, packed_profile, perf_script, pprof_profile, speedscope,
    tau_files, taudb, whyperf_report,
};
pub use foreign_bytes::ForeignBytes;
pub use foreign_profile::{
    ForeignMetric, ForeignProfile, ForeignThread, Timer, TimerValue, UserEvent,
};
pub use history::{Fact, History, ResourceSpan};
pub use import_recorder::ImportRecorder;
pub use learned::{
    CodeStructure, Combination, EarlierRun, Ground, Mapped, MatchEvidence, NextRun, Required,
    Wanted, aligned, combine, extract, extract_with, map, renamed_for_program,
};
pub use machine_file::{Figure, FigureSource, MachineFile, MachineFileError, figures};
pub use message_series::{MessageSeries, MessageSeriesError};
pub use profile_tables::ProfileTables;
pub use program_event::{
    Cluster, Delta, Difference, DifferenceTree, DiscreteDistance, EventGroup, Explanation, Outlook,
    PairedResult, PerformanceResults, ProgramEvent, RunLabel, SampledAmount, Scope, StatedResults,
    StatedResultsError, StatedResultsProblem, Trials, alike_results, cluster, euclidean, list,
    performance_difference, weighted_mean,
};
pub use query::{
    Answers, Comparator, Field, FocusPattern, Query, QueryAggregation, QueryError, QueryRow,
    QuerySource, RunCondition,
};
pub use record::{Record, RecordError};
pub use recorder::{Ending, Progress, Recorder};
pub use reduction::{
    FilterError, FilterFile, FilterFormat, FilterProblem, FunctionSums, ReductionRules, RuleError,
    RuleProblem,
};
pub use replay::Replay;
pub use run::{
    CLASSIC_VERDICT, Edge, Measurement, NewRun, ObjectRow, Phase, RunId, StepRow, StoredProfileRow,
    StoredReport, StoredVerdict, Summary, Topic,
};
pub use run_results::RunResults;
pub use safe_recorder::{SafeRecorder, WrittenRun};
pub use scaling::{
    GrowthModel, GrowthTerm, ModelledTime, Prediction, ScaledRuns, Scaling, ScalingFactors,
    ScalingSettings, WorkPerRun,
};
pub use selector::Selector;
pub use simulated::SimulatedRun;
pub use store::{Access, Store};
pub use trace::{
    MEASURED, MISSING, RankEvents, TextTraceError, TimedEvent, Timeline, TraceAbout, TraceError,
    TraceFile, TraceWriter, clock_steps, export_chrome, export_goal, export_otf2, import,
    import_dumpi, import_otf2, trace_of, write_event, write_head,
};

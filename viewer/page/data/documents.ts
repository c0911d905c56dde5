// The documents that the page is fed with, as docs/viewer.md describes them.

export interface Progress {
  state: 'searching' | 'paused' | 'over'
  elapsed_s: number
  exit_status: number | null
  measured: number | null
  waiting: number | null
  cost: number | null
}

export interface Parent {
  number: number
  axis: string
}

export interface Question {
  phase: number | null
  number: number
  hypothesis: string
  focus: string
  truth: 'true' | 'false' | 'unknown'
  value: number | null
  threshold: number
  confidence: number
  asked: number
  /** Nanoseconds since the beginning of the run. */
  found: number | null
  cost: number
  origin: string
  split: string | null
  parents: Parent[]
}

export interface Hypothesis {
  name: string
  parent: string | null
  numerator: string
  denominator: string
  same_focus: boolean
  operator: string
  threshold: number
  unit: string
  factor: number
  meaning: string
  advice: string
}

export interface Metric {
  name: string
  unit: string
  is_level: boolean
  meaning: string
}

export interface Cause {
  state: string
  by: string
  focus: string
  pattern: string | null
  share: number
}

export interface Bottleneck {
  hypothesis: string
  focus: string
  value: number
  plus_minus: number | null
  threshold: number
  from_s: number
  to_s: number
  happened: { from_s: number; to_s: number; value: number }[]
  found_s: number
  leaf: boolean
  source: string | null
  origin: string
  split: string
  causes: Cause[]
}

export type Shares = Record<string, number>

export interface Efficiency {
  parallel: number
  load_balance: number
  communication: number
  input_output: number
}

export interface Report {
  processes: number
  threads: number
  hosts: number
  processors: number
  efficiency: Efficiency | null
  cost: { limit: number; mean: number; max: number; compensated_s: number | null }
  losses: { nodes: number; objects: number }
  search: { pairs_tested: number; pairs_true: number; pairs_unknown: number }
  bottlenecks: Bottleneck[]
  hot_code: { function: string; share: number; plus_minus: number }[]
  time: Shares | null
  time_by_process: { process: string; time: Shares }[]
  not_sampled: number
  unmeasured: { program: string; processes: number; cpu_s: number; reason: string }[]
  refusals: { function: string; reason: string }[]
  undecided: { hypothesis: string; focus: string; value: number; threshold: number; reason: string }[]
  phases: { name: string; begin_s: number; end_s: number; efficiency: Efficiency | null; bottlenecks: Bottleneck[] }[]
  notes?: string[]
}

export interface Phase {
  number: number
  name: string
  begin_s: number
  end_s: number
}

export interface Resource {
  name: string
  appeared_s: number
  retired_s: number | null
}

export interface LogLine {
  time_s: number
  text: string
}

export interface Run {
  format: string
  version: number
  as_of: number
  run: string | null
  diagnosis_of: string | null
  application: string
  experiment: string
  trial: string
  started: string
  command: string[]
  tags: string[]
  is_complete: boolean
  progress: Progress
  takes_commands: boolean
  report: Report | null
  facts: { topic: string; name: string; value: string }[]
  objects: { name: string; build_id: string | null; compiler: string | null }[]
  directives: string[]
  resources: Resource[]
  phases: Phase[]
  log: LogLine[]
  pairs: [string, string][]
  hypotheses: Hypothesis[]
  metrics: Metric[]
}

export interface Graph {
  version: number
  as_of: number
  questions: Question[]
}

export interface Series {
  metric: string
  focus: string
  width_s: number
  from: number
  /** By bin: null where nothing was measured. */
  amounts: (number | null)[]
  /** By bin the share that was measured; empty where that is all. */
  covered: number[]
}

export interface Callpath {
  process: number | null
  thread: number | null
  path: number[]
  calls: number
  inclusive_s: number
  exclusive_s: number
  sent: number
  received: number
  source: number | null
  coverage: number | null
}

export interface Messages {
  job: number
  from: number | null
  to: number | null
  calls: number
  bytes: number
  waiting_s: number
  sending_s: number
}

export interface Profile {
  version: number
  names: string[]
  rows: Callpath[]
  is_summed: boolean
  messages: Messages[] | null
}

export interface Change {
  as_of: number
  progress: Progress
  questions: Question[]
  log: LogLine[]
  phases: Phase[]
  resources: Resource[]
  pairs: [string, string][]
  report: Report | null
  profile: number
  run: string | null
}

/** A run in a report file. */
export interface RunInFile {
  run: Run
  graph: Graph
  profile: Profile
  series: Series[]
}

/** What may be asked of a run that goes on. */
export type Command =
  | { do: 'pause' }
  | { do: 'resume' }
  | { do: 'phase'; name?: string }
  | { do: 'threshold'; hypothesis: string; value: string }
  | { do: 'measure'; metric: string; focus: string }

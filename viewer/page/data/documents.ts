// The documents that the page is fed with, as docs/viewer.md describes them. What the server answers is generated from its own description,
// `viewer/openapi.json`; the report inside a run is that of `--json`.

import type { components } from './api'

type Schemas = components['schemas']

export type Progress = Schemas['Progress']
export type Parent = Schemas['Parent']
export type Question = Omit<Schemas['Question'], 'truth'> & { truth: 'true' | 'false' | 'unknown' }
export type Hypothesis = Schemas['Hypothesis']
export type Metric = Schemas['Metric']
export type Phase = Schemas['Phase']
export type Resource = Schemas['Resource']
export type LogLine = Schemas['LogLine']
export type Run = Omit<Schemas['Run'], 'report'> & { report: Report | null }
export type Graph = Omit<Schemas['Graph'], 'questions'> & { questions: Question[] }
export type Series = Schemas['Series']
export type Callpath = Schemas['Callpath']
export type Messages = Schemas['Messages']
export type Profile = Schemas['Profile']
export type Stream = Schemas['Stream']
export type StreamPicture = Schemas['StreamPicture']
export type StreamAttribute = Schemas['StreamAttribute']
export type Change = Omit<Schemas['Change'], 'report' | 'questions'> & { report: Report | null; questions: Question[] }

/** What may be asked of a run that goes on. */
export type Command = Schemas['Command']

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

/** Where ranks may run. */
export interface Placement {
  ranks: number
  processors: number
  ranks_per_processor: number
  /** By the processors that ranks may run on. */
  bindings: { ranks: number[]; processors: number[] }[]
}

export interface Report {
  /** One sentence; runs of old have none. */
  answer?: string
  processes: number
  threads: number
  hosts: number
  processors: number
  /** Of several ranks on one machine. */
  placement?: Placement | null
  efficiency: Efficiency | null
  /** Null of a run that another tool measured. */
  cost: Cost | null
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
  /** As the report prints them; runs of old have none. */
  findings?: Finding[]
}

/** The parts are missing in runs of old. */
export interface Cost {
  limit: number
  mean: number
  max: number
  compensated_s: number | null
  total?: number
  events?: number
  at_rest?: number
  pauses?: number
  analysis?: number
  sampling?: number
  start_s?: number
  end_s?: number
}

/** One fact of the run in words, and the bottleneck that stands for it. */
export interface Finding {
  title: string
  about: string
  advice: string
  hypothesis: string
  focus: string
}

/** A run in a report file. */
export interface RunInFile {
  run: Run
  graph: Graph
  profile: Profile
  series: Series[]
  streams: Stream[]
}

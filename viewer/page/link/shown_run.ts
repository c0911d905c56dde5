// A run as the views see it: its documents, kept up to date by its source.

import type { Bottleneck, Change, Command, Graph, Hypothesis, Metric, Profile, Question, Run, Series, Stream } from '../data/documents'
import { after, folded, joined } from '../data/series'
import { joinedStream } from '../data/streams'
import type { Source } from '../data/source'
import { QuestionGraph } from '../data/tree'
import { Shared } from './linked'

export class ShownRun {
  /** Counts changes: a view that looks at it is drawn anew with each. */
  readonly changes = new Shared(0)
  readonly isLost = new Shared(false)
  private readonly hypotheses = new Map<string, Hypothesis>()
  private readonly metrics = new Map<string, Metric>()
  private readonly questions = new Map<string, Question>()
  private readonly graphs = new Map<number, QuestionGraph>()
  private readonly series = new Map<string, Series | null>()
  /** Streams beside the run, as far as they were fetched. */
  readonly streams: Stream[] = []
  private readonly fetching = new Set<number>()
  private readonly pending = new Map<string, Promise<Series | null>>()

  private constructor(
    readonly number: number,
    readonly source: Source,
    public run: Run,
    graph: Graph,
    public profile: Profile,
  ) {
    run.hypotheses.forEach((row) => this.hypotheses.set(row.name, row))
    run.metrics.forEach((row) => this.metrics.set(row.name, row))
    this.take(graph.questions)
    this.fetchStreams()
  }

  static async open(number: number, source: Source): Promise<ShownRun> {
    const [run, graph, profile] = await Promise.all([source.run(), source.graph(), source.profile()])
    const shown = new ShownRun(number, source, run, graph, profile)
    if (run.progress.state !== 'over') {
      source.watch(Math.min(run.as_of, graph.as_of), (change) => shown.apply(change), (isLost) => shown.isLost.set(isLost))
    }
    return shown
  }

  get elapsed(): number {
    return Math.max(this.run.progress.elapsed_s, 1e-3)
  }

  /** Whether it is known how long it took: of one that another tool measured it may not be. */
  get hasLength(): boolean {
    return this.isLive || this.run.progress.elapsed_s > 0
  }

  /** What it was measured by, of one that another tool measured. */
  get importedFrom(): string | undefined {
    return this.run.facts.find((fact) => fact.name === 'imported from')?.value
  }

  get isLive(): boolean {
    return this.run.progress.state !== 'over'
  }

  hypothesis = (name: string) => this.hypotheses.get(name)
  metric = (name: string) => this.metrics.get(name)

  /** The graph of the search over the whole run (0), or over a phase. */
  graph(phase: number): QuestionGraph {
    let graph = this.graphs.get(phase)
    if (!graph) {
      graph = new QuestionGraph([...this.questions.values()].filter((one) => (one.phase ?? 0) === phase))
      this.graphs.set(phase, graph)
    }
    return graph
  }

  question(phase: number, number: number): Question | undefined {
    return this.graph(phase).byNumber.get(number)
  }

  /** What the report says of a question. */
  finding(question: Question): Bottleneck | undefined {
    const { report } = this.run
    const found = question.phase ? report?.phases[question.phase - 1]?.bottlenecks : report?.bottlenecks
    return found?.find((one) => one.hypothesis === question.hypothesis && one.focus === question.focus)
  }

  /** The processes of the run, by number where they are numbers. */
  processes(): string[] {
    const names = this.run.resources.map((one) => /^\/Process\/([^/]+)$/.exec(one.name)?.[1])
    return names.filter((name) => name !== undefined).sort((one, other) => Number(one) - Number(other) || one.localeCompare(other))
  }

  /** A series as it is known; it is fetched where it is not, and more of it while the run goes on. */
  known(metric: string, focus: string): Series | null | undefined {
    return this.series.get(`${metric} ${focus}`)
  }

  async fetch(metric: string, focus: string): Promise<Series | null> {
    const key = `${metric} ${focus}`
    const known = this.series.get(key)
    if (known !== undefined && !this.isLive) return known
    let pending = this.pending.get(key)
    if (!pending) {
      const wasLive = this.isLive
      pending = this.grown(metric, focus, known ?? null).then((all) => {
        // What was asked for while the run went on lacks its end.
        if (wasLive && !this.isLive) return this.grown(metric, focus, null)
        return all
      }).then((all) => {
        this.series.set(key, all)
        return all
      })
      this.pending.set(key, pending)
      // Whether it comes or not, it is asked for again next time.
      const over = () => void this.pending.delete(key)
      pending.then(over, over)
    }
    return pending
  }

  /** A series with what is new of it. Where a fold made the bins wider, what is known folds as well, and the rest is asked for. */
  private async grown(metric: string, focus: string, known: Series | null): Promise<Series | null> {
    for (;;) {
      const news = await this.source.series(metric, focus, known ? after(known) : 0)
      const isAs = known && news ? Math.round(Math.log2(news.width_s / known.width_s)) : 0
      if (isAs === 0) return news && joined(known, news)
      known = isAs > 0 ? folded(known!, news!.width_s) : null
    }
  }

  /** Fetches what is new of each stream of which lines came. */
  private fetchStreams() {
    this.run.streams.forEach((lines, number) => {
      if (this.fetching.has(number) || this.seen[number] === lines) return
      this.fetching.add(number)
      const known = this.streams[number]
      const taken = this.source.stream(number, known?.records ?? 0).then(async (news) => {
        if (!news) return
        // A stream that was thinned is to be had anew.
        const isThinned = known && known.every !== news.every
        this.streams[number] = isThinned ? ((await this.source.stream(number, 0)) ?? news) : joinedStream(known, news)
        this.seen[number] = lines
        this.changes.set(this.changes.get() + 1)
      })
      const over = () => void this.fetching.delete(number)
      taken.then(over, over)
    })
  }

  private readonly seen: number[] = []

  command = (command: Command) => this.source.command(command)

  private apply(change: Change) {
    const { run } = this
    // What was fetched while the run went on lacks its end, and the store may know more.
    if (change.progress.state === 'over' && this.isLive) this.series.clear()
    this.run = {
      ...run,
      as_of: change.as_of,
      progress: change.progress,
      run: change.run ?? run.run,
      report: change.report ?? run.report,
      log: change.log.length > 0 ? [...run.log, ...change.log] : run.log,
      streams: change.streams,
      phases: merged(run.phases, change.phases, (one) => one.number),
      resources: merged(run.resources, change.resources, (one) => one.name),
      hypotheses: change.hypotheses.length > 0 ? change.hypotheses : run.hypotheses,
      directives: change.directives.length > 0 ? [...run.directives, ...change.directives] : run.directives,
      pairs: change.pairs.length > 0 ? [...run.pairs, ...change.pairs] : run.pairs,
    }
    change.hypotheses.forEach((row) => this.hypotheses.set(row.name, row))
    this.take(change.questions)
    this.fetchStreams()
    if (change.profile !== this.profile.version) {
      const take = (profile: Profile) => {
        this.profile = profile
        this.changes.set(this.changes.get() + 1)
      }
      // A server that is gone is told by its stream.
      this.source.profile().then(take, () => {})
    }
    this.changes.set(this.changes.get() + 1)
  }

  private take(questions: Question[]) {
    for (const one of questions) {
      this.questions.set(`${one.phase ?? 0} ${one.number}`, one)
      this.graphs.delete(one.phase ?? 0)
    }
  }
}

function merged<T, K>(known: T[], news: T[], key: (one: T) => K): T[] {
  if (news.length === 0) return known
  const all = new Map(known.map((one) => [key(one), one]))
  news.forEach((one) => all.set(key(one), one))
  return [...all.values()]
}

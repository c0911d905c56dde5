// The view of facts: efficiencies, what was found, what measuring cost and had to leave out, notes, surroundings, the log.

import type { Bottleneck, Efficiency } from '../data/documents'
import { shown as focusShown } from '../data/focus'
import { ofHypothesis, percent, seconds } from '../data/format'
import { leftOut } from '../data/left_out'
import { placed } from '../data/placement'
import { Figures, Sheet } from '../draw/sheet'
import { Table } from '../draw/table'
import { useKept } from '../link/kept'
import { linked, useShared } from '../link/linked'
import { open } from '../link/open'
import type { ShownRun } from '../link/shown_run'
import { Cost } from './time'
import { Findings, WholeCost } from './told'

export function Facts({ shown }: { shown: ShownRun }) {
  useShared(shown.changes)
  const { report } = shown.run
  return (
    <section data-view="facts" class="facts-view" aria-label="Facts">
      {report ? <Told shown={shown} /> : <Unreported shown={shown} />}
      <Cost shown={shown} />
      <Hypotheses shown={shown} />
      <Surroundings shown={shown} />
      <Log shown={shown} />
    </section>
  )
}

/** Why there is no report, and what there is. */
function Unreported({ shown }: { shown: ShownRun }) {
  if (shown.isLive) return <p class="empty">The report is made at the end of the run.</p>
  if (shown.importedFrom) return <p class="empty">Another tool measured this run, so it was not searched: what is known of it stands in the view of places, and <code>whyperf diagnose RUN</code> asks what that tells.</p>
  return <p class="empty">Its end was not seen, or an older whyperf stored it: there is no report of this run.</p>
}

function Told({ shown }: { shown: ShownRun }) {
  const report = shown.run.report!
  const { losses, search } = report
  // Of a run that was only gone through again it is not known what was lost.
  const isMeasured = shown.run.diagnosis_of === null
  const figures: [string, string | null][] = [
    ['processes', String(report.processes)],
    ['threads', String(report.threads)],
    ['hosts', report.hosts > 0 ? String(report.hosts) : null],
    ['processors', report.processors > 0 ? String(report.processors) : null],
    ['placement', report.placement ? placed(report.placement) : null],
    ['questions asked', String(search.pairs_tested)],
    ['of these true', String(search.pairs_true)],
    ['undecided', String(search.pairs_unknown)],
    ['callpaths lost', isMeasured ? String(losses.nodes) : null],
    ['objects lost', isMeasured ? String(losses.objects) : null],
    ['computing without samples', isMeasured ? percent(report.not_sampled) : null],
  ]
  return (
    <>
      <Findings shown={shown} />
      {report.efficiency && <Efficiencies of={report.efficiency} title="Efficiency of the ranks" />}
      <WholeCost report={report} elapsed={shown.elapsed} />
      <Found shown={shown} phase={0} found={report.bottlenecks} title="What is true, and where" length={shown.elapsed} />
      {report.phases.map((phase, at) => (
        <div key={phase.name} class="phase">
          <h2>Phase {phase.name}, {phase.begin_s.toFixed(2)} s to {phase.end_s.toFixed(2)} s</h2>
          {phase.efficiency && <Efficiencies of={phase.efficiency} title={`Efficiency in phase ${phase.name}`} />}
          <Found shown={shown} phase={at + 1} found={phase.bottlenecks} title={`True in phase ${phase.name}`} length={phase.end_s - phase.begin_s} />
        </div>
      ))}
      <Figures title="In figures" of={figures} />
      {(report.notes ?? []).length > 0 && (
        <Sheet title="What to know" class="notes" table={() => [['note'], ...report.notes!.map((note) => [note])]}>
          <ul>{report.notes!.map((note) => <li key={note}>{note}</li>)}</ul>
        </Sheet>
      )}
      <HotCode shown={shown} />
      <Undecided shown={shown} />
      <NotMeasured shown={shown} />
    </>
  )
}

const EFFICIENCIES: [keyof Efficiency, string, string][] = [
  ['parallel', 'parallel efficiency', 'the mean computing of all ranks, by the whole time'],
  ['load_balance', 'load balance', 'the mean computing of all ranks, by that of the busiest'],
  ['communication', 'communication', 'what the busiest rank computes, by its time without input and output'],
  ['input_output', 'input and output', 'the share of time that is not spent on files'],
]

function Efficiencies({ of, title }: { of: Efficiency; title: string }) {
  return (
    <Sheet title={title} note="one is best; the first is the product of the others" table={() => [['efficiency', 'share'], ...EFFICIENCIES.map(([name, words]) => [words, of[name]])]}>
      <div class="efficiencies">
        {EFFICIENCIES.map(([name, words, meaning]) => (
          <div key={name} title={meaning} class={`efficiency ${of[name] >= 0.8 ? 'good' : of[name] >= 0.6 ? 'fair' : 'poor'}`} data-efficiency={name}>
            <span class="words">{words}</span>
            <span class="number">{percent(of[name])}</span>
            <span class="bar"><i style={{ width: `${Math.min(100 * of[name], 100)}%` }} /></span>
          </div>
        ))}
      </div>
    </Sheet>
  )
}

/** From this share on a value is that of nearly all of the time. */
const NEARLY_ALL = 0.9

/** The seconds that a value is of, where that is clearly less than all. */
function seenFor(one: Bottleneck, length: number): number | null {
  const seen = one.to_s - one.from_s
  return seen < NEARLY_ALL * length ? seen : null
}

interface Told {
  shown: ShownRun
  /** Of which search: 0 is the one over the whole run. */
  phase: number
  found: Bottleneck[]
  title: string
  length: number
}

function Found({ shown, phase, found, title, length }: Told) {
  if (found.length === 0) return <p class="empty">{title}: nothing.</p>
  const isEstimated = found.some((one) => one.plus_minus !== null)
  const isPartial = found.some((one) => seenFor(one, length) !== null)
  const value = (one: Bottleneck, number: number) => ofHypothesis(number, shown.hypothesis(one.hypothesis))
  return (
    <Table
      title={title}
      note={leftOut(found, shown.graph(phase).byNumber.values())}
      rows={found}
      keyOf={(one) => `${one.hypothesis} ${one.focus}`}
      onSelect={(one) => open(shown, one.hypothesis, one.focus)}
      columns={[
        { name: 'bottleneck', value: (one) => one.hypothesis, shown: (one) => <b>{one.hypothesis}</b> },
        { name: 'where', value: (one) => one.focus, shown: (one) => <span class="focus">{focusShown(one.focus)}</span>, isLong: true },
        { name: 'value', value: (one) => one.value, shown: (one) => value(one, one.value), isBar: true },
        ...(isEstimated ? [{ name: '±', value: (one: Bottleneck) => one.plus_minus, shown: (one: Bottleneck) => value(one, one.plus_minus!) }] : []),
        { name: 'threshold', value: (one) => one.threshold, shown: (one) => value(one, one.threshold) },
        ...(isPartial ? [{ name: 'seen for', value: (one: Bottleneck) => seenFor(one, length), shown: (one: Bottleneck) => `${seconds(one.to_s - one.from_s)}, ${percent((one.to_s - one.from_s) / length, 0)}` }] : []),
        { name: 'found', value: (one) => one.found_s, shown: (one) => seconds(one.found_s) },
        { name: 'source', value: (one) => one.source },
      ]}
    />
  )
}

function HotCode({ shown }: { shown: ShownRun }) {
  const rows = shown.run.report?.hot_code ?? []
  if (rows.length === 0) return null
  return (
    <Table
      title="Hot code"
      note="functions in whose own code threads compute, by stack samples"
      rows={rows}
      keyOf={(row) => row.function}
      columns={[
        { name: 'function', value: (row) => row.function },
        { name: 'share', value: (row) => row.share, shown: (row) => percent(row.share), isBar: true },
        { name: '±', value: (row) => row.plus_minus, shown: (row) => percent(row.plus_minus) },
      ]}
    />
  )
}

function Undecided({ shown }: { shown: ShownRun }) {
  const rows = shown.run.report?.undecided ?? []
  if (rows.length === 0) return null
  return (
    <Table
      title="May well be true, and stayed undecided"
      rows={rows}
      keyOf={(row) => `${row.hypothesis} ${row.focus}`}
      onSelect={(row) => open(shown, row.hypothesis, row.focus)}
      columns={[
        { name: 'hypothesis', value: (row) => row.hypothesis },
        { name: 'where', value: (row) => row.focus, shown: (row) => <span class="focus">{focusShown(row.focus)}</span> },
        { name: 'value', value: (row) => row.value, shown: (row) => ofHypothesis(row.value, shown.hypothesis(row.hypothesis)) },
        { name: 'threshold', value: (row) => row.threshold, shown: (row) => ofHypothesis(row.threshold, shown.hypothesis(row.hypothesis)) },
        { name: 'why', value: (row) => row.reason },
      ]}
    />
  )
}

function NotMeasured({ shown }: { shown: ShownRun }) {
  const { unmeasured = [], refusals = [] } = shown.run.report ?? {}
  const rows = [
    ...unmeasured.map(({ program, processes, reason }) => ({ what: `${program} (${processes === 1 ? 'a process' : `${processes} processes`})`, reason })),
    ...refusals.map((row) => ({ what: row.function, reason: row.reason })),
  ]
  if (rows.length === 0) return null
  return <Table title="Not measured" rows={rows} keyOf={(row) => row.what + row.reason} columns={[{ name: 'what', value: (row) => row.what }, { name: 'why', value: (row) => row.reason }]} />
}

/** What may be true, and from which value on it is. */
function Hypotheses({ shown }: { shown: ShownRun }) {
  // Of one that was never asked it is not known whether it is true anywhere.
  const counts = new Map<string, number>()
  for (const one of shown.graph(0).byNumber.values()) {
    if (one.asked > 0) counts.set(one.hypothesis, (counts.get(one.hypothesis) ?? 0) + Number(one.truth === 'true'))
  }
  return (
    <Table
      title="Hypotheses"
      rows={shown.run.hypotheses}
      keyOf={(row) => row.name}
      columns={[
        { name: 'hypothesis', value: (row) => row.name, shown: (row) => <b data-hypothesis-row={row.name}>{row.name}</b> },
        { name: 'more precise than', value: (row) => row.parent },
        { name: 'true', value: (row) => counts.get(row.name) ?? null },
        { name: 'threshold', value: (row) => row.threshold, shown: (row) => `${row.operator} ${ofHypothesis(row.threshold, row)}` },
        { name: 'meaning', value: (row) => row.meaning, isLong: true },
      ]}
    />
  )
}

function Surroundings({ shown }: { shown: ShownRun }) {
  const { facts, objects, directives } = shown.run
  return (
    <>
      <Table
        title="Settings and environment"
        rows={facts.filter((fact) => fact.value !== '')}
        keyOf={(fact) => `${fact.topic} ${fact.name}`}
        columns={[{ name: 'topic', value: (fact) => fact.topic }, { name: 'name', value: (fact) => fact.name }, { name: 'value', value: (fact) => fact.value, isLong: true }]}
      />
      {directives.length > 0 && <Table title="Directives" rows={directives.map((text, at) => ({ text, at }))} keyOf={({ at }) => String(at)} columns={[{ name: 'directive', value: ({ text }) => text }]} />}
      {objects.length > 0 && (
        <Table
          title="Programs and libraries"
          rows={objects}
          keyOf={(one) => one.name}
          columns={[{ name: 'file', value: (one) => one.name, isLong: true }, { name: 'build id', value: (one) => one.build_id, shown: (one) => <code title={one.build_id ?? ''}>{one.build_id?.slice(0, 12)}</code> }, { name: 'compiler', value: (one) => one.compiler, isLong: true }]}
        />
      )}
    </>
  )
}

/** Lines of the log that lie in the part of the run that is shown. */
function Log({ shown }: { shown: ShownRun }) {
  const { range } = useShared(linked)
  const [text, setText] = useKept('facts.log', '')
  const wanted = text.trim().toLowerCase()
  const lines = shown.run.log.filter((line) => (!range || (line.time_s >= range[0] && line.time_s <= range[1])) && line.text.toLowerCase().includes(wanted))
  if (shown.run.log.length === 0) return null
  return (
    <>
      <div class="filters"><input type="search" placeholder="filter the log" aria-label="Filter the log" value={text} onInput={(event) => setText(event.currentTarget.value)} /></div>
      <Table
        title="Log of the search"
        note={range ? 'in the part of the run that is shown' : undefined}
        rows={lines.map((line, at) => ({ ...line, at }))}
        keyOf={({ at }) => String(at)}
        columns={[{ name: 'when', value: (line) => line.time_s, shown: (line) => `${line.time_s.toFixed(3)} s` }, { name: 'what', value: (line) => line.text }]}
      />
    </>
  )
}

// The view of facts: efficiencies, what was found, what measuring cost and had to leave out, notes, surroundings, the log.

import { useState } from 'preact/hooks'
import type { Bottleneck, Efficiency } from '../data/documents'
import { shown as focusShown } from '../data/focus'
import { ofHypothesis, percent, seconds } from '../data/format'
import { Table } from '../draw/table'
import { linked, useShared } from '../link/linked'
import { open } from '../link/open'
import type { ShownRun } from '../link/shown_run'
import { Cost } from './time'

export function Facts({ shown }: { shown: ShownRun }) {
  useShared(shown.changes)
  const { report } = shown.run
  return (
    <section data-view="facts" class="facts-view" aria-label="Facts">
      {report ? <Told shown={shown} /> : <p class="empty">{shown.isLive ? 'The report is made at the end of the run.' : 'Its end was not seen, or an older whyperf stored it: there is no report of this run.'}</p>}
      <Cost shown={shown} />
      <Hypotheses shown={shown} />
      <Surroundings shown={shown} />
      <Log shown={shown} />
    </section>
  )
}

function Told({ shown }: { shown: ShownRun }) {
  const report = shown.run.report!
  const { cost, losses, search } = report
  const figures: [string, string][] = [
    ['processes', String(report.processes)],
    ['threads', String(report.threads)],
    ['hosts', String(report.hosts)],
    ['processors', report.processors > 0 ? String(report.processors) : 'not known'],
    ['cost, mean', percent(cost.mean)],
    ['cost, at most in a second', percent(cost.max)],
    ['its limit', percent(cost.limit)],
    ['questions asked', String(search.pairs_tested)],
    ['of these true', String(search.pairs_true)],
    ['undecided', String(search.pairs_unknown)],
    ['callpaths lost', String(losses.nodes)],
    ['objects lost', String(losses.objects)],
    ['computing without samples', percent(report.not_sampled)],
  ]
  return (
    <>
      {report.efficiency && <Efficiencies of={report.efficiency} />}
      <Found shown={shown} found={report.bottlenecks} title="What was found" />
      {report.phases.map((phase) => (
        <div key={phase.name} class="phase">
          <h2>Phase {phase.name}, {phase.begin_s.toFixed(2)} s to {phase.end_s.toFixed(2)} s</h2>
          {phase.efficiency && <Efficiencies of={phase.efficiency} />}
          <Found shown={shown} found={phase.bottlenecks} title={`Found in phase ${phase.name}`} />
        </div>
      ))}
      <figure class="figure">
        <figcaption><h3>In figures</h3></figcaption>
        <dl class="facts">{figures.map(([name, words]) => <div key={name}><dt>{name}</dt><dd>{words}</dd></div>)}</dl>
      </figure>
      {(report.notes ?? []).length > 0 && (
        <figure class="figure notes">
          <figcaption><h3>What to know</h3></figcaption>
          <ul>{report.notes!.map((note) => <li key={note}>{note}</li>)}</ul>
        </figure>
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

function Efficiencies({ of }: { of: Efficiency }) {
  return (
    <figure class="figure">
      <figcaption><h3>Efficiency of the ranks</h3><span class="note">one is best; the first is the product of the others</span></figcaption>
      <div class="efficiencies">
        {EFFICIENCIES.map(([name, words, meaning]) => (
          <div key={name} title={meaning} class={`efficiency ${of[name] >= 0.8 ? 'good' : of[name] >= 0.6 ? 'fair' : 'poor'}`} data-efficiency={name}>
            <span class="words">{words}</span>
            <span class="number">{percent(of[name])}</span>
            <span class="bar"><i style={{ width: `${Math.min(100 * of[name], 100)}%` }} /></span>
          </div>
        ))}
      </div>
    </figure>
  )
}

function Found({ shown, found, title }: { shown: ShownRun; found: Bottleneck[]; title: string }) {
  if (found.length === 0) return <p class="empty">{title}: nothing.</p>
  const value = (one: Bottleneck, number: number) => ofHypothesis(number, shown.hypothesis(one.hypothesis))
  return (
    <Table
      title={title}
      rows={found}
      keyOf={(one) => `${one.hypothesis} ${one.focus}`}
      onSelect={(one) => open(shown, one.hypothesis, one.focus)}
      columns={[
        { name: 'bottleneck', value: (one) => one.hypothesis, shown: (one) => <b>{one.hypothesis}</b> },
        { name: 'where', value: (one) => one.focus, shown: (one) => <span class="focus">{focusShown(one.focus)}</span>, isLong: true },
        { name: 'value', value: (one) => one.value, shown: (one) => value(one, one.value), isBar: true },
        { name: '±', value: (one) => one.plus_minus, shown: (one) => (one.plus_minus === null ? '' : value(one, one.plus_minus)) },
        { name: 'threshold', value: (one) => one.threshold, shown: (one) => value(one, one.threshold) },
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
  const counts = new Map<string, number>()
  for (const one of shown.graph(0).byNumber.values()) if (one.truth === 'true') counts.set(one.hypothesis, (counts.get(one.hypothesis) ?? 0) + 1)
  return (
    <Table
      title="Hypotheses"
      rows={shown.run.hypotheses}
      keyOf={(row) => row.name}
      columns={[
        { name: 'hypothesis', value: (row) => row.name, shown: (row) => <b data-hypothesis-row={row.name}>{row.name}</b> },
        { name: 'more precise than', value: (row) => row.parent },
        { name: 'true', value: (row) => counts.get(row.name) ?? 0 },
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
  const [text, setText] = useState('')
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

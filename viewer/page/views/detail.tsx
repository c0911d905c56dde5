// Why a question is what it is: its value over time against the threshold, how sure, what it cost, what to try.

import { useMemo } from 'preact/hooks'
import type { Finding, Question } from '../data/documents'
import { WHOLE, parts, processesOf, shown as focusShown, withPart } from '../data/focus'
import { ofHypothesis, percent, seconds } from '../data/format'
import { aligned } from '../data/series'
import { stateOf } from '../data/tree'
import { Figure } from '../draw/figure'
import { limitColour, lineColour, stateWords } from '../draw/palette'
import { Plot } from '../draw/plot'
import { plotSvg } from '../draw/plot_svg'
import { Table } from '../draw/table'
import { VerdictIcon } from '../draw/verdict'
import { span } from '../link/axis'
import { link, linked, useShared } from '../link/linked'
import { open } from '../link/open'
import type { ShownRun } from '../link/shown_run'
import { useSeries } from '../link/use_series'
import { Directions } from './directions'

export function Detail({ runs }: { runs: ShownRun[] }) {
  const { selected } = useShared(linked)
  const run = selected?.kind === 'question' ? runs[selected.run] : runs[0]
  if (!run) return null
  return <Selected key={run.number} shown={run} />
}

function Selected({ shown }: { shown: ShownRun }) {
  useShared(shown.changes)
  const { selected } = useShared(linked)
  const question = selected?.kind === 'question' ? shown.question(selected.phase, selected.number) : undefined
  return (
    <aside class="detail" aria-label="Selection" aria-live="polite">
      {question ? <Why {...{ shown, question }} /> : selected?.kind === 'focus' ? <Focus {...{ shown }} focus={selected.focus} /> : <Nothing shown={shown} />}
    </aside>
  )
}

/** What a reader is to see first: why the program is slow, and what to try. */
function Nothing({ shown }: { shown: ShownRun }) {
  const { findings = [], bottlenecks = [] } = shown.run.report ?? {}
  return (
    <>
      {findings.length > 0 ? <Found {...{ shown, findings }} /> : <h2>Nothing is selected</h2>}
      {findings.length === 0 && bottlenecks.length > 0 && <Leading shown={shown} />}
      <p class="note">Choose a question, a resource or a process in any view: every view follows. Drag across a picture over time to look closer, and double-click to see all again.</p>
    </>
  )
}

/** The findings of the report, in its order. */
function Found({ shown, findings }: { shown: ShownRun; findings: Finding[] }) {
  return (
    <>
      <h2>{findings.length === 1 ? 'The finding' : 'The findings'}</h2>
      <ol class="leading">
        {findings.slice(0, 6).map((one, at) => (
          <li key={one.title + one.focus}>
            <button type="button" class="plain" onClick={() => open(shown, one.hypothesis, one.focus)}>{one.title}</button>
            {at === 0 && one.about && <p>{one.about}</p>}
            {at === 0 && <p class="advice">{one.advice}</p>}
          </li>
        ))}
      </ol>
    </>
  )
}

/** Of a run whose report has none in words. */
function Leading({ shown }: { shown: ShownRun }) {
  const leaves = (shown.run.report?.bottlenecks ?? []).filter((one, at) => one.leaf || at === 0).slice(0, 6)
  return (
    <>
      <h3>What leads, and what is most specific</h3>
      <ul class="leading">
        {leaves.map((one) => (
          <li key={one.hypothesis + one.focus}>
            <button type="button" class="plain" onClick={() => open(shown, one.hypothesis, one.focus)}>
              <span class="line"><b>{one.hypothesis}</b> <span class="value">{ofHypothesis(one.value, shown.hypothesis(one.hypothesis))}</span></span>
              <span class="focus">{focusShown(one.focus)}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}

function Focus({ shown, focus }: { shown: ShownRun; focus: string }) {
  return (
    <>
      <h2>{focusShown(focus)}</h2>
      <Parts focus={focus} />
      <Directions {...{ shown, focus }} />
    </>
  )
}

/** The parts of a focus, each of which can be chosen alone. */
function Parts({ focus }: { focus: string }) {
  const named = parts(focus)
  return (
    <p class="parts">
      {named.map((part) => (
        <button type="button" key={part} class="chip" onClick={() => link({ selected: { kind: 'focus', focus: withPart(WHOLE, part) } })}>{part}</button>
      ))}
      {named.length === 0 && <span class="note">the whole program</span>}
    </p>
  )
}

function Why({ shown, question }: { shown: ShownRun; question: Question }) {
  const row = shown.hypothesis(question.hypothesis)
  const finding = shown.finding(question)
  const value = finding?.value ?? question.value
  const facts: [string, string | null | undefined][] = [
    ['value', `${ofHypothesis(value, row)}${finding?.plus_minus ? ` ± ${ofHypothesis(finding.plus_minus, row)}` : ''}`],
    ['threshold', `${row?.operator ?? '>'} ${ofHypothesis(question.threshold, row)}`],
    ['confidence', question.confidence > 0 ? percent(question.confidence, 2) : null],
    ['found at', question.found === null ? null : seconds(question.found / 1e9)],
    ['asked', question.asked === 0 ? 'not yet' : question.asked === 1 ? 'once' : `${question.asked} times`],
    ['its cost', question.cost > 0 ? percent(question.cost, 2) : 'nothing of its own'],
    ['origin', question.origin],
    ['source', finding?.source],
    ['processes', question.split],
  ]
  return (
    <>
      <h2><VerdictIcon state={stateOf(question)} /> {question.hypothesis}</h2>
      <Parts focus={question.focus} />
      {row && <p>{row.meaning}</p>}
      {row && stateOf(question) === 'true' && <p class="advice">{row.advice}</p>}
      <dl class="facts">
        {facts.filter(([, words]) => words).map(([name, words]) => (
          <div key={name}><dt>{name}</dt><dd>{words}</dd></div>
        ))}
      </dl>
      <Directions {...{ shown, question }} focus={question.focus} />
      <OverTime {...{ shown, question }} />
      {finding && finding.happened.length > 0 && (
        <p>It happened {finding.happened.map((one) => (
          <button type="button" class="chip" key={one.from_s} onClick={() => link({ range: [one.from_s, one.to_s] })}>
            from {one.from_s.toFixed(1)} to {one.to_s.toFixed(1)} s: {ofHypothesis(one.value, row)}
          </button>
        ))}</p>
      )}
      {finding && finding.causes.length > 0 && (
        <Table
          title="Because of whom"
          rows={finding.causes}
          keyOf={(cause) => cause.focus + cause.state + cause.by}
          onSelect={(cause) => link({ selected: { kind: 'focus', focus: cause.focus } })}
          columns={[
            { name: 'share', value: (cause) => cause.share, shown: (cause) => percent(cause.share) },
            { name: 'who', value: (cause) => (cause.by === 'processors' ? 'too few processors' : cause.focus), isLong: true, shown: (cause) => <span class="focus">{cause.by === 'processors' ? 'too few processors' : focusShown(cause.focus)}</span> },
            { name: 'does', value: (cause) => `${stateWords(cause.state)}${cause.pattern ? `, ${cause.pattern}` : ''}` },
          ]}
        />
      )}
    </>
  )
}

function OverTime({ shown, question }: { shown: ShownRun; question: Question }) {
  const { range } = useShared(linked)
  const row = shown.hypothesis(question.hypothesis)
  const base = row?.same_focus ? question.focus : processesOf(question.focus)
  const [above, below] = useSeries(shown, row ? [[row.numerator, question.focus], [row.denominator, base]] : [])
  const drawn = useMemo(() => {
    if (!row || !above || !below) return null
    const { times, rates } = aligned([above, below])
    const values = rates[0]!.map((value, at) => {
      const whole = rates[1]![at]
      return value === null || !whole ? null : (value / whole) * (row.unit === '%' ? 1 : shown.metric(row.denominator)?.is_level ? 1 : row.factor)
    })
    return { times, values }
  }, [above, below, row])
  if (!row || above === undefined || below === undefined) return <p class="note">…</p>
  if (!drawn) return <p class="note">Its value over time was not kept.</p>
  const layers = [
    { label: question.hypothesis, colour: lineColour(0), values: drawn.values },
    { label: 'threshold', colour: limitColour(), values: drawn.times.map(() => question.threshold), isDashed: true },
  ]
  const format = (value: number, step?: number) => ofHypothesis(value, row, step)
  const plot = { times: drawn.times, layers, range: span(range), format, label: `${question.hypothesis} over time, against its threshold`, least: question.threshold * (row.unit === '%' ? 1.2 : 1.5) }
  return (
    <Figure title="Value over time" svg={() => plotSvg(plot)} table={() => [['time_s', 'value'], ...drawn.times.map((time, at) => [time, drawn.values[at] ?? null])]}>
      <Plot {...plot} height={150} />
      <p class="note">{row.numerator} by {row.denominator}</p>
    </Figure>
  )
}

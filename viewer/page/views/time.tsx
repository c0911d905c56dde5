// The view over time: how time is spent, any metric at any focus, processes as a heat map, and what measuring costs.

import { useMemo, useState } from 'preact/hooks'
import type { Metric, Series } from '../data/documents'
import { WHOLE, processOf, processesOf, shown as focusShown, withPart } from '../data/focus'
import { axis, level, percentOnAxis, rate, rateUnit } from '../data/format'
import { aligned, costShares, times } from '../data/series'
import { Figure } from '../draw/figure'
import { HeatMap, heatSvg } from '../draw/heat_map'
import { DIVISION, limitColour, lineColour, useColour, useWords } from '../draw/palette'
import { type Mark, Plot } from '../draw/plot'
import { belowEachOther, plotSvg } from '../draw/plot_svg'
import { span } from '../link/axis'
import { useKept } from '../link/kept'
import { link, linked, useShared } from '../link/linked'
import { marksOf } from '../link/marks'
import type { ShownRun } from '../link/shown_run'
import { useFocus } from '../link/use_focus'
import { useSeries } from '../link/use_series'
import { ProcessUses } from './process_uses'

export function Time({ shown }: { shown: ShownRun }) {
  useShared(shown.changes)
  const { metric } = useShared(linked)
  const focus = useFocus(shown)
  return (
    <section data-view="time" class="time" aria-label="Time">
      <Choice {...{ shown, focus, metric }} />
      <Curves {...{ shown, focus, metric }} />
      <Division {...{ shown }} focus={processesOf(focus)} />
      <Processes {...{ shown, focus, metric }} />
      <ProcessUses shown={shown} />
      <Cost shown={shown} />
    </section>
  )
}

interface Asked {
  shown: ShownRun
  focus: string
  metric: string
}

function Choice({ shown, focus, metric }: Asked) {
  const { pairs } = useShared(linked)
  const rest = pairs.filter(([name, where]) => name !== metric || where !== focus)
  return (
    <div class="filters" role="group" aria-label="What is shown over time">
      <label>Metric{' '}
        <select value={metric} onChange={(event) => link({ metric: event.currentTarget.value })}>
          {shown.run.metrics.map((one) => <option key={one.name} value={one.name} title={one.meaning}>{one.name}</option>)}
        </select>
      </label>
      <span>at <span class="focus">{focusShown(focus)}</span></span>
      {focus !== WHOLE && <button type="button" onClick={() => link({ selected: null })}>Whole program</button>}
      <button type="button" onClick={() => link({ pairs: [...rest, [metric, focus]] })}>Keep beside</button>
      {pairs.map(([name, where]) => (
        <button type="button" class="chip" key={`${name} ${where}`} title="Take away" onClick={() => link({ pairs: pairs.filter((one) => one[0] !== name || one[1] !== where) })}>
          {name} at {focusShown(where)} ✕
        </button>
      ))}
      {shown.run.pairs.length > 0 && <Known shown={shown} />}
    </div>
  )
}

/** Pairs that the run has over time, to choose from. */
function Known({ shown }: { shown: ShownRun }) {
  const { pairs } = shown.run
  // Hundreds of names are not written again with each frame of a zoom.
  return useMemo(() => (
    <label>Known pairs{' '}
      <select
        value=""
        onChange={(event) => {
          const pair = pairs[Number(event.currentTarget.value)]
          if (pair) link({ metric: pair[0], selected: { kind: 'focus', focus: pair[1] } })
        }}
      >
        <option value="">{pairs.length} pairs</option>
        {pairs.slice(0, 500).map(([name, focus], at) => <option key={`${name} ${focus}`} value={at}>{name} {focusShown(focus)}</option>)}
      </select>
    </label>
  ), [pairs])
}

/** The chosen pair, and those that are kept beside it. */
function Curves({ shown, focus, metric }: Asked) {
  const { range, pairs, theme } = useShared(linked)
  const all = useMemo(() => [[metric, focus] as [string, string], ...pairs.filter(([name, where]) => name !== metric || where !== focus)], [metric, focus, pairs])
  const series = useSeries(shown, all)
  const row = shown.metric(metric)
  const drawn = useMemo(() => curves(all, series), [series, all, theme])
  const marks = useMemo(() => marksOf(shown), [shown.run])
  const [wanted, setLayout] = useKept('time.layout', 'lines')
  const kinds = new Set(all.map(([name]) => kindOf(shown.metric(name))))
  // Values of two kinds have no axis in common.
  const layout = kinds.size > 1 ? 'beside' : drawn && drawn.layers.length > 1 ? wanted : 'lines'
  const format = (value: number, step?: number) => rate(value, row, step)
  const title = all.length === 1 ? `${metric} over time` : 'Pairs over time'
  if (!drawn) return <Missing {...{ title, shown }} isKnown={series.every((one) => one !== undefined)} pair={[metric, focus]} />
  const plot = { ...drawn, isStacked: layout === 'stacked', range: span(range), format, label: title, shows: `curves ${metric} ${layout}`, marks }
  const each = drawn.layers.map((layer, at) => {
    const own = shown.metric(drawn.pairs[at]![0])
    return { ...plot, isStacked: false, layers: [layer], label: layer.label, shows: `curve ${drawn.numbers[at]} ${metric}`, format: (value: number, step?: number) => rate(value, own, step), axis: (value: number, step: number) => axis(value, own, step) }
  })
  return (
    <Figure
      title={title}
      note={`${all.length === 1 && row ? `${row.meaning}, ` : ''}${layout === 'beside' ? '' : `in ${rateUnit(row)}`}`}
      svg={() => (layout === 'beside' ? belowEachOther(each.map(plotSvg)) : plotSvg(plot))}
      table={() => [['time_s', ...drawn.layers.map((layer) => layer.label)], ...drawn.times.map((time, at) => [time, ...drawn.layers.map((layer) => layer.values[at] ?? null)])]}
    >
      {drawn.layers.length > 1 && <Layout {...{ layout, setLayout }} number={shown.number} isOne={kinds.size > 1} />}
      {layout !== 'beside' && <Plot {...plot} axis={(value, step) => axis(value, row, step)} height={200} />}
      {layout === 'beside' && (
        <div class="grid beside">
          {each.map((one) => <div key={one.label}><span class="name">{one.label}</span><Plot {...one} height={150} /></div>)}
        </div>
      )}
      <Marks of={marks} />
      {drawn.layers.length > 1 && layout !== 'beside' && <Keys of={drawn.layers} />}
    </Figure>
  )
}

const LAYOUTS: [string, string][] = [['lines', 'over each other'], ['stacked', 'stacked'], ['beside', 'side by side']]

/** How several pairs stand to each other. */
function Layout({ layout, setLayout, number, isOne }: { layout: string; setLayout(layout: string): void; number: number; isOne: boolean }) {
  return (
    <div class="filters" role="group" aria-label="How the pairs are drawn">
      {LAYOUTS.map(([name, words]) => (
        <label key={name}><input type="radio" name={`layout-${number}`} checked={layout === name} disabled={isOne && name !== 'beside'} onChange={() => setLayout(name)} /> {words}</label>
      ))}
      {isOne && <span class="note">their values are of several kinds</span>}
    </div>
  )
}

/** What the values of a metric are: those of one kind may stand on one axis. */
const kindOf = (metric: Metric | undefined) => `${metric?.is_level} ${metric?.unit}`

function curves(pairs: [string, string][], series: (Series | null | undefined)[]) {
  const found = series.flatMap((one, at) => (one ? [{ one, pair: pairs[at]!, number: at }] : []))
  if (found.length === 0) return null
  const { times, rates } = aligned(found.map(({ one }) => one))
  const layers = found.map(({ pair, number }, at) => ({
    label: `${pair[0]} at ${focusShown(pair[1])}`,
    colour: lineColour(number),
    values: rates[at]!,
  }))
  return { times, layers, pairs: found.map(({ pair }) => pair), numbers: found.map(({ number }) => number) }
}

/** What is not there is said, and may be asked for while the run goes on. */
function Missing({ title, isKnown, pair, shown }: { title: string; isKnown: boolean; pair: [string, string]; shown: ShownRun }) {
  const [answer, say] = useState('')
  const measure = async () => say((await shown.command({ do: 'measure', metric: pair[0], focus: pair[1] })) ?? 'it is measured from now on')
  return (
    <figure class="figure">
      <figcaption><h3>{title}</h3></figcaption>
      <p class="empty">
        {isKnown ? <>{pair[0]} at <span class="focus">{focusShown(pair[1])}</span> is not known over time here. </> : '…'}
        {isKnown && shown.run.takes_commands && shown.isLive && <button type="button" onClick={() => void measure()}>Measure it</button>}
        {isKnown && !shown.isLive && <More shown={shown} />} {answer}
      </p>
    </figure>
  )
}

/** Where more is to be had of a run that is over. */
function More({ shown }: { shown: ShownRun }) {
  if (shown.source.isFile) return <>Where the run is stored, <code>whyperf view</code> reads it out of the record.</>
  return <>It was not measured, and what is stored of the run does not tell it.</>
}

/** What the marks on the axis mean, as far as there are some. */
function Marks({ of }: { of: Mark[] }) {
  const has = (kind: Mark['kind']) => of.some((mark) => mark.kind === kind)
  return (
    <p class="legend marks">
      {has('verdict') && <span>▼ a question was answered with true</span>}
      {has('switch') && <span>▲ functions are asked about</span>}
      {has('phase') && <span>┆ a phase begins</span>}
    </p>
  )
}

function Keys({ of }: { of: { label: string; colour: string }[] }) {
  return <p class="legend">{of.map(({ label, colour }) => <span key={label}><i style={{ background: colour }} />{label}</span>)}</p>
}

/** All threads of the focus's processes, by what they did. */
function Division({ shown, focus }: { shown: ShownRun; focus: string }) {
  const { range, theme } = useShared(linked)
  const asked = useMemo((): [string, string][] => [['wall', focus], ...DIVISION.map(([metric]): [string, string] => [metric, focus])], [focus])
  const series = useSeries(shown, asked)
  const drawn = useMemo(() => division(series), [series, theme])
  const marks = useMemo(() => marksOf(shown), [shown.run])
  const title = 'How time was spent'
  if (!drawn) return <Missing {...{ title, shown }} isKnown={series.every((one) => one !== undefined)} pair={['wall', focus]} />
  const format = level
  const plot = { ...drawn, isStacked: true, range: span(range), format, label: title, shows: 'division', marks }
  return (
    <Figure
      title={title}
      note={<>threads of <span class="focus">{focusShown(focus)}</span></>}
      svg={() => plotSvg(plot)}
      table={() => [['time_s', ...drawn.layers.map((layer) => layer.label)], ...drawn.times.map((time, at) => [time, ...drawn.layers.map((layer) => layer.values[at] ?? null)])]}
    >
      <Plot {...plot} height={180} />
      <Keys of={drawn.layers} />
    </Figure>
  )
}

function division(series: (Series | null | undefined)[]) {
  const [wall, ...others] = series
  if (!wall) return null
  const found = others.flatMap((one, at) => (one ? [{ one, kind: DIVISION[at]! }] : []))
  const { times, rates } = aligned([wall, ...found.map(({ one }) => one)])
  const layers = found.map(({ kind: [, use, words] }, at) => ({ label: words, colour: useColour(use), values: rates[at + 1]! }))
  // What is none of these: idle threads, set-up, and what is not known.
  const rest = rates[0]!.map((value, at) =>
    value === null ? null : Math.max(0, value - layers.reduce((sum, layer) => sum + (layer.values[at] ?? 0), 0)),
  )
  return { times, layers: [...layers, { label: useWords('rest'), colour: useColour('rest'), values: rest }] }
}

/** More rows than this are no picture. */
const MOST_PROCESSES = 1024

/** The metric of each process, a row for each. */
function Processes({ shown, focus, metric }: Asked) {
  const { range } = useShared(linked)
  const processes = useMemo(() => shown.processes().slice(0, MOST_PROCESSES), [shown.run.resources])
  const pairs = useMemo(() => processes.map((name): [string, string] => [metric, withPart(WHOLE, `/Process/${name}`)]), [processes, metric])
  const series = useSeries(shown, pairs)
  const rows = useMemo(() => processes.map((name, at) => ({ name, series: series[at] })), [processes, series])
  if (processes.length < 2) return null
  const title = `${metric} by process`
  if (series.every((one) => one === null)) return <Missing {...{ title, shown }} isKnown pair={[metric, pairs[0]![1]]} />
  const row = shown.metric(metric)
  const shownSpan = span(range)
  return (
    <Figure title={title} note="a row for each process; drag to look closer" svg={() => heatSvg(rows, shownSpan, `processes ${metric}`, (value) => rate(value, row))} table={() => table(rows)}>
      <HeatMap
        rows={rows}
        range={shownSpan}
        selected={processOf(focus)}
        onSelect={(name) => link({ selected: { kind: 'focus', focus: withPart(WHOLE, `/Process/${name}`) } })}
        format={(value) => rate(value, row)}
        shows={`processes ${metric}`}
      />
    </Figure>
  )
}

function table(rows: { name: string; series: Series | null | undefined }[]) {
  const known = rows.flatMap(({ name, series }) => (series ? [{ name, series }] : []))
  const { times, rates } = aligned(known.map(({ series }) => series))
  return [['time_s', ...known.map(({ name }) => `process ${name}`)], ...times.map((time, at) => [time, ...rates.map((values) => values[at] ?? null)])]
}

const COST: [string, string][] = [['observed_cost', WHOLE]]

/** What measuring took, against its limit. */
export function Cost({ shown }: { shown: ShownRun }) {
  const { range } = useShared(linked)
  const [cost] = useSeries(shown, COST)
  const drawn = useMemo(() => (cost ? { times: times(cost), values: costShares(cost) } : null), [cost])
  if (!drawn) return null
  const limit = shown.run.report?.cost?.limit ?? Number(shown.run.facts.find((fact) => fact.name === 'cost-limit')?.value ?? 0.05)
  const layers = [
    { label: 'cost of measuring', colour: lineColour(3), values: drawn.values },
    { label: 'limit', colour: limitColour(), values: drawn.times.map(() => limit), isDashed: true },
  ]
  const plot = { times: drawn.times, layers, range: span(range), format: percentOnAxis, least: limit * 1.15, label: 'Cost of measuring over time, against its limit', shows: 'cost' }
  return (
    <Figure title="Cost of measuring" note="as a share of the time of the process that paid most, and its limit" svg={() => plotSvg(plot)} table={() => [['time_s', 'cost'], ...drawn.times.map((time, at) => [time, drawn.values[at] ?? null])]}>
      <Plot {...plot} height={110} />
    </Figure>
  )
}

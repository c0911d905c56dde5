// How each process spends its time over time: a strip of stacked areas for each, on the axis that all share.

import { useMemo, useRef } from 'preact/hooks'
import type { Series } from '../data/documents'
import { WHOLE, processOf, withPart } from '../data/focus'
import { percent } from '../data/format'
import { Parts, mean } from '../data/series'
import { Figure } from '../draw/figure'
import { LEFT, RIGHT } from '../draw/margins'
import { DIVISION, useColour } from '../draw/palette'
import { type Item, type Scene, sceneSvg, ticks } from '../draw/scene'
import { type Corner, SceneView } from '../draw/scene_view'
import { span } from '../link/axis'
import { link, linked, useShared } from '../link/linked'
import type { ShownRun } from '../link/shown_run'
import { useFocus } from '../link/use_focus'
import { useSeries } from '../link/use_series'

/** Of more processes the first ones are measured so. */
const MOST = 64
const METRICS = ['wall', ...DIVISION.map(([metric]) => metric)]
const BOTTOM = 24
/** Columns of a strip: narrower ones are not told apart. */
const COLUMN = 3

export function ProcessUses({ shown }: { shown: ShownRun }) {
  const { range } = useShared(linked)
  const focus = useFocus(shown)
  const processes = useMemo(() => shown.processes().slice(0, MOST), [shown.run.resources])
  const pairs = useMemo(() => processes.flatMap((name) => METRICS.map((metric): [string, string] => [metric, withPart(WHOLE, `/Process/${name}`)])), [processes])
  const series = useSeries(shown, pairs)
  const [from, to] = span(range)
  const shares = useRef(new Float32Array(0))
  const chosen = processOf(focus)
  // Shares are of all time: where that is not known nothing is.
  if (processes.length < 2 || processes.every((_, row) => !series[row * METRICS.length])) return null
  const high = Math.min(34, Math.max(8, Math.floor(460 / processes.length)))
  const make = (width: number): Scene => {
    const frame = { x: LEFT, y: 0, w: Math.max(width - LEFT - RIGHT, 40), h: processes.length * high }
    const items: Item[] = []
    const columns = Math.max(1, Math.floor(frame.w / COLUMN))
    const colours = DIVISION.map(([, use]) => useColour(use))
    const each = columns * colours.length
    // The same memory with each frame.
    if (shares.current.length !== processes.length * each) shares.current = new Float32Array(processes.length * each)
    processes.forEach((name, row) => {
      if (high >= 11 || row % 2 === 0) items.push({ kind: 'word', text: name, x: LEFT - 8, y: row * high + high / 2 + 4, align: 'right', isStrong: name === chosen })
      const own = shares.current.subarray(row * each, (row + 1) * each)
      divide(series.slice(row * METRICS.length, (row + 1) * METRICS.length), [from, to], columns, own)
      items.push({ kind: 'strip', x: frame.x, y: row * high + 1, w: frame.w, h: high - 2, columns, colours, shares: own, record: row })
    })
    for (const time of ticks(from, to, Math.max(2, frame.w / 110))) items.push({ kind: 'word', text: `${time} s`, x: frame.x + ((time - from) / (to - from)) * frame.w, y: frame.h + 16, align: 'center' })
    return { width, height: frame.h + BOTTOM, frame, items }
  }
  const share = (row: number, use: number) => {
    const [wall, part] = [series[row * METRICS.length], series[row * METRICS.length + 1 + use]]
    const all = wall && mean(wall, from, to)
    return all && part ? (mean(part, from, to) ?? 0) / all : null
  }
  const title = 'How each process spends its time over time'
  return (
    <Figure
      title={title}
      note={processes.length === MOST ? `the first ${MOST} processes` : 'a strip for each process'}
      svg={() => sceneSvg(make(800), title)}
      table={() => [['process', ...DIVISION.map(([, , words]) => words)], ...processes.map((name, row) => [name, ...DIVISION.map((_, use) => share(row, use))])]}
    >
      <SceneView
        make={make}
        like={[processes, series, from, to, chosen]}
        label={title}
        hint="in the part of the run that is shown"
        say={(row) => `process ${processes[row]}: ${DIVISION.map(([, , words], use) => [words, share(row, use)] as const).filter(([, part]) => part !== null && part > 0.001).map(([words, part]) => `${words} ${percent(part!)}`).join(', ')}`}
        onDrag={({ frame }, one: Corner, other: Corner) => {
          const time = (x: number) => from + Math.min(Math.max((x - frame.x) / frame.w, 0), 1) * (to - from)
          const [begin, end] = [time(Math.min(one[0], other[0])), time(Math.max(one[0], other[0]))]
          if (end > begin) link({ range: [begin, end] })
        }}
        onClear={() => link({ range: null })}
        onPick={(row) => link({ selected: { kind: 'focus', focus: withPart(WHOLE, `/Process/${processes[row]}`) } })}
        isOverTime
      />
    </Figure>
  )
}

/** The share of each use in each column of a strip; NaN where nothing was measured. */
function divide([wall, ...uses]: (Series | null | undefined)[], range: [number, number], columns: number, shares: Float32Array) {
  shares.fill(NaN)
  if (!wall) return
  const [all, part] = [new Float64Array(columns), new Float64Array(columns)]
  const parts = new Parts(wall, range, columns)
  parts.means(wall, all)
  uses.forEach((one, use) => {
    if (!one) return
    const own = parts.fits(one) ? parts : new Parts(one, range, columns)
    own.means(one, part)
    for (let at = 0; at < columns; at++) shares[at * uses.length + use] = all[at]! > 0 ? Math.min(part[at]! / all[at]!, 1) : NaN
  })
}

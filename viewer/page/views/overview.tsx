// The whole run in a strip: how its time was spent, and which part of it all other views show.

import { useMemo, useRef, useState } from 'preact/hooks'
import { WHOLE } from '../data/focus'
import { seconds } from '../data/format'
import { aligned } from '../data/series'
import { DIVISION, useColour } from '../draw/palette'
import { stacked } from '../draw/plot'
import { length } from '../link/axis'
import { link, linked, useShared } from '../link/linked'
import type { ShownRun } from '../link/shown_run'
import { moveRange } from '../link/range_keys'
import { useSeries } from '../link/use_series'

const [WIDE, HIGH] = [1000, 44]
const SPENT: [string, string][] = [['wall', WHOLE], ...DIVISION.map(([metric]): [string, string] => [metric, WHOLE])]

export function Overview({ runs }: { runs: ShownRun[] }) {
  // The first is the only one that may go on.
  useShared(runs[0]!.changes)
  return (
    <section class="overview" aria-label="The whole run">
      {runs.map((shown) => <Strip key={shown.number} shown={shown} length={length()} />)}
      <Chosen length={length()} isKnown={runs.some((shown) => shown.hasLength)} />
    </section>
  )
}

function Chosen({ length, isKnown }: { length: number; isKnown: boolean }) {
  const { range } = useShared(linked)
  const [from, to] = range ?? [0, length]
  return (
    <p class="chosen">
      <span aria-live="polite">{range ? `${from.toFixed(2)} s to ${to.toFixed(2)} s of ${seconds(length)}` : isKnown ? `all of ${seconds(length)}` : 'how long it took is not known'}</span>
      {range && <button type="button" onClick={() => link({ range: null })}>All of it</button>}
      <span class="legend">
        {DIVISION.map(([metric, use, words]) => <span key={metric}><i style={{ background: useColour(use) }} />{words}</span>)}
      </span>
    </p>
  )
}

function Strip({ shown, length }: { shown: ShownRun; length: number }) {
  useShared(shown.changes)
  const { range } = useShared(linked)
  const frame = useRef<HTMLDivElement>(null)
  const [brush, setBrush] = useState<[number, number] | null>(null)
  const series = useSeries(shown, SPENT)
  const known = series.every((one) => one !== undefined)
  const areas = useMemo(() => {
    const found = series.slice(1).flatMap((one, at) => (one ? [{ one, use: DIVISION[at]![1] }] : []))
    const wall = series[0]
    if (!wall || found.length === 0) return []
    const { times, rates } = aligned([wall, ...found.map(({ one }) => one)])
    const most = Math.max(1e-9, ...rates[0]!.map((value) => value ?? 0))
    const sums = stacked(rates.slice(1))
    return sums.map((values, at) => ({ path: area(times, values, sums[at - 1], most, length), colour: useColour(found[at]!.use) })).reverse()
  }, [series, length])
  const time = (event: PointerEvent) => {
    const box = frame.current!.getBoundingClientRect()
    return Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1) * length
  }
  const shownRange = brush ?? range
  return (
    <div
      ref={frame}
      class="strip"
      role="slider"
      tabIndex={0}
      aria-label="Part of the run that is shown; arrow keys move it, plus and minus change its length, 0 shows all"
      aria-valuemin={0}
      aria-valuemax={Number(length.toFixed(3))}
      aria-valuenow={Number((shownRange?.[0] ?? 0).toFixed(3))}
      aria-valuetext={shownRange ? `${shownRange[0].toFixed(2)} to ${shownRange[1].toFixed(2)} s` : 'all of it'}
      onKeyDown={moveRange}
      onPointerDown={(event) => {
        frame.current!.setPointerCapture(event.pointerId)
        setBrush([time(event), time(event)])
      }}
      onPointerMove={(event) => brush && setBrush([brush[0], time(event)])}
      onPointerUp={() => {
        const [from, to] = [...(brush ?? [0, 0])].sort((one, other) => one - other) as [number, number]
        setBrush(null)
        if (to - from > length / 200) link({ range: [from, to] })
      }}
      onDblClick={() => link({ range: null })}
    >
      <svg viewBox={`0 0 ${WIDE} ${HIGH}`} preserveAspectRatio="none" aria-hidden="true">
        {areas.map(({ path, colour }) => <path key={colour} d={path} fill={colour} />)}
        {shown.run.phases.map((phase) => <line key={phase.number} x1={(phase.begin_s / length) * WIDE} x2={(phase.begin_s / length) * WIDE} y1="0" y2={HIGH} class="phase" />)}
      </svg>
      {known && areas.length === 0 && <span class="note">how its time was spent is not known over time</span>}
      {shownRange && <Window range={[Math.min(...shownRange), Math.max(...shownRange)]} length={length} />}
    </div>
  )
}

function Window({ range, length }: { range: [number, number]; length: number }) {
  const [left, right] = range.map((one) => Math.min(Math.max(one / length, 0), 1) * 100) as [number, number]
  return (
    <>
      <i class="veil" style={{ left: 0, width: `${left}%` }} />
      <i class="window" style={{ left: `${left}%`, width: `${right - left}%` }} />
      <i class="veil" style={{ left: `${right}%`, right: 0 }} />
    </>
  )
}

function area(times: number[], values: (number | null)[], below: (number | null)[] | undefined, most: number, length: number): string {
  const x = (at: number) => ((times[at]! / length) * WIDE).toFixed(1)
  const y = (value: number | null | undefined) => (HIGH - ((value ?? 0) / most) * HIGH).toFixed(1)
  const top = values.map((value, at) => `${x(at)} ${y(value)}`)
  const base = values.map((_, at) => `${x(at)} ${y(below?.[at])}`).reverse()
  return top.length === 0 ? '' : `M${top.join('L')}L${base.join('L')}Z`
}

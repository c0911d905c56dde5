// A plot over time: lines or stacked areas, on the axis that all views share.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import { moment } from '../data/format'
import { useCommonMost } from '../link/common_most'
import { link, linked, useShared } from '../link/linked'
import { moveRange } from '../link/range_keys'
import { LEFT, RIGHT } from './margins'
import { ink } from './palette'

export interface Layer {
  label: string
  colour: string
  values: (number | null)[]
  /** Dashed, as a threshold is. */
  isDashed?: boolean
  /** Whether it goes on over what is missing, as between records of several classes. */
  isJoined?: boolean
  /** Whether each value has a point. */
  hasPoints?: boolean
}

export interface Mark {
  at: number
  label: string
  kind: 'phase' | 'verdict' | 'switch'
}

export interface PlotProps {
  times: number[]
  layers: Layer[]
  isStacked?: boolean
  range: [number, number]
  height: number
  marks?: Mark[]
  /** How a value is written; on an axis whose ticks are a step apart, as exact as they. */
  format: (value: number, step?: number) => string
  /** How the axis is written, where that is shorter. */
  axis?: (value: number, step: number) => string
  /** The most that the axis must show. */
  least?: number
  /** What it shows: with pictures of the same, of other runs, it shares the axis of values. */
  shows?: string
  label: string
}

/** How high each layer is drawn: stacked ones stand on those before them. */
export function heights(layers: Layer[], isStacked = false): (number | null)[][] {
  const values = layers.map((layer) => layer.values)
  return isStacked ? stacked(values) : values
}

/** The most that is drawn of a part of the run, with what lies just beside it, as lines lead there. */
export function most(times: number[], values: (number | null)[][], [from, to]: [number, number]): number {
  const after = times.findIndex((time) => time > to)
  const [first, last] = [Math.max(times.findLastIndex((time) => time < from), 0), after < 0 ? times.length - 1 : after]
  let found = 0
  for (const layer of values) for (let at = first; at <= last; at++) found = Math.max(found, layer[at] ?? 0)
  return found
}

/** The end of an axis that must show all of these; one of nothing but zeros has an end, too. */
export function topOf(most: number, least = 0): number {
  const top = Math.max(1.06 * most, least)
  return top > 0 ? top : 1
}

/** Ticks as they are written: as exact as the step between them. */
export const written = (ticks: number[], words: (value: number, step: number) => string) => ticks.map((tick) => words(tick, ticks.length > 1 ? ticks[1]! - ticks[0]! : tick))

/** Sums from below, so that each layer stands on those before it. */
export function stacked(layers: (number | null)[][]): (number | null)[][] {
  const sums: (number | null)[][] = []
  let below: (number | null)[] = []
  for (const values of layers) {
    below = values.map((value, at) => {
      const under = below[at]
      return value === null && (under === null || under === undefined) ? null : (value ?? 0) + (under ?? 0)
    })
    sums.push(below)
  }
  return sums
}

export function Plot({ times, layers, isStacked, range, height, marks, format, axis: short, least, shows, label }: PlotProps) {
  // The colours of the axes are those of the theme.
  const { theme } = useShared(linked)
  const frame = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const values = useMemo(() => heights(layers, isStacked), [layers, isStacked])
  const own = useMemo(() => most(times, values, range), [times, values, range[0], range[1]])
  const top = topOf(useCommonMost(shows, own), least)
  const shown = useRef({ marks, format: short ?? format, range, top, read: null as number | null, told: (_: number | null): string => '' })
  const [said, say] = useState('')
  // A moment and no place in the plot: it stays what it is while data come, and while the plot is drawn of another part of the run.
  const [read, setRead] = useState<number | null>(null)
  const told = (place: number | null) => {
    const time = place === null ? undefined : times[place]
    if (time === undefined) return ''
    const values = layers.map(({ label, values }) => `${layers.length > 1 ? `${label} ` : ''}${values[place!] === null || values[place!] === undefined ? 'not measured' : format(values[place!]!)}`)
    return `${time.toFixed(2)} s: ${values.join(', ')}`
  }
  shown.current = { marks, format: short ?? format, range, top, read, told }
  const data = useMemo(() => {
    // Drawn from the highest down, so that each area is seen above the one it stands on.
    const drawn = isStacked ? [...values].reverse() : values
    return [times, ...drawn] as uPlot.AlignedData
  }, [times, values, isStacked])
  const shape = layers.map((layer) => `${layer.label} ${layer.colour} ${layer.hasPoints}`).join('|') + String(isStacked)

  useEffect(() => {
    const element = frame.current!
    const [soft, faint] = [ink('--ink-soft'), ink('--line')]
    const font = '11px system-ui, sans-serif'
    const ordered = isStacked ? [...layers].reverse() : layers
    const axis = { stroke: soft, grid: { stroke: faint, width: 1 }, ticks: { stroke: faint, width: 1, size: 4 }, font }
    const made = new uPlot(
      {
        width: Math.max(element.clientWidth, 80),
        height,
        padding: [8, RIGHT, 0, 0],
        legend: { show: false },
        cursor: { sync: { key: 'time', setSeries: false }, drag: { x: true, y: false, setScale: false }, points: { show: false } },
        scales: {
          x: { time: false, range: () => shown.current.range },
          y: { range: () => [0, shown.current.top] },
        },
        axes: [
          { ...axis, size: 26, values: (_, ticks) => written(ticks, moment) },
          { ...axis, size: LEFT, values: (_, ticks) => written(ticks, shown.current.format) },
        ],
        series: [
          {},
          ...ordered.map((layer) => ({
            label: layer.label,
            stroke: layer.colour,
            width: isStacked ? 0 : 1.5,
            fill: isStacked ? layer.colour : undefined,
            dash: layer.isDashed ? [6, 4] : undefined,
            spanGaps: layer.isJoined ?? false,
            points: { show: layer.hasPoints ?? false, size: 4 },
          })),
        ],
        hooks: {
          setCursor: [(u) => say(shown.current.told(u.cursor.left! >= 0 ? (u.cursor.idx ?? null) : null))],
          draw: [(u) => drawMarks(u, shown.current.marks ?? [], soft), (u) => pointAt(u, shown.current.read)],
          setSelect: [
            (u) => {
              if (u.select.width < 4) return
              const [from, to] = [u.posToVal(u.select.left, 'x'), u.posToVal(u.select.left + u.select.width, 'x')]
              u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
              link({ range: [Math.max(from, 0), to] })
            },
          ],
        },
      },
      data,
      element,
    )
    made.over.addEventListener('dblclick', () => link({ range: null }))
    plot.current = made
    const sized = new ResizeObserver(() => made.setSize({ width: Math.max(element.clientWidth, 80), height }))
    sized.observe(element)
    return () => {
      sized.disconnect()
      made.destroy()
      plot.current = null
    }
  }, [shape, height, theme])

  // Before the next key is heard: it acts on what is drawn.
  useLayoutEffect(() => plot.current?.setData(data), [data])
  useLayoutEffect(() => plot.current?.setScale('x', { min: range[0], max: range[1] }), [range[0], range[1]])
  useLayoutEffect(() => void (plot.current && pointAt(plot.current, read)), [read])
  useEffect(() => plot.current?.redraw(), [marks, top])
  const act = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (!event.shiftKey || step === undefined) return void moveRange(event)
    event.preventDefault()
    const pointed = plot.current?.cursor.idx
    const from = read ?? (pointed === null || pointed === undefined ? null : (times[pointed] ?? null))
    setRead(stepped(times, range, from, step))
  }
  return (
    <div
      ref={frame}
      class="plot"
      tabIndex={0}
      role="application"
      aria-label={`${label}, which can be saved as CSV: left and right move the time that is shown, plus and minus zoom, with Shift they read values`}
      style={{ height: `${height}px` }}
      onKeyDown={act}
      onPointerMove={() => setRead(null)}
    >
      <span class="read" aria-live="polite">{read === null ? said : told(nearest(times, read))}</span>
    </div>
  )
}

/** The moment beside another one, of those that a range shows; the first of them where none was read. */
export function stepped(times: number[], [from, to]: [number, number], read: number | null, step: number): number | null {
  const [first, last] = [times.findIndex((time) => time >= from), times.findLastIndex((time) => time <= to)]
  if (first < 0 || last < first) return null
  const at = read === null ? first : nearest(times, read)! + step
  return times[Math.min(Math.max(at, first), last)]!
}

/** Where the moment stands that is nearest to another one; bins that became wider have others. */
function nearest(times: number[], read: number): number | null {
  const above = times.findIndex((time) => time >= read)
  if (above <= 0) return times.length === 0 ? null : above < 0 ? times.length - 1 : 0
  return read - times[above - 1]! < times[above]! - read ? above - 1 : above
}

/** Puts the line of the cursor to the moment that is read. */
function pointAt(u: uPlot, read: number | null) {
  if (read !== null) u.setCursor({ left: u.valToPos(read, 'x'), top: 4 }, false)
}

/** A longer name of a phase would cover the plot. */
const LONGEST = 40

export const cut = (label: string) => (label.length > LONGEST ? `${label.slice(0, LONGEST - 1)}…` : label)

function drawMarks(u: uPlot, marks: Mark[], colour: string) {
  const { ctx } = u
  const ratio = devicePixelRatio
  ctx.save()
  for (const { at, label, kind } of marks) {
    const x = u.valToPos(at, 'x', true)
    if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) continue
    ctx.strokeStyle = colour
    ctx.fillStyle = colour
    ctx.beginPath()
    if (kind === 'phase') {
      ctx.setLineDash([3 * ratio, 3 * ratio])
      ctx.moveTo(x, u.bbox.top)
      ctx.lineTo(x, u.bbox.top + u.bbox.height)
      ctx.stroke()
      ctx.font = `${10 * ratio}px system-ui, sans-serif`
      ctx.textAlign = 'left'
      ctx.fillText(cut(label), x + 3 * ratio, u.bbox.top + 10 * ratio)
    } else {
      // A verdict points down from the top of the axis, a switch up from below it.
      const [y, tip] = kind === 'verdict' ? [u.bbox.top, 6 * ratio] : [u.bbox.top + u.bbox.height, -6 * ratio]
      ctx.setLineDash([])
      ctx.moveTo(x - 3 * ratio, y)
      ctx.lineTo(x + 3 * ratio, y)
      ctx.lineTo(x, y + tip)
      ctx.closePath()
      ctx.globalAlpha = 0.55
      ctx.fill()
      ctx.globalAlpha = 1
    }
  }
  ctx.restore()
}

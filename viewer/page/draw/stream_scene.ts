// Records of a stream as a scene: scatter plots and activities, by what their picture maps.

import type { Stream, StreamPicture } from '../data/documents'
import { moment, stepped } from '../data/format'
import { type Bar, type Scale, type Value, axisName, column, compared, scaleOf } from '../data/streams'
import { LEFT, RIGHT } from './margins'
import { heat, isDark, lineColour } from './palette'
import { type Item, SHAPES, type Scene, type Shape, ticks } from './scene'

const BOTTOM = 40
const TOP = 8
const HIGH = 300

/** Which colour, size and shape a record has. */
export interface Look {
  colour(record: number): string
  size(record: number): number
  shape(record: number): Shape
  colours: Scale | null
  shapes: Scale | null
}

export function lookOf(stream: Stream, picture: StreamPicture): Look {
  const [colours, sizes, shapes] = [picture.color, picture.size, picture.shape].map((name) => column(stream, name))
  const [byColour, bySize, byShape] = [colours, sizes, shapes].map((values) => (values ? scaleOf(values) : null))
  const fixed = Number(picture.size) || 3.5
  const own = SHAPES.find((one) => one === picture.shape) ?? 'circle'
  const constant = /^#[0-9a-f]{6}$/i.test(picture.color ?? '') ? picture.color! : lineColour(0)
  return {
    colour: (record) => (colours && byColour ? colourOf(byColour, colours[record]!) : constant),
    size: (record) => (sizes && bySize?.kind ? sizeOf(bySize, sizes[record]!) : fixed),
    shape: (record) => (shapes && byShape?.kind === 'classes' ? SHAPES[byShape.classes.indexOf(shapes[record]!) % SHAPES.length] ?? own : own),
    colours: byColour ?? null,
    shapes: byShape ?? null,
  }
}

/** A colour for a class, or for an amount. */
export function colourOf(scale: Scale, value: Value): string {
  if (value === null) return '#9a9da3'
  if (scale.kind === 'classes') {
    const at = scale.classes.indexOf(value)
    // Numbers have an order, which lightness shows.
    return typeof value === 'number' && scale.classes.length > 1 ? heat(0.25 + (0.75 * at) / (scale.classes.length - 1), isDark()) : lineColour(at)
  }
  const share = typeof value === 'number' ? (value - scale.least) / (scale.most - scale.least || 1) : 0
  // The palest step is that of the paper.
  return heat(0.15 + 0.85 * share, isDark())
}

/** The area of a mark grows with its amount. */
function sizeOf(scale: Scale, value: Value): number {
  if (typeof value !== 'number') return 2
  const [least, most] = scale.kind === 'amounts' ? [scale.least, scale.most] : [Math.min(...scale.classes.map(Number)), Math.max(...scale.classes.map(Number))]
  return Math.sqrt(4 + 77 * ((value - least) / (most - least || 1)))
}

export interface Extent {
  x: [number, number]
  y: [number, number]
}

/** From the least to the most of a column; classes stand at whole numbers. */
export function placesOf(values: Value[]): { at(value: Value): number | null; extent: [number, number]; classes: Value[] | null } {
  const words = values.some((value) => typeof value === 'string')
  if (words) {
    const classes: Value[] = [...new Set(values.filter((value) => value !== null))].sort(compared)
    const places = new Map<Value, number>(classes.map((value, at) => [value, at]))
    return { at: (value) => places.get(value) ?? null, extent: [-0.5, classes.length - 0.5], classes }
  }
  let [least, most] = [Infinity, -Infinity]
  for (const value of values) if (typeof value === 'number') [least, most] = [Math.min(least, value), Math.max(most, value)]
  if (!(least <= most)) [least, most] = [0, 1]
  const room = (most - least || Math.abs(most) || 1) * 0.04
  return { at: (value) => (typeof value === 'number' ? value : null), extent: [least - room, most + room], classes: null }
}

/** A part of a picture by its values: from and to along x, then along y. */
export type Box = [number, number, number, number]

/** The records that a picture has in a box; null where it has none there. */
export function inBox(stream: Stream, picture: StreamPicture, [left, right, low, high]: Box): Set<number> | null {
  const [xs, ys] = [column(stream, picture.x) ?? [], column(stream, picture.y[0]) ?? []]
  const [byX, byY] = [placesOf(xs), placesOf(ys)]
  const found = xs.flatMap((value, record) => {
    const [x, y] = [byX.at(value), byY.at(ys[record] ?? null)]
    return x !== null && y !== null && x >= left && x <= right && y >= low && y <= high ? [record] : []
  })
  return found.length > 0 ? new Set(found) : null
}

export interface Asked {
  stream: Stream
  picture: StreamPicture
  look: Look
  width: number
  /** The part of the axis of time that is shown, where x is time. */
  range: [number, number] | null
  /** Records that are chosen; all where none are. */
  chosen: Set<number> | null
  /** Only these records. */
  only?: (record: number) => boolean
  height?: number
}

/** A mark for each record. */
export function scatter({ stream, picture, look, width, range, chosen, only, height = HIGH }: Asked): Scene & { extent: Extent } {
  const xs = column(stream, picture.x) ?? []
  const ys = column(stream, picture.y[0]) ?? []
  const [byX, byY] = [placesOf(xs), placesOf(ys)]
  const extent = { x: range ?? byX.extent, y: byY.extent }
  const frame = { x: LEFT, y: TOP, w: Math.max(width - LEFT - RIGHT, 40), h: height - TOP - BOTTOM }
  const x = (value: number) => frame.x + ((value - extent.x[0]) / (extent.x[1] - extent.x[0])) * frame.w
  const y = (value: number) => frame.y + (1 - (value - extent.y[0]) / (extent.y[1] - extent.y[0])) * frame.h
  const items: Item[] = axes(stream, picture, frame, extent, [byX.classes, byY.classes], x, y)
  for (let record = 0; record < xs.length; record++) {
    if (only && !only(record)) continue
    const [px, py] = [byX.at(xs[record]!), byY.at(ys[record] ?? null)]
    if (px === null || py === null || px < extent.x[0] || px > extent.x[1]) continue
    items.push({ kind: 'mark', shape: look.shape(record), x: x(px), y: y(py), r: look.size(record), colour: look.colour(record), isFaint: chosen !== null && !chosen.has(record), record })
  }
  return { width, height, frame, items, extent }
}

function axes(stream: Stream, picture: StreamPicture, frame: Scene['frame'], extent: Extent, [xs, ys]: [Value[] | null, Value[] | null], x: (value: number) => number, y: (value: number) => number): Item[] {
  const items: Item[] = []
  const floor = frame.y + frame.h
  const horizontal = xs ? xs.map((_, at) => at) : ticks(...extent.x, Math.max(2, frame.w / 110))
  const vertical = ys ? ys.map((_, at) => at) : ticks(...extent.y, 5)
  for (const at of vertical) {
    items.push({ kind: 'line', x1: frame.x, x2: frame.x + frame.w, y1: y(at), y2: y(at) })
    items.push({ kind: 'word', text: ys ? cut(String(ys[at])) : shortNumber(at, vertical[1]! - vertical[0]!), x: frame.x - 6, y: y(at) + 4, align: 'right' })
  }
  for (const at of horizontal) {
    items.push({ kind: 'line', x1: x(at), x2: x(at), y1: floor, y2: floor + 4 })
    items.push({ kind: 'word', text: xs ? cut(String(xs[at])) : shortNumber(at, horizontal[1]! - horizontal[0]!), x: x(at), y: floor + 16, align: 'center' })
  }
  items.push({ kind: 'line', x1: frame.x, x2: frame.x + frame.w, y1: floor, y2: floor })
  items.push({ kind: 'word', text: axisName(stream, picture.x), x: frame.x + frame.w / 2, y: floor + 33, align: 'center', isStrong: true })
  items.push({ kind: 'word', text: `↑ ${axisName(stream, picture.y[0] ?? '')}`, x: 2, y: floor + 33, align: 'left', isStrong: true })
  return items
}

/** Rows are as high as there is room for. */
const MOST_HIGH = 420

/** A bar for each record, in its row. */
export function activity({ stream, picture, look, width, range, chosen }: Asked, all: Bar[]): Scene {
  const rows = [...new Set(all.map(({ row }) => row))].sort(compared)
  const high = Math.min(24, Math.max(3, Math.floor(MOST_HIGH / Math.max(rows.length, 1))))
  const frame = { x: LEFT, y: TOP, w: Math.max(width - LEFT - RIGHT, 40), h: Math.max(rows.length * high, 20) }
  const [from, to] = range ?? [0, 1]
  const x = (time: number) => frame.x + ((time - from) / (to - from)) * frame.w
  const places = new Map(rows.map((row, at) => [row, frame.y + at * high]))
  const floor = frame.y + frame.h
  const items: Item[] = []
  const step = Math.ceil(11 / high)
  rows.forEach((row, at) => {
    if (at % step === 0) items.push({ kind: 'word', text: cut(String(row)), x: frame.x - 6, y: places.get(row)! + Math.max(high / 2 + 4, 9), align: 'right' })
  })
  const moments = ticks(from, to, Math.max(2, frame.w / 110))
  for (const at of moments) {
    items.push({ kind: 'line', x1: x(at), x2: x(at), y1: frame.y, y2: floor + 4 })
    items.push({ kind: 'word', text: moment(at, moments[1]! - moments[0]!), x: x(at), y: floor + 16, align: 'center' })
  }
  items.push({ kind: 'word', text: `↑ ${axisName(stream, picture.y[0] ?? '')}`, x: 2, y: floor + 33, align: 'left', isStrong: true })
  const gap = high > 6 ? 1.5 : high > 4 ? 0.5 : 0
  for (const { record, row, begin, end } of all) {
    if (end < from || begin > to) continue
    items.push({ kind: 'bar', x: x(begin), y: places.get(row)! + gap, w: Math.max(x(end) - x(begin) - (high > 6 ? 0.5 : 0), 0.7), h: high - 2 * gap, colour: look.colour(record), isFaint: chosen !== null && !chosen.has(record), record })
  }
  return { width, height: floor + BOTTOM, frame, items }
}

const cut = (text: string) => (text.length > 11 ? `…${text.slice(-10)}` : text)

const LETTERS: [number, string][] = [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e4, 'k']]

/** A number in a few letters; on an axis, whose ticks are a step apart, as exact as they. */
export function shortNumber(value: number, step?: number): string {
  const size = Math.abs(value)
  const [unit, letter] = LETTERS.find(([unit]) => size >= unit) ?? [1, '']
  const by = letter === 'k' ? 1e3 : unit
  return `${step ? stepped(value / by, step / by) : Number((value / by).toPrecision(4))}${letter}`
}

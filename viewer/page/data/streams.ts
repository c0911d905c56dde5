// Streams as what is drawn: columns by name, classes of a column, and where each record stands in a picture.

import type { Stream, StreamPicture } from './documents'

export type Value = number | string | null

/** New records behind those that are known. */
export function joinedStream(known: Stream | undefined, news: Stream): Stream {
  if (!known || news.from === 0 || known.columns.length !== news.columns.length) return news
  const columns = known.columns.map((column, at) => [...column.slice(0, news.from), ...news.columns[at]!] as Stream['columns'][number])
  return { ...news, from: 0, columns }
}

/** The values of an attribute; none where there is no such attribute. */
export function column(stream: Stream, name: string | null | undefined): Value[] | undefined {
  const at = stream.attributes.findIndex((one) => one.name === name)
  return at < 0 ? undefined : stream.columns[at]
}

export const isTime = (stream: Stream, name: string) => stream.attributes.find((one) => one.name === name)?.kind === 'time'

/** An attribute as it stands on an axis. */
export function axisName(stream: Stream, name: string): string {
  const unit = stream.attributes.find((one) => one.name === name)?.unit
  return unit ? `${name} (${unit})` : name
}

/** So many classes are told apart by colour or shape. */
const FEW = 8

/** What the values of a column are: some classes, or amounts. */
export type Scale = { kind: 'classes'; classes: Value[] } | { kind: 'amounts'; least: number; most: number }

export function scaleOf(values: Value[]): Scale {
  const seen = new Set<Value>()
  let [least, most, areNumbers] = [Infinity, -Infinity, true]
  for (const value of values) {
    if (value === null) continue
    if (seen.size <= FEW || typeof value === 'string') seen.add(value)
    if (typeof value === 'string') areNumbers = false
    else [least, most] = [Math.min(least, value), Math.max(most, value)]
  }
  if (areNumbers && seen.size > FEW) return { kind: 'amounts', least, most }
  return { kind: 'classes', classes: [...seen].sort(compared) }
}

/** By number where both are numbers, else as people sort names. */
export function compared(one: Value, other: Value): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  return String(one).localeCompare(String(other), 'en', { numeric: true })
}

export interface Bar {
  record: number
  row: Value
  begin: number
  end: number
}

/** The bars of an activity: from where a record begins to its end, or to the next one of its row. */
export function bars(stream: Stream, picture: StreamPicture, until: number): Bar[] {
  const begins = column(stream, picture.x) ?? []
  const rows = column(stream, picture.y[0]) ?? []
  const ends = column(stream, picture.end)
  const all = begins.flatMap((begin, record): Bar[] => {
    const end = ends ? ends[record] : null
    if (typeof begin !== 'number' || rows[record] === null || rows[record] === undefined) return []
    return [{ record, row: rows[record]!, begin, end: typeof end === 'number' ? end : NaN }]
  })
  if (ends) return all.filter((bar) => bar.end >= bar.begin)
  const last = new Map<Value, Bar>()
  for (const bar of [...all].sort((one, other) => one.begin - other.begin)) {
    const before = last.get(bar.row)
    if (before) before.end = bar.begin
    last.set(bar.row, bar)
  }
  last.forEach((bar) => (bar.end = Math.max(until, bar.begin)))
  return all
}

/** How many rows are busy in equal steps of a stretch: one that is so for half of a step is half a row. */
export function busyRows(all: Bar[], [from, to]: [number, number], steps: number): { times: number[]; busy: number[] } {
  const rows = new Map<Value, Float64Array>()
  const step = (to - from) / steps
  for (const { row, begin, end } of all) {
    let busy = rows.get(row)
    if (!busy) rows.set(row, (busy = new Float64Array(steps)))
    const [first, last] = [Math.max(0, Math.floor((begin - from) / step)), Math.min(steps, Math.ceil((end - from) / step))]
    for (let at = first; at < last; at++) {
      const shared = Math.min(end, from + (at + 1) * step) - Math.max(begin, from + at * step)
      busy[at] = Math.min(1, busy[at]! + Math.max(shared, 0) / step)
    }
  }
  const times = Array.from({ length: steps }, (_, at) => from + (at + 0.5) * step)
  const busy = times.map((_, at) => [...rows.values()].reduce((sum, row) => sum + row[at]!, 0))
  return { times, busy }
}

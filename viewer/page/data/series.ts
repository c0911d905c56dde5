// Series as what is drawn: rates over time, sums over a part of it.

import type { Series } from './documents'

/** The rate in each bin: amount per second that was measured; null where none was. */
export function rates(series: Series): (number | null)[] {
  return series.amounts.map((amount, at) => {
    if (amount === null) return null
    const covered = (series.covered[at] ?? 1) * series.width_s
    return covered > 0 ? amount / covered : null
  })
}

export const times = (series: Series) => series.amounts.map((_, at) => (series.from + at + 0.5) * series.width_s)

/** What a series adds up to at the edge of each bin: amount, and seconds that were measured; with room behind for bins to come. */
interface Sums {
  amounts: Float64Array
  covered: Float64Array
  /** Bins that are summed. */
  length: number
}

const known = new WeakMap<Series, Sums>()

function sums(series: Series): Sums {
  let both = known.get(series)
  const length = series.amounts.length
  if (!both) {
    both = { amounts: new Float64Array(length + 1), covered: new Float64Array(length + 1), length: 0 }
    known.set(series, both)
  }
  if (both.length < length) {
    if (both.amounts.length <= length) {
      both.amounts = roomier(both.amounts, length)
      both.covered = roomier(both.covered, length)
    }
    for (let at = both.length; at < length; at++) {
      const amount = series.amounts[at]!
      const share = amount === null ? 0 : (series.covered[at] ?? 1)
      both.amounts[at + 1] = both.amounts[at]! + (amount ?? 0)
      both.covered[at + 1] = both.covered[at]! + share * series.width_s
    }
    both.length = length
  }
  return both
}

/** The same numbers with room for half as many again: a series that grows each second is not copied each second. */
function roomier(numbers: Float64Array, length: number): Float64Array {
  const wider = new Float64Array(length + 1 + (length >> 1))
  wider.set(numbers)
  return wider
}

/** A sum at a place between edges. */
function at(edges: Float64Array, last: number, place: number): number {
  const low = Math.min(Math.max(Math.floor(place), 0), last)
  const part = Math.min(Math.max(place - low, 0), 1)
  const below = edges[low]!
  return part === 0 || low === last ? below : below + (edges[low + 1]! - below) * part
}

/** The mean rate between two moments; null where nothing was measured. */
export function mean(series: Series, from: number, to: number): number | null {
  const { amounts, covered, length } = sums(series)
  const [begin, end] = [from / series.width_s - series.from, to / series.width_s - series.from]
  const measured = at(covered, length, end) - at(covered, length, begin)
  return measured > 1e-12 ? (at(amounts, length, end) - at(amounts, length, begin)) / measured : null
}

/** Where the edges of equal parts of a stretch lie between the bins of a series; the same for all series that have the same bins. */
export class Parts {
  private readonly low: Int32Array
  private readonly share: Float64Array

  constructor(
    private readonly like: Series,
    [from, to]: [number, number],
    private readonly parts: number,
  ) {
    this.low = new Int32Array(parts + 1)
    this.share = new Float64Array(parts + 1)
    const last = like.amounts.length
    for (let part = 0; part <= parts; part++) {
      const place = (from + ((to - from) * part) / parts) / like.width_s - like.from
      // The last edge is reached from the bin below it, so that each edge has one above.
      this.low[part] = Math.min(Math.max(Math.floor(place), 0), Math.max(last - 1, 0))
      this.share[part] = Math.min(Math.max(place - this.low[part]!, 0), 1)
    }
  }

  fits(series: Series): boolean {
    return series.width_s === this.like.width_s && series.from === this.like.from && series.amounts.length === this.like.amounts.length
  }

  /** The mean rate in each part; NaN where nothing was measured. */
  means(series: Series, out: Float64Array) {
    const { amounts, covered, length } = sums(series)
    const { low, share, parts } = this
    let [amount, seconds] = [0, 0]
    for (let part = 0; part <= parts; part++) {
      const [at, rest] = [low[part]!, share[part]!]
      const above = Math.min(at + 1, length)
      const nextAmount = amounts[at]! + (amounts[above]! - amounts[at]!) * rest
      const nextSeconds = covered[at]! + (covered[above]! - covered[at]!) * rest
      if (part > 0) out[part - 1] = nextSeconds - seconds > 1e-12 ? (nextAmount - amount) / (nextSeconds - seconds) : NaN
      amount = nextAmount
      seconds = nextSeconds
    }
  }
}

/** The peak of a series when it had so many bins. */
interface Peak {
  rate: number
  length: number
}

const peaks = new WeakMap<Series, Peak>()

/** A rate that hardly a bin is above: a single one that sticks out must not make all others pale. A few new bins hardly change it. */
export function peak(series: Series): number {
  const length = series.amounts.length
  let found = peaks.get(series)
  if (!found || length > 1.05 * found.length) {
    const all = Float64Array.from(rates(series), (rate) => rate ?? 0).sort()
    found = { rate: all[Math.floor(0.98 * (all.length - 1))] ?? 0, length }
    peaks.set(series, found)
  }
  return found.rate
}

/** Several series in the bins of the widest: a point is null where the series knows nothing. */
export function aligned(all: Series[]): { times: number[]; rates: (number | null)[][] } {
  const width = Math.max(...all.map((one) => one.width_s))
  const wide = all.map((one) => widened(one, width))
  const length = Math.max(0, ...wide.map((one) => one.from + one.amounts.length))
  const grid = Array.from({ length }, (_, at) => (at + 0.5) * width)
  return { times: grid, rates: wide.map((one) => pad(rates(one), one.from, length)) }
}

const pad = <T>(values: (T | null)[], from: number, length: number): (T | null)[] =>
  Array.from({ length }, (_, at) => values[at - from] ?? null)

/** The same series in wider bins: widths are the first one doubled, so bins become one in pairs. */
export function widened(series: Series, width: number): Series {
  let one = series
  while (one.width_s < width * 0.999) one = halved(one)
  return one
}

function halved(series: Series): Series {
  const first = Math.floor(series.from / 2)
  const last = Math.ceil((series.from + series.amounts.length) / 2)
  const amounts: (number | null)[] = []
  const covered: number[] = []
  for (let at = first; at < last; at++) {
    let sum: number | null = null
    let seen = 0
    for (const inner of [2 * at - series.from, 2 * at + 1 - series.from]) {
      const amount = series.amounts[inner]
      if (amount === null || amount === undefined) continue
      sum = (sum ?? 0) + amount
      seen += series.covered[inner] ?? 1
    }
    amounts.push(sum)
    covered.push(seen / 2)
  }
  return { ...series, width_s: 2 * series.width_s, from: first, amounts, covered }
}

/** New bins behind those that are known; a fold brings all anew. */
export function joined(series: Series | null, news: Series): Series {
  if (!series || Math.abs(series.width_s - news.width_s) > 1e-9 || news.from === 0) return news
  const keep = news.from - series.from
  const isAll = series.covered.length === 0 && news.covered.length === 0
  if (isAll && keep === series.amounts.length) {
    // The common case, each second for each of a thousand processes: what is known is not copied.
    for (const amount of news.amounts) series.amounts.push(amount)
    const longer = { ...series }
    hand(known, series, longer)
    hand(peaks, series, longer)
    return longer
  }
  const fill = (one: Series) => (one.covered.length > 0 ? one.covered : one.amounts.map(() => 1))
  return {
    ...series,
    amounts: [...series.amounts.slice(0, keep), ...news.amounts],
    covered: isAll ? [] : [...fill(series).slice(0, keep), ...fill(news)],
  }
}

/** What is known of a series is known of the longer one that takes its place. */
function hand<T>(of: WeakMap<Series, T>, before: Series, after: Series) {
  const value = of.get(before)
  if (value === undefined) return
  of.delete(before)
  of.set(after, value)
}

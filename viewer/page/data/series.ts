// Series as what is drawn: rates over time, sums over a part of it.

import type { Series } from './documents'

/** The rate in each bin: amount per second that was measured; null where none was. */
export const rates = (series: Series): (number | null)[] => series.amounts.map((_, at) => rateAt(series, at))

function rateAt({ amounts, covered, width_s }: Series, at: number): number | null {
  const amount = amounts[at]!
  const measured = (covered[at] ?? 1) * width_s
  return amount === null || measured <= 0 ? null : amount / measured
}

/**
 * The share of its time that measuring took from the process that paid most: of the length of each bin. What is covered of the last ones, in which the
 * process was ending, is no divisor: a hundredth of a second would make a spike of what is paid for the end.
 */
export const costShares = ({ amounts, width_s }: Series): (number | null)[] => amounts.map((amount) => (amount === null ? null : amount / width_s))

export const times = (series: Series) => series.amounts.map((_, at) => (series.from + at + 0.5) * series.width_s)

/** What a series adds up to at the edge of each bin; with room behind for bins to come. */
interface Sums {
  amounts: Float64Array
  /** Bins that were measured; null where all of each was, which is so of most series. */
  covered: Float64Array | null
  /** Bins that are summed. */
  length: number
}

const known = new WeakMap<Series, Sums>()

function sums(series: Series): Sums {
  const length = series.amounts.length
  let both = known.get(series)
  if (!both) {
    both = { amounts: new Float64Array(length + 1), covered: null, length: 0 }
    known.set(series, both)
  }
  if (both.length === length) return both
  if (both.amounts.length <= length) both.amounts = roomier(both.amounts, length)
  const { amounts } = both
  for (let at = both.length; at < length; at++) {
    const amount = series.amounts[at]!
    const share = amount === null ? 0 : (series.covered[at] ?? 1)
    amounts[at + 1] = amounts[at]! + (amount ?? 0)
    if (share !== 1) both.covered ??= Float64Array.from({ length: amounts.length }, (_, edge) => Math.min(edge, at))
    if (!both.covered) continue
    if (both.covered.length <= length) both.covered = roomier(both.covered, length)
    both.covered[at + 1] = both.covered[at]! + share
  }
  both.length = length
  return both
}

/** The same numbers with room for half as many again: a series that grows each second is not copied each second. */
function roomier(numbers: Float64Array, length: number): Float64Array {
  const wider = new Float64Array(length + 1 + (length >> 1))
  wider.set(numbers)
  return wider
}

/** A sum at a place between edges; of none there each bin is one. */
function at(edges: Float64Array | null, last: number, place: number): number {
  const low = Math.min(Math.max(Math.floor(place), 0), last)
  const part = Math.min(Math.max(place - low, 0), 1)
  if (!edges) return Math.min(low + part, last)
  const below = edges[low]!
  return part === 0 || low === last ? below : below + (edges[low + 1]! - below) * part
}

/** The mean rate between two moments; null where nothing was measured. */
export function mean(series: Series, from: number, to: number): number | null {
  const { amounts, covered, length } = sums(series)
  const [begin, end] = [from / series.width_s - series.from, to / series.width_s - series.from]
  const measured = (at(covered, length, end) - at(covered, length, begin)) * series.width_s
  return measured > LEAST_S ? (at(amounts, length, end) - at(amounts, length, begin)) / measured : null
}

/** Of what was measured for less nothing is said. */
const LEAST_S = 1e-12

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
    // Of a thousand processes this is most of a frame: numbers that stand in arrays of numbers are no objects of their own.
    for (let part = 0; part < parts; part++) out[part] = between(amounts, length, low, share, part)
    if (covered) for (let part = 0; part < parts; part++) out[part] = rate(out[part]!, between(covered, length, low, share, part) * series.width_s)
    else for (let part = 0; part < parts; part++) out[part] = rate(out[part]!, (low[part + 1]! + share[part + 1]! - low[part]! - share[part]!) * series.width_s)
  }
}

const rate = (amount: number, measured: number) => (measured > LEAST_S ? amount / measured : NaN)

/** What a part adds up to; there is a sum at each edge of a bin, and the last bin has one above. */
function between(sums: Float64Array, length: number, low: Int32Array, share: Float64Array, part: number): number {
  const from = low[part]!
  const to = low[part + 1]!
  const begin = sums[from]!
  const end = sums[to]!
  return end + (sums[Math.min(to + 1, length)]! - end) * share[part + 1]! - begin - (sums[Math.min(from + 1, length)]! - begin) * share[part]!
}

/** The peak of a series when it had so many bins. */
interface Peak {
  rate: number
  length: number
}

const peaks = new WeakMap<Series, Peak>()
/** Where rates are sorted, of one series after the other. */
let scratch = new Float64Array(0)

/** A rate that hardly a bin is above: a single one that sticks out must not make all others pale. A few new bins hardly change it. */
export function peak(series: Series): number {
  const length = series.amounts.length
  let found = peaks.get(series)
  if (!found || length > 1.05 * found.length) {
    if (scratch.length < length) scratch = new Float64Array(2 * length)
    const all = scratch.subarray(0, length)
    const { amounts, covered, width_s } = series
    for (let at = 0; at < length; at++) {
      const measured = (covered[at] ?? 1) * width_s
      all[at] = measured > 0 ? (amounts[at] ?? 0) / measured : 0
    }
    all.sort()
    found = { rate: all[Math.floor(0.98 * (length - 1))] ?? 0, length }
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

/** The bins of a series as wide as those of one that folded, without the last one where it is not whole. */
export function folded(series: Series, width: number): Series {
  const wide = widened(series, width)
  const bins = Math.floor(((series.from + series.amounts.length) * series.width_s) / width + 1e-6) - wide.from
  const covered = wide.covered.slice(0, bins)
  return { ...wide, amounts: wide.amounts.slice(0, bins), covered: covered.every((share) => share === 1) ? [] : covered }
}

/** The number of the bin that comes after those that are known. */
export const after = (series: Series) => series.from + series.amounts.length

/** New bins behind those that are known, of the same width. */
export function joined(series: Series | null, news: Series): Series {
  if (!series || news.from === 0) return news
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

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

/** The mean rate between two moments; null where nothing was measured. */
export function mean(series: Series, from: number, to: number): number | null {
  let [sum, covered] = [0, 0]
  const width = series.width_s
  series.amounts.forEach((amount, at) => {
    const begin = (series.from + at) * width
    const share = (Math.min(to, begin + width) - Math.max(from, begin)) / width
    if (amount === null || share <= 0) return
    sum += amount * share
    covered += (series.covered[at] ?? 1) * width * share
  })
  return covered > 0 ? sum / covered : null
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
export function joined(known: Series | null, news: Series): Series {
  if (!known || Math.abs(known.width_s - news.width_s) > 1e-9 || news.from === 0) return news
  const keep = news.from - known.from
  const fill = (series: Series) => (series.covered.length > 0 ? series.covered : series.amounts.map(() => 1))
  return {
    ...known,
    amounts: [...known.amounts.slice(0, keep), ...news.amounts],
    covered: [...fill(known).slice(0, keep), ...fill(news)],
  }
}

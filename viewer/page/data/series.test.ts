// Series keep their sums and their gaps, whatever bins they are brought into.

import { expect, test } from 'vitest'
import type { Series } from './documents'
import { Parts, aligned, costShares, folded, joined, mean, peak, rates, widened } from './series'

const series = (amounts: (number | null)[], width_s = 0.5, from = 0, covered: number[] = []): Series => ({ metric: 'sync_wait', focus: '</Code>', width_s, from, amounts, covered })

test('a rate is by what was measured of a bin', () => {
  expect(rates(series([0.5, null, 0.1], 0.5, 0, [1, 0, 0.5]))).toEqual([1, null, 0.4])
})

test('what was not measured is no zero, and is no part of a mean', () => {
  expect(mean(series([1, null, 0], 1), 0, 2)).toBe(1)
  expect(mean(series([1, null, 0], 1), 1.2, 1.8)).toBe(null)
  expect(mean(series([1, 3], 1), 0.5, 1.5)).toBe(2)
})

test('wider bins have the same sum', () => {
  const wide = widened(series([1, 2, null, 4, 5], 0.5, 1), 1)
  expect(wide).toMatchObject({ width_s: 1, from: 0, amounts: [1, 2, 9] })
  expect(wide.covered).toEqual([0.5, 0.5, 1])
})

test('series of different widths are aligned on the widest', () => {
  const both = aligned([series([1, 1, 1, 1], 0.5), series([3], 1)])
  expect(both.times).toEqual([0.5, 1.5])
  expect(both.rates).toEqual([[2, 2], [3, null]])
})

test('new bins go behind those that are known, also behind those that have folded', () => {
  expect(joined(series([1, 2], 0.5), series([3], 0.5, 2)).amounts).toEqual([1, 2, 3])
  const wide = folded(series([1, 2, 3], 0.5), 1)
  expect(wide).toMatchObject({ amounts: [3], covered: [] })
  expect(joined(wide, series([7, 8], 1, 1))).toMatchObject({ amounts: [3, 7, 8], covered: [] })
})

test('sums and peaks of a series grow with it', () => {
  let one = series([1, 2], 1)
  expect([mean(one, 0, 2), mean(one, 0, 9), peak(one)]).toEqual([1.5, 1.5, 1])
  for (let at = 2; at < 200; at += 2) one = joined(one, series([at === 100 ? null : 4, 4], 1, at))
  expect(mean(one, 0, 4)).toBe((1 + 2 + 4 + 4) / 4)
  expect(mean(one, 99, 102)).toBe(4)
  expect(mean(one, 0, 200)).toBe((3 + 197 * 4) / 199)
  expect(peak(one)).toBe(4)
  const out = new Float64Array(2)
  new Parts(one, [0, 200], 2).means(one, out)
  expect([...out]).toEqual([(3 + 98 * 4) / 100, 4])
})

test('equal parts of a stretch have the means that each has alone', () => {
  const one = series([1, 2, null, 4, 5, null], 0.5, 1)
  const out = new Float64Array(7)
  new Parts(one, [0.2, 3.7], 7).means(one, out)
  const alone = Array.from({ length: 7 }, (_, at) => mean(one, 0.2 + 0.5 * at, 0.7 + 0.5 * at))
  out.forEach((value, at) => (alone[at] === null ? expect(value).toBeNaN() : expect(value).toBeCloseTo(alone[at]!, 9)))
})

test('what measuring costs is a share of the bin, also of one in which the program ends', () => {
  expect(costShares(series([0.01, 0.02, null, 0.01], 0.5, 0, [1, 1, 0, 0.02]))).toEqual([0.02, 0.04, null, 0.02])
})

// Streams are joined as they come, and their records become bars and classes.

import { expect, test } from 'vitest'
import type { Stream, StreamPicture } from './documents'
import { bars, busyRows, column, joinedStream, scaleOf } from './streams'

const stream = (columns: Stream['columns'], from = 0): Stream => ({
  version: 1, name: 's', source: 's.csv', pictures: [], every: 1, malformed: [], malformed_count: 0, from,
  attributes: ['t', 'row', 'end'].map((name) => ({ name, kind: 'number', unit: '' })),
  records: from + columns[0]!.length, columns,
})

const activity: StreamPicture = { kind: 'activity', title: '', x: 't', y: ['row'], end: null, color: null, size: null, shape: null }

test('new records stand behind those that are known', () => {
  const both = joinedStream(stream([[1, 2], ['a', 'b'], [3, 4]]), stream([[5], ['c'], [6]], 2))
  expect(column(both, 't')).toEqual([1, 2, 5])
  expect([both.records, both.from, column(both, 'none')]).toEqual([3, 0, undefined])
})

test('a bar without an end lasts until the next of its row', () => {
  const all = bars(stream([[0, 1, 2], ['a', 'b', 'a'], [null, null, null]]), activity, 5)
  expect(all.map(({ row, begin, end }) => [row, begin, end])).toEqual([['a', 0, 2], ['b', 1, 5], ['a', 2, 5]])
})

test('a bar that ends before it begins is none', () => {
  const all = bars(stream([[0, 3], ['a', 'a'], [1, 2]]), { ...activity, end: 'end' }, 5)
  expect(all.map(({ record }) => record)).toEqual([0])
  expect(busyRows(all, [0, 2], 4).busy).toEqual([1, 1, 0, 0])
  expect(busyRows(all, [0, 4], 2).busy, 'half of a step').toEqual([0.5, 0])
})

test('few values are classes, and many numbers are amounts', () => {
  expect(scaleOf([2, 1, null, 2])).toEqual({ kind: 'classes', classes: [1, 2] })
  expect(scaleOf(Array.from({ length: 20 }, (_, at) => at))).toEqual({ kind: 'amounts', least: 0, most: 19 })
  expect(scaleOf(['n10', 'n9'])).toEqual({ kind: 'classes', classes: ['n9', 'n10'] })
})

// A chain of waits leads over those that waited most, and says no more than is known.

import { expect, test } from 'vitest'
import { chain, mostWaiting } from './chains'
import type { Messages } from './documents'

const row = (from: number, to: number, waiting_s: number): Messages => ({ job: 0, from, to, waiting_s, calls: 1, bytes: 1, sending_s: 0 })

test('a chain of three leads to its beginning', () => {
  const messages = [row(0, 1, 5), row(1, 2, 4), row(2, 3, 3), row(3, 0, 0.01), row(0, 3, 0.5)]
  expect(chain(messages, 3, 0)).toEqual([3, 2, 1, 0])
  expect(mostWaiting(messages, 0)).toBe(1)
})

test('where no messages tell the way it is just the two', () => {
  expect(chain([row(1, 2, 1)], 3, 0)).toEqual([3, 0])
  expect(chain([], 1, 1)).toEqual([1])
  expect(mostWaiting([], 0)).toBe(null)
})

test('ranks that wait for each other make no circle', () => {
  expect(chain([row(0, 1, 2), row(1, 0, 2), row(1, 2, 1)], 2, 0)).toEqual([2, 1, 0])
})

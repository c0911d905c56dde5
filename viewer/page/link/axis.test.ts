// An address may name any part of the run: what is shown lies inside.

import { expect, test } from 'vitest'
import { clipped } from './axis'

test('a part is cut at the ends of the run, and one that is outside is none', () => {
  const parts: [number, number][] = [[-5, 100], [-5, 2], [8, 100], [20, 30], [-9, -1], [1, 2]]
  expect(parts.map((part) => clipped(part, 10))).toEqual([null, [0, 2], [8, 10], null, null, [1, 2]])
  expect(clipped([-5, 100], Infinity)).toEqual([0, 100])
})

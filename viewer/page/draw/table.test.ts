// Rows of a table are sorted by number or by name, and what is not known stands below both ways.

import { expect, test } from 'vitest'
import { type Cell } from './export'
import { compared } from './table'

test('what is not known comes last, up and down', () => {
  const sorted = (up: boolean) => [2, null, 10, 1].sort((one: Cell, other: Cell) => compared(one, other, up))
  expect([sorted(true), sorted(false)]).toEqual([[1, 2, 10, null], [10, 2, 1, null]])
})

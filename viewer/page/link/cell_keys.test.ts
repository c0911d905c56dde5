// The cursor of a picture begins at its first cell, and stays inside.

import { expect, test } from 'vitest'
import { moved } from './cell_keys'

test('arrows move over cells and stop at the edges', () => {
  const first = moved(null, 'ArrowDown', 3, 2)
  expect(first).toEqual({ row: 0, column: 0 })
  expect(moved({ row: 2, column: 1 }, 'ArrowDown', 3, 2)).toEqual({ row: 2, column: 1 })
  expect(moved({ row: 1, column: 0 }, 'ArrowRight', 3, 2)).toEqual({ row: 1, column: 1 })
  expect(moved({ row: 1, column: 0 }, 'End', 3, 1)).toEqual({ row: 2, column: 0 })
  expect([moved(null, 'x', 3, 2), moved(null, 'ArrowDown', 0, 2)]).toEqual([null, null])
})

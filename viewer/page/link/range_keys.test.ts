// A range stays inside of the run.

import { expect, test } from 'vitest'
import { within } from './range_keys'

test('a range that leaves the run is moved back, and all of it is none', () => {
  expect([within([-1, 1], 10), within([9, 11], 10), within([2, 3], 10), within([-5, 15], 10)]).toEqual([[0, 2], [8, 10], [2, 3], null])
})

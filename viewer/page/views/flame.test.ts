// Keys move over the boxes of a flame graph as they lie.

import { expect, test } from 'vitest'
import { moved } from './flame'

const boxes = [[], ['main'], ['main', 'f'], ['main', 'g'], ['main', 'g', 'MPI_Recv']].map((path) => ({ path, depth: path.length }))

test('arrows lead to callers, to what is called, and beside', () => {
  const keys = ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowDown', 'ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowUp']
  const way: (number | null)[] = []
  keys.reduce<number | null>((at, key) => (way.push(moved(boxes, at, key)), way.at(-1)!), null)
  expect(way).toEqual([0, 1, 2, 3, 4, 4, 3, 2, 1])
})

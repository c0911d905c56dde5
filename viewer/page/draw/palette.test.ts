// One word stands for one thing: what the report counts and what is known over time are told apart where they differ.

import { expect, test } from 'vitest'
import { DIVISION, TIME_USES, stateWords } from './palette'

test('no two ways to spend time are called the same, and waiting over time is not what the report has', () => {
  const words = TIME_USES.map(([, , words]) => words)
  expect(new Set(words).size).toBe(words.length)
  const waits = DIVISION.find(([metric]) => metric === 'sync_wait')!
  expect([waits[2], TIME_USES.find(([name]) => name === 'waiting')![2], stateWords('waiting')]).toEqual(['waiting for others', 'in MPI and locks', 'waiting for others'])
})

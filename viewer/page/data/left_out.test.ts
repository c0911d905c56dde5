// A table that leaves out what is true says so.

import { expect, test } from 'vitest'
import type { Question } from './documents'
import { leftOut } from './left_out'

const asked = (focus: string, truth: Question['truth']) => ({ hypothesis: 'CPUbound', focus, truth })

test('questions that are true and not told are counted', () => {
  const [whole, first, second] = [asked('</Code>', 'true'), asked('</Process/0>', 'true'), asked('</Process/1>', 'false')]
  expect(leftOut([whole], [whole, first, second])).toBe('as the report tells it; of 2 true questions it leaves out 1, as those of single processes that are alike: the search shows them')
  expect(leftOut([whole, first], [whole, first, second])).toBeUndefined()
})

// Pictures of the same reach as far, whichever shows more, and are drawn anew only where that changes.

import { expect, test } from 'vitest'
import { CommonMost } from './common_most'

test('the end of an axis is that of the run that shows most, for as long as it is there', () => {
  const pictures = new CommonMost()
  const drawn: string[] = []
  const [first, second] = [{}, {}]
  const tell = (self: object, name: string, most: number) => pictures.tell('cpu', self, { most, redraw: () => drawn.push(name) })
  tell(first, 'first', 2)
  expect([pictures.besides('cpu', first), drawn]).toEqual([0, []])
  tell(second, 'second', 5)
  expect([pictures.besides('cpu', first), pictures.besides('cpu', second), pictures.of('cpu'), drawn]).toEqual([5, 2, 5, ['first']])
  tell(first, 'first', 3)
  expect([pictures.of('cpu'), drawn]).toEqual([5, ['first']])
  pictures.leave('cpu', second)
  expect([pictures.besides('cpu', first), pictures.of('cpu'), pictures.of('io'), drawn]).toEqual([0, 3, 0, ['first', 'first']])
})

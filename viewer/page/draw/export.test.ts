// Tables are saved as programs and spreadsheets read them, and no name in them becomes a formula.

import { expect, test } from 'vitest'
import { csv } from './export'

test('quotes are doubled, and no cell is a formula', () => {
  expect(csv([['a', 'b'], ['x"y', 1.5], ['=SUM(A1)', null]])).toBe('a,b\r\n"x""y",1.5\r\n\'=SUM(A1),\r\n')
})

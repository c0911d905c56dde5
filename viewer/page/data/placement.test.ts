// Where ranks may run is told as the report tells it.

import { expect, test } from 'vitest'
import { placed } from './placement'

test('ranks that share processors, that have their own, and that are bound in parts', () => {
  expect([
    placed({ ranks: 4, processors: 2, ranks_per_processor: 2, bindings: [{ ranks: [0, 1, 2, 3], processors: [0, 1] }] }),
    placed({ ranks: 2, processors: 2, ranks_per_processor: 1, bindings: [{ ranks: [0], processors: [0] }, { ranks: [1], processors: [1] }] }),
    placed({ ranks: 3, processors: 2, ranks_per_processor: 1.5, bindings: [{ ranks: [0, 1], processors: [0] }, { ranks: [2], processors: [1] }] }),
  ]).toEqual(['4 ranks on 2 processors, 2 per processor, each may run on 0, 1', '2 ranks on 2 processors, each bound to its own', '3 ranks on 2 processors, 1.5 per processor, bound: 0, 1 to 0; 2 to 1'])
})

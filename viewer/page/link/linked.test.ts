// The state of the page comes back from its address, and nonsense in an address does no harm.

import { expect, test } from 'vitest'
import { INITIAL, type Linked, read, written } from './linked'

test('an address shows the same again', () => {
  const state: Linked = { view: 'time', range: [1.5, 2.25], selected: { kind: 'question', run: 0, phase: 2, number: 7 }, metric: 'cpu', phase: 2, pairs: [['cpu', '</Code,/Machine>']], mapped: [['0.1.color', 'worker = x']], theme: 'dark', kept: { 'search.text': 'a=b&c', 'sort.what-was-found': 'down value', 'open.0.2': '/1/2 /1/3+' } }
  expect(read(`#${written(state)}`)).toEqual(state)
  const focus: Linked = { ...INITIAL, selected: { kind: 'focus', focus: '</Code/a.c/f,/Machine>' } }
  expect(read(written(focus))).toEqual(focus)
})

test('nonsense is left out', () => {
  expect(read('#view=<b>&map=0.x=y&map=0.0.onload=y&t=5_1&q=1.x.2&metric=<i>&phase=-3&theme=red&focus=nothing&pair=x&a.<b>=1&__proto__.x=1')).toEqual(INITIAL)
})

// The search as rows: what is alike is one row, what is wanted keeps what it came from, and a shadow is no second tree.

import { expect, test } from 'vitest'
import type { Question } from './documents'
import { QuestionGraph, label, rows, stateOf, type State } from './tree'

const question = (number: number, focus: string, parents: number[] = [], more: Partial<Question> = {}): Question => ({
  phase: null, number, hypothesis: 'Waits', focus, truth: 'true', value: 0.5, threshold: 0.2, confidence: 1, asked: 1, found: 1e9, cost: 0, origin: 'search', split: null, active: false,
  parents: parents.map((one) => ({ number: one, axis: 'Process' })), ...more,
})
const at = (process: number | string) => `</Code,/Machine,/Process/${process},/SyncObject>`
const ALL = new Set<State | 'active'>(['true', 'false', 'unknown', 'never'])
const wanted = (more = {}) => ({ states: ALL, shadows: true, text: '', chosen: null, isOpen: () => true, ...more })

test('nodes that are alike but for their process are one row', () => {
  const graph = new QuestionGraph([question(0, '</Code>'), ...Array.from({ length: 64 }, (_, rank) => question(rank + 1, at(rank), [0]))])
  const [root, group] = rows(graph, wanted())
  expect(root!.hasChildren).toBe(true)
  expect(group!.nodes.length).toBe(64)
  expect(label(group!, root!.nodes[0])).toEqual({ what: '', where: 'ranks 0–63' })
})

test('one that answers otherwise stands alone', () => {
  const all = Array.from({ length: 8 }, (_, rank) => question(rank + 1, at(rank), [0], rank === 3 ? { truth: 'false' } : {}))
  const made = rows(new QuestionGraph([question(0, '</Code>'), ...all]), wanted())
  expect(made.map((row) => row.nodes.length)).toEqual([1, 7, 1])
})

test('what is wanted keeps what it came from', () => {
  const graph = new QuestionGraph([question(0, '</Code>', [], { truth: 'false' }), question(1, at(0), [0]), question(2, at(1), [0], { truth: 'false' })])
  const made = rows(graph, wanted({ states: new Set<State>(['true']) }))
  expect(made.map((row) => row.nodes[0]!.number)).toEqual([0, 1])
  expect(rows(graph, wanted({ text: 'process/1' })).map((row) => row.nodes[0]!.number)).toEqual([0, 2])
})

test('what is measured now is wanted by itself, and what was chosen in any case', () => {
  const graph = new QuestionGraph([question(0, '</Code>'), question(1, at(0), [0], { truth: 'unknown', active: true }), question(2, at(1), [0], { truth: 'false' })])
  const numbers = (more: object) => rows(graph, wanted({ states: new Set(['active']), ...more })).map((row) => row.nodes[0]!.number)
  expect([numbers({}), numbers({ chosen: 2 }), [...graph.above(2)]]).toEqual([[0, 1], [0, 1, 2], [0]])
})

test('a node that two led to is a shadow the second time, and can be left out', () => {
  const graph = new QuestionGraph([question(0, '</Code>'), question(1, at(0), [0]), question(2, at(1), [0]), question(3, '</Code/a.c>', [1, 2])])
  const made = rows(graph, wanted())
  expect(made.map((row) => [row.nodes[0]!.number, row.isShadow])).toEqual([[0, false], [1, false], [3, false], [2, false], [3, true]])
  expect(rows(graph, wanted({ shadows: false })).length).toBe(4)
})

test('what was never asked is neither true nor false', () => {
  expect(stateOf(question(0, '</Code>', [], { asked: 0 }))).toBe('never')
})

test('twenty thousand nodes become as many rows', () => {
  const all = [question(0, '</Code>'), ...Array.from({ length: 20_000 }, (_, at) => question(at + 1, `</Code/a.c/f${at},/Machine,/Process,/SyncObject>`, [Math.floor(at / 10)]))]
  expect(rows(new QuestionGraph(all), wanted()).length).toBe(20_001)
})

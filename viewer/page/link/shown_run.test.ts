// What a run that goes on is asked for, and what becomes of it.

import { expect, test } from 'vitest'
import type { Change, Graph, Profile, Run, Series } from '../data/documents'
import type { Source } from '../data/source'
import { ShownRun } from './shown_run'

/** A run that goes on: what it is asked for is noted, and answered from what it holds by then. */
class Simulated implements Source {
  readonly isFile = false
  amounts: number[] = []
  width = 0.5
  readonly asked: number[] = []
  private changed: (change: Change) => void = () => {}

  private progress = (state: 'searching' | 'over') => ({ state, elapsed_s: this.amounts.length * this.width, exit_status: null, measured: null, waiting: null, cost: null })

  run = async () => ({ as_of: 0, progress: this.progress('searching'), hypotheses: [], metrics: [], resources: [], phases: [], log: [], directives: [], pairs: [], streams: [], facts: [], report: null }) as unknown as Run
  graph = async () => ({ as_of: 0, questions: [] }) as unknown as Graph
  profile = async () => ({ version: 0 }) as unknown as Profile
  stream = async () => null
  command = async () => null
  watch = (_: number, changed: (change: Change) => void) => {
    this.changed = changed
    return () => {}
  }

  series = async (metric: string, focus: string, from = 0): Promise<Series> => {
    this.asked.push(from)
    return { metric, focus, width_s: this.width, from, amounts: this.amounts.slice(from), covered: [] }
  }

  fold() {
    this.width *= 2
    this.amounts = Array.from({ length: Math.floor(this.amounts.length / 2) }, (_, at) => this.amounts[2 * at]! + this.amounts[2 * at + 1]!)
  }

  end() {
    this.changed({ progress: this.progress('over'), log: [], phases: [], resources: [], hypotheses: [], directives: [], pairs: [], questions: [], streams: [], profile: 0 } as unknown as Change)
  }
}

test('a fold is made here, too: what is known is not asked for again', async () => {
  const source = new Simulated()
  const shown = await ShownRun.open(0, source)
  source.amounts = [1, 2, 3, 4, 5]
  await shown.fetch('cpu', 'all')
  source.amounts.push(6, 7, 8)
  source.fold()
  const series = await shown.fetch('cpu', 'all')
  expect([source.asked, series]).toEqual([[0, 5, 2], { metric: 'cpu', focus: 'all', width_s: 1, from: 0, amounts: [3, 7, 11, 15], covered: [] }])
})

test('what was asked for before the end is had with its end', async () => {
  const source = new Simulated()
  const shown = await ShownRun.open(0, source)
  source.amounts = [1, 2]
  const asked = shown.fetch('cpu', 'all')
  source.amounts = [1, 2, 3]
  source.end()
  await asked
  expect([source.asked, shown.known('cpu', 'all')?.amounts]).toEqual([[0, 0], [1, 2, 3]])
})

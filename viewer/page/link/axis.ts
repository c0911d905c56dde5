// The axis of time that all views and all runs share: from the beginning to the end of the longest run.

import type { ShownRun } from './shown_run'

const runs: ShownRun[] = []

/** Names the runs of the page. */
export function share(all: ShownRun[]) {
  runs.splice(0, runs.length, ...all)
}

/** The end of the longest run. */
export const length = () => Math.max(1e-3, ...runs.map((one) => one.elapsed))

/** The part that is shown. */
export const span = (range: [number, number] | null): [number, number] => range ?? [0, length()]

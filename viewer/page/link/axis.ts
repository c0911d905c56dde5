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

/** What of a part lies in the run, as an address may name any; null where that is nothing or all of it. */
export function clipped([from, to]: [number, number], all: number): [number, number] | null {
  const [begin, end] = [Math.max(from, 0), Math.min(to, all)]
  return begin >= end || (begin <= 0 && end >= all) ? null : [begin, end]
}

/** The same in the runs of the page; how long one that goes on will be is not known. */
export const inside = (range: [number, number] | null) => range && clipped(range, runs.length === 0 || runs.some((one) => one.isLive) ? Infinity : length())

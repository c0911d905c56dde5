// Moments that stand on every axis of time: where phases begin, when questions were answered with yes, when functions were asked about.

import type { Mark } from '../draw/plot'
import type { ShownRun } from './shown_run'

/** More marks than this would hide the curve. */
const MOST = 200

export function marksOf(shown: ShownRun): Mark[] {
  const phases = shown.run.phases.map(({ begin_s, name }): Mark => ({ at: begin_s, label: name, kind: 'phase' }))
  const found = [...shown.graph(0).byNumber.values()]
    .filter((one) => one.truth === 'true' && one.found !== null)
    .map((one): Mark => ({ at: one.found! / 1e9, label: one.hypothesis, kind: 'verdict' }))
  const switched = shown.run.log
    .filter((line) => /^started .*<\/Code\/[^/,]+\//.test(line.text))
    .map((line): Mark => ({ at: line.time_s, label: line.text, kind: 'switch' }))
  return [...phases, ...thinned(found), ...thinned(switched)]
}

const thinned = (marks: Mark[]) => {
  const step = Math.ceil(marks.length / MOST)
  return marks.filter((_, at) => at % step === 0)
}

// The marks of a question's state and of an edge's kind: each a shape as well as a colour.

import type { State } from '../data/tree'

export const STATES: [State, string][] = [
  ['true', 'true'],
  ['unknown', 'unknown'],
  ['false', 'false'],
  ['never', 'never measured'],
]

/** True is a full disc, false a cross, unknown half a disc, and what was never measured an empty dashed circle. */
export function Verdict({ state, x = 0, y = 0 }: { state: State; x?: number; y?: number }) {
  const at = { transform: `translate(${x} ${y})`, class: `verdict ${state}` }
  if (state === 'true') return <g {...at}><circle r="5.5" /></g>
  if (state === 'false') return <g {...at}><path d="M-4 -4 L4 4 M4 -4 L-4 4" /></g>
  if (state === 'unknown') return <g {...at}><circle r="5" class="ring" /><path d="M0 -5 A5 5 0 0 1 0 5 Z" /></g>
  return <g {...at}><circle r="5" class="ring dashed" /></g>
}

export function VerdictIcon({ state }: { state: State }) {
  return (
    <svg class="icon" viewBox="-7 -7 14 14" width="14" height="14" aria-hidden="true">
      <Verdict state={state} />
    </svg>
  )
}

export function Legend() {
  return (
    <ul class="legend" aria-label="Legend">
      {STATES.map(([state, words]) => (
        <li key={state}><VerdictIcon state={state} /> {words}</li>
      ))}
      <li><svg class="icon" width="26" height="10" aria-hidden="true"><path class="edge why" d="M1 5 H25" /></svg> why</li>
      <li><svg class="icon" width="26" height="10" aria-hidden="true"><path class="edge where" d="M1 5 H25" /></svg> where</li>
      <li><em>italic</em> stands elsewhere, too</li>
    </ul>
  )
}

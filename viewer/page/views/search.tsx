// The view of the search: filters, the list, the drawn graph.

import { useMemo, useState } from 'preact/hooks'
import type { Question } from '../data/documents'
import { type Row, type State, rows as rowsOf, stateOf } from '../data/tree'
import { Legend, STATES } from '../draw/verdict'
import { link, linked, useShared } from '../link/linked'
import type { ShownRun } from '../link/shown_run'
import { GraphView } from './graph_view'
import { RowsView } from './rows_view'

export function Search({ shown }: { shown: ShownRun }) {
  const changes = useShared(shown.changes)
  const { selected, phase } = useShared(linked)
  const [states, setStates] = useState(() => first(shown, phase))
  const [shadows, setShadows] = useState(true)
  const [text, setText] = useState('')
  const [turned, setTurned] = useState(new Set<string>())
  const graph = shown.graph(phase)
  // What is true is open: the way to a finding is seen at once.
  const isOpen = (key: string, { nodes }: { nodes: Question[] }) =>
    turned.has(key) !== (text !== '' || (nodes.length === 1 && stateOf(nodes[0]!) === 'true'))
  const rows = useMemo(
    () => rowsOf(graph, { states, shadows, text, isOpen }),
    [graph, changes, states, shadows, text, turned],
  )
  const chosen = selected?.kind === 'question' && selected.run === shown.number && selected.phase === phase ? selected.number : null
  const select = (row: Row) => {
    const node = row.nodes[0]!
    link({ selected: { kind: 'question', run: shown.number, phase, number: node.number } })
  }
  const toggle = (row: Row) => {
    const next = new Set(turned)
    if (!next.delete(row.key)) next.add(row.key)
    setTurned(next)
  }
  const turn = (state: State) => {
    const next = new Set(states)
    if (!next.delete(state)) next.add(state)
    setStates(next)
  }
  const counts = useMemo(() => counted(graph.byNumber.values()), [graph, changes])
  return (
    <section data-view="search" class="search" aria-label="Search">
      <div class="filters" role="group" aria-label="What is shown of the search">
        {STATES.map(([state, words]) => (
          <label key={state}><input type="checkbox" checked={states.has(state)} onChange={() => turn(state)} /> {words} <span class="count">{counts[state]}</span></label>
        ))}
        <label><input type="checkbox" checked={shadows} onChange={() => setShadows(!shadows)} /> shadows</label>
        <input type="search" placeholder="hypothesis or resource" aria-label="Filter by text" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        {shown.run.phases.length > 0 && (
          <select aria-label="Which search" value={phase} onChange={(event) => link({ phase: Number(event.currentTarget.value), selected: null })}>
            <option value={0}>over the whole run</option>
            {shown.run.phases.map((one) => <option key={one.number} value={one.number}>phase {one.name}</option>)}
          </select>
        )}
      </div>
      <Legend />
      <RowsView {...{ shown, rows }} selected={chosen} isOpen={(row) => isOpen(row.key, row)} onToggle={toggle} onSelect={select} />
      <GraphView {...{ shown, rows }} selected={chosen} onSelect={select} />
    </section>
  )
}

/** True and unknown at first; where nothing is true, all that was asked. */
function first(shown: ShownRun, phase: number): Set<State> {
  const has = [...shown.graph(phase).byNumber.values()].some((node) => stateOf(node) === 'true')
  return new Set<State>(has || shown.isLive ? ['true'] : ['true', 'unknown', 'false'])
}

function counted(nodes: Iterable<Question>): Record<State, number> {
  const counts = { true: 0, false: 0, unknown: 0, never: 0 }
  for (const node of nodes) counts[stateOf(node)]++
  return counts
}

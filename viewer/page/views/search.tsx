// The view of the search: filters, the list, the drawn graph.

import { useMemo } from 'preact/hooks'
import type { Question } from '../data/documents'
import { type Row, type State, rows as rowsOf, stateOf } from '../data/tree'
import { Legend, STATES } from '../draw/verdict'
import { isOpened, opened, turned, useKept, useKeptSet } from '../link/kept'
import { link, linked, useShared } from '../link/linked'
import type { ShownRun } from '../link/shown_run'
import { GraphView } from './graph_view'
import { RowsView } from './rows_view'

export function Search({ shown }: { shown: ShownRun }) {
  const changes = useShared(shown.changes)
  const { selected, phase } = useShared(linked)
  const [stated, setStated] = useKept('search.states', '')
  const [hidden, setHidden] = useKept('search.shadows', '')
  const [text, setText] = useKept('search.text', '')
  // Keys of rows are numbers of questions, which each run and phase has for itself.
  const [open, setOpen] = useKeptSet(`search.open.${shown.number}.${phase}`)
  const shadows = hidden === ''
  const usual = useMemo(() => first(shown, phase), [shown, phase])
  const states = useMemo(() => (stated === '' ? usual : new Set(FILTERS.filter((one) => stated.split(' ').includes(one)))), [stated, usual])
  const graph = shown.graph(phase)
  const chosen = selected?.kind === 'question' && selected.run === shown.number && selected.phase === phase ? selected.number : null
  // What is true is open, and what leads to the choice: the way to it is seen at once.
  const way = useMemo(() => graph.above(chosen), [graph, chosen])
  const isOpen = (key: string, { nodes }: { nodes: Question[] }) =>
    isOpened(open, key, text !== '' || (nodes.length === 1 && stateOf(nodes[0]!) === 'true') || nodes.some((node) => way.has(node.number)))
  const rows = useMemo(
    () => rowsOf(graph, { states, shadows, text, chosen, isOpen }),
    [graph, changes, states, shadows, text, way, [...open].join('\n')],
  )
  const select = (row: Row) => {
    const node = row.nodes[0]!
    link({ selected: { kind: 'question', run: shown.number, phase, number: node.number } })
  }
  const turn = (filter: Filter) => setStated([...turned(states, filter)].join(' ') || NONE)
  const counts = useMemo(() => counted(graph.byNumber.values()), [graph, changes])
  return (
    <section data-view="search" class="search" aria-label="Search">
      <div class="filters" role="group" aria-label="What is shown of the search">
        {STATES.map(([state, words]) => (
          <label key={state}><input type="checkbox" checked={states.has(state)} onChange={() => turn(state)} /> {words} <span class="count">{counts[state]}</span></label>
        ))}
        {shown.isLive && <label><input type="checkbox" checked={states.has('active')} onChange={() => turn('active')} /> measured now <span class="count">{counts.active}</span></label>}
        <label><input type="checkbox" checked={shadows} onChange={() => setHidden(shadows ? 'hidden' : '')} /> shadows</label>
        <input type="search" placeholder="hypothesis or resource" aria-label="Filter by text" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        {shown.run.phases.length > 0 && (
          <select aria-label="Which search" value={phase} onChange={(event) => link({ phase: Number(event.currentTarget.value), selected: null })}>
            <option value={0}>over the whole run</option>
            {shown.run.phases.map((one) => <option key={one.number} value={one.number}>phase {one.name}</option>)}
          </select>
        )}
      </div>
      <Legend />
      <RowsView {...{ shown, rows }} selected={chosen} isOpen={(row) => isOpen(row.key, row)} onToggle={(row) => setOpen(opened(open, row.key, !isOpen(row.key, row)))} onSelect={select} />
      <GraphView {...{ shown, rows }} selected={chosen} onSelect={select} />
    </section>
  )
}

type Filter = State | 'active'

const FILTERS: Filter[] = [...STATES.map(([state]) => state), 'active']
/** What stands in the address where no filter is on. */
const NONE = 'none'

/** What is true at first; where nothing is, all that was asked. */
function first(shown: ShownRun, phase: number): Set<Filter> {
  const has = [...shown.graph(phase).byNumber.values()].some((node) => stateOf(node) === 'true')
  return new Set<Filter>(has || shown.isLive ? ['true'] : ['true', 'unknown', 'false'])
}

function counted(nodes: Iterable<Question>): Record<Filter, number> {
  const counts = { true: 0, false: 0, unknown: 0, never: 0, active: 0 }
  for (const node of nodes) {
    counts[stateOf(node)]++
    if (node.active) counts.active++
  }
  return counts
}

// The search as a drawn graph: the rows that are in sight as boxes, with every edge between them.

import dagre from '@dagrejs/dagre'
import { useMemo, useState } from 'preact/hooks'
import { ofHypothesis } from '../data/format'
import { type Row, label, stateOf } from '../data/tree'
import { Figure } from '../draw/figure'
import { Verdict } from '../draw/verdict'
import type { ShownRun } from '../link/shown_run'

interface Props {
  shown: ShownRun
  rows: Row[]
  selected: number | null
  onSelect(row: Row): void
}

/** More boxes than this are no picture; the list has them all. */
const MOST = 160
const [WIDE, HIGH] = [226, 42]

interface Box {
  row: Row
  what: string
  where: string
  x: number
  y: number
}

export function GraphView({ shown, rows, selected, onSelect }: Props) {
  const drawn = rows.filter((row) => !row.isShadow).slice(0, MOST)
  const key = drawn.map((row) => `${row.key} ${stateOf(row.nodes[0]!)}`).join()
  const { boxes, edges, width, height } = useMemo(() => laidOut(drawn), [key])
  const [zoom, setZoom] = useState(1)
  const note = rows.length > MOST ? `the first ${MOST} of ${rows.length} rows; filter the list to see others` : undefined
  return (
    <Figure title="Search history graph" note={note} class="graph">
      <div class="zoom">
        <button type="button" onClick={() => setZoom(zoom * 1.25)} aria-label="Larger">+</button>
        <button type="button" onClick={() => setZoom(zoom / 1.25)} aria-label="Smaller">−</button>
        <button type="button" onClick={() => setZoom(1)} aria-label="1:1, as it was">1:1</button>
      </div>
      <div class="scroller" tabIndex={0} role="group" aria-label="Drawn graph; the list says the same">
        <svg class="picture" width={width * zoom} height={height * zoom} viewBox={`0 0 ${width} ${height}`}>
          {edges.map(({ path, axis, key }) => <path key={key} d={path} class={`edge ${axis === 'why' ? 'why' : 'where'}`} />)}
          {boxes.map(({ row, what, where, x, y }) => {
            const node = row.nodes[0]!
            const state = stateOf(node)
            const isSelected = row.nodes.some((one) => one.number === selected)
            const value = ofHypothesis(node.value, shown.hypothesis(node.hypothesis))
            return (
              <g key={row.key} class={`box ${state} ${isSelected ? 'selected' : ''}`} transform={`translate(${x - WIDE / 2} ${y - HIGH / 2})`} onClick={() => onSelect(row)}>
                <title>{`${node.hypothesis} ${node.focus}: ${state}, ${value}`}</title>
                <rect width={WIDE} height={HIGH} rx={state === 'true' ? 4 : 12} />
                <Verdict state={state} x={14} y={HIGH / 2} />
                <text x="28" y="17" class="what">{what ? begun(what, 25) : ended(where, 21)}</text>
                <text x="28" y="33" class="where">{what ? ended(where || 'the whole program', 22) : begun(node.hypothesis, 20)}</text>
                <text x={WIDE - 8} y="33" class="number">{value}</text>
              </g>
            )
          })}
        </svg>
      </div>
    </Figure>
  )
}

const begun = (text: string, most: number) => (text.length <= most ? text : `${text.slice(0, most - 1)}…`)
/** The end of a focus tells more than its beginning. */
const ended = (text: string, most: number) => (text.length <= most ? text : `…${text.slice(text.length - most + 1)}`)

function laidOut(rows: Row[]) {
  const graph = new dagre.graphlib.Graph()
  graph.setGraph({ rankdir: 'LR', nodesep: 10, ranksep: 36, marginx: 12, marginy: 12 })
  graph.setDefaultEdgeLabel(() => ({}))
  const rowOf = new Map<number, string>()
  rows.forEach((row) => {
    graph.setNode(row.key, { width: WIDE, height: HIGH })
    row.nodes.forEach((node) => rowOf.set(node.number, row.key))
  })
  const axes = new Map<string, string>()
  for (const row of rows) {
    for (const parent of row.nodes.flatMap((node) => node.parents)) {
      const from = rowOf.get(parent.number)
      if (!from || from === row.key || axes.has(`${from} ${row.key}`)) continue
      axes.set(`${from} ${row.key}`, parent.axis)
      graph.setEdge(from, row.key)
    }
  }
  dagre.layout(graph)
  const boxes: Box[] = rows.map((row) => {
    const { x, y } = graph.node(row.key) as { x: number; y: number }
    const parent = rows.find((one) => row.nodes[0]!.parents.some((parent) => one.nodes.some((node) => node.number === parent.number)))
    return { row, ...label(row, parent?.nodes[0]), x, y }
  })
  const edges = graph.edges().map(({ v, w }) => {
    const { points } = graph.edge(v, w) as { points: { x: number; y: number }[] }
    return { key: `${v} ${w}`, axis: axes.get(`${v} ${w}`) ?? 'why', path: curve(points) }
  })
  const size = graph.graph() as { width?: number; height?: number }
  return { boxes, edges, width: Math.max(size.width ?? 0, 120), height: Math.max(size.height ?? 0, 60) }
}

function curve(points: { x: number; y: number }[]): string {
  const [first, ...rest] = points
  if (!first) return ''
  const last = rest.at(-1) ?? first
  const middle = (first.x + last.x) / 2
  return `M${first.x} ${first.y} C${middle} ${first.y} ${middle} ${last.y} ${last.x} ${last.y}`
}

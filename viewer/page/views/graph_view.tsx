// The search as a drawn graph: the rows that are in sight as boxes, with every edge between them.

import dagre from '@dagrejs/dagre'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { Question } from '../data/documents'
import { ofHypothesis } from '../data/format'
import { type Row, label, stateOf } from '../data/tree'
import type { Cell } from '../draw/export'
import { Figure } from '../draw/figure'
import { Verdict } from '../draw/verdict'
import { useKept } from '../link/kept'
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
  const [kept, keep] = useKept('search.zoom', '1')
  const zoom = Math.min(Math.max(Number(kept) || 1, 0.05), 8)
  const setZoom = (zoom: number) => keep(String(Number(zoom.toPrecision(4))))
  const frame = useRef<HTMLDivElement>(null)
  const here = boxes.find(({ row }) => row.nodes.some((one) => one.number === selected))
  const hasKeys = () => frame.current === document.activeElement
  useEffect(() => {
    // Only where keys lead: a reader who looks at another part keeps it.
    if (here && hasKeys()) frame.current!.querySelector('.box.selected')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [here])
  const act = (event: KeyboardEvent) => {
    const sizes: Record<string, number> = { '+': zoom * 1.25, '=': zoom * 1.25, '-': zoom / 1.25, '0': 1 }
    const next = moved(boxes, here, event.key)
    if (next) onSelect(next.row)
    else if (sizes[event.key] !== undefined) setZoom(sizes[event.key]!)
    else return
    event.preventDefault()
  }
  const note = rows.length > MOST ? `the first ${MOST} of ${rows.length} rows; filter the list to see others` : undefined
  return (
    <Figure title="Search history graph" note={note} class="graph" table={() => table(shown, drawn)}>
      <div class="zoom">
        <button type="button" onClick={() => setZoom(zoom * 1.25)} aria-label="Larger">+</button>
        <button type="button" onClick={() => setZoom(zoom / 1.25)} aria-label="Smaller">−</button>
        <button type="button" onClick={() => setZoom(1)} aria-label="1:1, as it was">1:1</button>
      </div>
      <div ref={frame} class="scroller" tabIndex={0} role="application" aria-label="Drawn graph; the list says the same: arrow keys choose a box, plus and minus change the size" onKeyDown={act}>
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

/** The box that a key leads to: left to what led to one, right to what it led to, up and down to the next of its column. */
export function moved<T extends { x: number; y: number; row: { nodes: Question[] } }>(boxes: T[], here: T | undefined, key: string): T | undefined {
  if (!/^Arrow/.test(key)) return undefined
  if (!here) return boxes[0]
  const numbers = (box: T) => box.row.nodes.map((node) => node.number)
  const ledBy = (box: T) => box.row.nodes.flatMap((node) => node.parents.map((parent) => parent.number))
  const share = (some: number[], others: number[]) => some.some((one) => others.includes(one))
  const nearest = (all: T[]) => all.sort((one, other) => Math.abs(one.y - here.y) - Math.abs(other.y - here.y))[0]
  const others = boxes.filter((box) => box !== here)
  if (key === 'ArrowLeft') return nearest(others.filter((box) => share(numbers(box), ledBy(here))))
  if (key === 'ArrowRight') return nearest(others.filter((box) => share(ledBy(box), numbers(here))))
  const side = key === 'ArrowDown' ? 1 : -1
  return nearest(others.filter((box) => Math.abs(box.x - here.x) < WIDE / 2 && (box.y - here.y) * side > 0))
}

/** The edges that are drawn, as a table. */
function table(shown: ShownRun, rows: Row[]): Cell[][] {
  const lines = rows.flatMap(({ nodes }) => nodes).map((node): Cell[] => {
    const led = node.parents.map((parent) => `${parent.axis} of ${parent.number}`).join(' ')
    return [node.number, node.hypothesis, node.focus, stateOf(node), node.value, node.threshold, shown.hypothesis(node.hypothesis)?.unit ?? null, led]
  })
  return [['number', 'hypothesis', 'focus', 'state', 'value', 'threshold', 'unit', 'led by'], ...lines]
}

const begun = (text: string, most: number) => (text.length <= most ? text : `${text.slice(0, most - 1)}…`)
/** The end of a focus tells more than its beginning; of ranks the first ones do. */
const ended = (text: string, most: number) => (text.startsWith('ranks ') ? begun(text, most) : text.length <= most ? text : `…${text.slice(text.length - most + 1)}`)

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

// The callpaths as a flame graph: as wide as the time in them, one below the other as they were called.

import { useEffect, useMemo, useState } from 'preact/hooks'
import { type PathNode, pathTree } from '../data/callpaths'
import { processOf } from '../data/focus'
import { percent, seconds } from '../data/format'
import { Figure } from '../draw/figure'
import { regionColour } from '../draw/palette'
import { useWidth } from '../draw/use_width'
import { useKept } from '../link/kept'
import { useFocus } from '../link/use_focus'
import { useWhole } from '../link/use_whole'
import type { ShownRun } from '../link/shown_run'

const HIGH = 20
/** A narrower box cannot be seen. */
const LEAST = 1.5

interface Box {
  node: PathNode
  path: string[]
  x: number
  wide: number
  depth: number
}

export function Flame({ shown }: { shown: ShownRun }) {
  const focus = useFocus(shown)
  const ofWhole = useWhole()
  const process = processOf(focus)
  const number = process !== null && /^\d+$/.test(process) && !shown.profile.is_summed ? Number(process) : null
  const whole = useMemo(() => pathTree(shown.profile, number), [shown.profile, number])
  const [kept, keep] = useKept('where.path', '')
  const into = kept === '' ? [] : kept.split('\n')
  const setInto = (path: string[]) => keep(path.join('\n'))
  const top = into.reduce<PathNode | undefined>((node, name) => node?.below.find((one) => one.name === name), whole) ?? whole
  const [frame, wide] = useWidth<HTMLDivElement>()
  const boxes = useMemo(() => laidOut(top, top === whole ? [] : into, wide), [top, wide])
  const [at, setAt] = useState<number | null>(null)
  useEffect(() => setAt(null), [boxes])
  const move = (event: KeyboardEvent) => {
    const next = moved(boxes, at, event.key)
    if (next !== null) setAt(next)
    else if (at !== null && (event.key === 'Enter' || event.key === ' ')) setInto(boxes[at]!.path)
    else if (event.key === 'Backspace') setInto(into.slice(0, -1))
    else return
    event.preventDefault()
  }
  const told = ({ node, path }: Box) => `${path.join(' => ') || 'all'}: ${seconds(node.inclusive)}, ${percent(node.inclusive / whole.inclusive)}`
  if (whole.inclusive <= 0) return null
  const depth = Math.max(...boxes.map((box) => box.depth)) + 1
  const of = number === null ? 'all processes' : `process ${number}`
  return (
    <Figure
      title="Callpaths"
      note={<>{of}: {seconds(whole.inclusive)} of what was counted{ofWhole}; the whole width is {top === whole ? 'all of it' : top.name}{top !== whole && <button type="button" class="chip" onClick={() => setInto([])}>show all</button>}</>}
      class="flame"
      table={() => [['path', 'inclusive_s'], ...boxes.map(({ node, path }) => [path.join(' => '), node.inclusive])]}
    >
      <div ref={frame}>
      <svg class="picture" viewBox={`0 0 ${wide} ${depth * HIGH}`} tabIndex={0} role="application" aria-label="Flame graph; the table of regions says the same in numbers: arrow keys move over its boxes, Enter looks into one, Backspace goes back" onKeyDown={move} onBlur={() => setAt(null)}>
        {boxes.map(({ node, path, x, wide, depth }) => (
          <g key={path.join('\n')} data-path={path.join(' => ')} onClick={() => setInto(path)}>
            <title>{told({ node, path, x, wide, depth })}</title>
            <rect x={x} y={depth * HIGH} width={Math.max(wide - 1, 0.5)} height={HIGH - 1} rx="2" fill={regionColour(node.name)} />
            {wide > 34 && <text x={x + 5} y={depth * HIGH + 13}>{cut(node.name, wide)}</text>}
          </g>
        ))}
        {at !== null && boxes[at] && <rect class="cursor" x={boxes[at].x} y={boxes[at].depth * HIGH} width={Math.max(boxes[at].wide - 1, 2)} height={HIGH - 1} />}
      </svg>
      </div>
      <p class="said" aria-live="polite">{at !== null && boxes[at] && told(boxes[at])}</p>
    </Figure>
  )
}

/** Where a key leads from a box: to the one that called it, to the first that it calls, or to the next one beside it. */
export function moved(boxes: { path: string[]; depth: number }[], at: number | null, key: string): number | null {
  const here = boxes[at ?? 0]
  if (!here || !/^Arrow/.test(key)) return null
  if (at === null) return 0
  const isBelow = (one: { path: string[] }, above: { path: string[] }) => above.path.every((name, depth) => one.path[depth] === name)
  const beside = boxes.flatMap((one, place) => (one.depth === here.depth ? [place] : []))
  const place = beside.indexOf(at)
  const to = {
    ArrowUp: boxes.findIndex((one) => one.depth === here.depth - 1 && isBelow(here, one)),
    ArrowDown: boxes.findIndex((one) => one.depth === here.depth + 1 && isBelow(one, here)),
    ArrowLeft: beside[place - 1] ?? at,
    ArrowRight: beside[place + 1] ?? at,
  }[key]
  return to === undefined ? null : to < 0 ? at : to
}

const cut = (name: string, wide: number) => {
  const most = Math.floor((wide - 8) / 6.4)
  return name.length <= most ? name : `${name.slice(0, Math.max(most - 1, 1))}…`
}

function laidOut(top: PathNode, path: string[], width: number): Box[] {
  const boxes: Box[] = []
  const scale = width / Math.max(top.inclusive, 1e-12)
  const visit = (node: PathNode, at: string[], x: number, depth: number) => {
    const wide = node.inclusive * scale
    if (wide < LEAST) return
    boxes.push({ node, path: at, x, wide, depth })
    let left = x
    for (const one of node.below) {
      visit(one, [...at, one.name], left, depth + 1)
      left += one.inclusive * scale
    }
  }
  visit(top, path, 0, 0)
  return boxes
}

// The callpaths as a flame graph: as wide as the time in them, one below the other as they were called.

import { useMemo, useState } from 'preact/hooks'
import { type PathNode, pathTree } from '../data/callpaths'
import { processOf } from '../data/focus'
import { percent, seconds } from '../data/format'
import { Figure } from '../draw/figure'
import { regionColour } from '../draw/palette'
import { useWidth } from '../draw/use_width'
import { useFocus } from '../link/use_focus'
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
  const process = processOf(focus)
  const number = process !== null && /^\d+$/.test(process) && !shown.profile.is_summed ? Number(process) : null
  const whole = useMemo(() => pathTree(shown.profile, number), [shown.profile, number])
  const [into, setInto] = useState<string[]>([])
  const top = into.reduce<PathNode | undefined>((node, name) => node?.below.find((one) => one.name === name), whole) ?? whole
  const [frame, wide] = useWidth<HTMLDivElement>()
  const boxes = useMemo(() => laidOut(top, top === whole ? [] : into, wide), [top, wide])
  if (whole.inclusive <= 0) return null
  const depth = Math.max(...boxes.map((box) => box.depth)) + 1
  const of = number === null ? 'all processes' : `process ${number}`
  return (
    <Figure
      title="Callpaths"
      note={<>{of}: {seconds(whole.inclusive)} of what was counted; the whole width is {top === whole ? 'all of it' : top.name}{top !== whole && <button type="button" class="chip" onClick={() => setInto([])}>show all</button>}</>}
      class="flame"
      table={() => [['path', 'inclusive_s'], ...boxes.map(({ node, path }) => [path.join(' => '), node.inclusive])]}
    >
      <div ref={frame}>
      <svg class="picture" viewBox={`0 0 ${wide} ${depth * HIGH}`} role="group" aria-label="Flame graph; the table of regions says the same in numbers">
        {boxes.map(({ node, path, x, wide, depth }) => (
          <g key={path.join('\n')} data-path={path.join(' => ')} onClick={() => setInto(path)}>
            <title>{`${path.join(' => ') || 'all'}: ${seconds(node.inclusive)}, ${percent(node.inclusive / whole.inclusive)}`}</title>
            <rect x={x} y={depth * HIGH} width={Math.max(wide - 1, 0.5)} height={HIGH - 1} rx="2" fill={regionColour(node.name)} />
            {wide > 34 && <text x={x + 5} y={depth * HIGH + 13}>{cut(node.name, wide)}</text>}
          </g>
        ))}
      </svg>
      </div>
    </Figure>
  )
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

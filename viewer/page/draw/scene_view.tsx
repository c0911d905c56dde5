// A scene on the page: painted as wide as there is room, with what the pointer is at, and a part that is chosen by dragging.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useCells } from '../link/cell_keys'
import { linked, useShared } from '../link/linked'
import { moveRange } from '../link/range_keys'
import { ink } from './palette'
import { type Item, type Scene, paint, recordAt } from './scene'
import { useWidth } from './use_width'

export type Corner = [x: number, y: number]

interface Props {
  make(width: number): Scene
  /** What a change of makes another scene. */
  like: unknown[]
  label: string
  /** What is said of a record. */
  say(record: number): string
  hint: string
  onDrag(scene: Scene, from: Corner, to: Corner): void
  onClear(): void
  /** What a record that keys lead to is chosen as. */
  onPick?(record: number): void
  /** Whether x is the time that all views share. */
  isOverTime: boolean
}

export function SceneView({ make, like, label, say, hint, onDrag, onClear, onPick, isOverTime }: Props) {
  const { theme } = useShared(linked)
  const [frame, width] = useWidth<HTMLDivElement>()
  const canvas = useRef<HTMLCanvasElement>(null)
  const [said, setSaid] = useState('')
  const [drag, setDrag] = useState<[Corner, Corner] | null>(null)
  const scene = useMemo(() => make(width), [width, theme, ...like])
  // Of many records the order takes a moment, and only keys need it.
  const records = useMemo(() => {
    let known: number[] | undefined
    return () => (known ??= inOrder(scene))
  }, [scene])
  const own = (event: KeyboardEvent) => isOverTime && moveRange(event)
  const { at: cursor, keys } = useCells({ rows: () => records().length, columns: 1, own, choose: ({ row }) => onPick?.(records()[row]!) })
  const stepped = cursor && records()[cursor.row]!
  useEffect(() => {
    const inks = { ink: ink('--ink'), soft: ink('--ink-soft'), line: ink('--line'), accent: ink('--accent') }
    const box = drag && { kind: 'box' as const, x: Math.min(drag[0][0], drag[1][0]), y: Math.min(drag[0][1], drag[1][1]), w: Math.abs(drag[1][0] - drag[0][0]), h: Math.abs(drag[1][1] - drag[0][1]) }
    const marked = stepped === null ? undefined : around(scene, stepped)
    paint(canvas.current!, { ...scene, items: [...scene.items, ...(box ? [box] : []), ...(marked ? [marked] : [])] }, inks)
  }, [scene, drag, theme, stepped])
  const at = (event: PointerEvent): Corner => {
    const box = canvas.current!.getBoundingClientRect()
    return [event.clientX - box.left, event.clientY - box.top]
  }
  return (
    <div ref={frame} class="scene">
      <canvas
        ref={canvas}
        style={{ width: `${scene.width}px`, height: `${scene.height}px` }}
        {...keys}
        role="application"
        aria-label={`${label}, which can be saved as CSV: up and down step through what is drawn${onPick ? ', Enter chooses it' : ''}${isOverTime ? ', left and right move the time that is shown, plus and minus zoom' : ''}`}
        onPointerDown={(event) => {
          canvas.current!.setPointerCapture(event.pointerId)
          setDrag([at(event), at(event)])
        }}
        onPointerMove={(event) => {
          const place = at(event)
          if (drag) setDrag([drag[0], place])
          const record = recordAt(scene, ...place)
          setSaid(record === null ? '' : say(record))
        }}
        onPointerUp={(event) => {
          if (!drag) return
          const place = at(event)
          if (Math.hypot(place[0] - drag[0][0], place[1] - drag[0][1]) > 4) onDrag(scene, drag[0], place)
          setDrag(null)
        }}
        onDblClick={onClear}
      />
      <p class="said" aria-live={cursor ? 'polite' : 'off'}>{stepped !== null ? say(stepped) : said || hint}</p>
    </div>
  )
}

/** The records that are drawn, from the left to the right. */
function inOrder({ items }: Scene): number[] {
  const places = new Map<number, number>()
  for (const item of items) if ('record' in item && !places.has(item.record)) places.set(item.record, item.x)
  return [...places].sort((one, other) => one[1] - other[1] || one[0] - other[0]).map(([record]) => record)
}

/** A box around all that is drawn of a record. */
function around({ items }: Scene, record: number): Item | undefined {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const item of items) {
    if (!('record' in item) || item.record !== record) continue
    const [x, y, w, h] = item.kind === 'mark' ? [item.x - item.r, item.y - item.r, 2 * item.r, 2 * item.r] : [item.x, item.y, item.w, item.h]
    ;[left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x + w), Math.max(bottom, y + h)]
  }
  return left <= right ? { kind: 'box', x: left - 2, y: top - 2, w: right - left + 4, h: bottom - top + 4 } : undefined
}

// A scene on the page: painted as wide as there is room, with what the pointer is at, and a part that is chosen by dragging.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { linked, useShared } from '../link/linked'
import { ink } from './palette'
import { type Scene, paint, recordAt } from './scene'
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
}

export function SceneView({ make, like, label, say, hint, onDrag, onClear }: Props) {
  const { theme } = useShared(linked)
  const [frame, width] = useWidth<HTMLDivElement>()
  const canvas = useRef<HTMLCanvasElement>(null)
  const [said, setSaid] = useState('')
  const [drag, setDrag] = useState<[Corner, Corner] | null>(null)
  const scene = useMemo(() => make(width), [width, theme, ...like])
  useEffect(() => {
    const inks = { ink: ink('--ink'), soft: ink('--ink-soft'), line: ink('--line'), accent: ink('--accent') }
    const box = drag && { kind: 'box' as const, x: Math.min(drag[0][0], drag[1][0]), y: Math.min(drag[0][1], drag[1][1]), w: Math.abs(drag[1][0] - drag[0][0]), h: Math.abs(drag[1][1] - drag[0][1]) }
    paint(canvas.current!, box ? { ...scene, items: [...scene.items, box] } : scene, inks)
  }, [scene, drag, theme])
  const at = (event: PointerEvent): Corner => {
    const box = canvas.current!.getBoundingClientRect()
    return [event.clientX - box.left, event.clientY - box.top]
  }
  return (
    <div ref={frame} class="scene">
      <canvas
        ref={canvas}
        style={{ width: `${scene.width}px`, height: `${scene.height}px` }}
        role="img"
        aria-label={`${label}; the table below says the same in numbers`}
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
      <p class="said" aria-live="off">{said || hint}</p>
    </div>
  )
}

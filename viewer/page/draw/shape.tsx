// The mark of a class, beside its name.

import { SHAPES, isStroke, outline } from './scene'

export function Mark({ at, colour }: { at: number; colour: string }) {
  const shape = SHAPES[at % SHAPES.length]!
  return (
    <svg class="icon" width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
      <path d={outline(shape, 6, 6, 4)} fill={isStroke(shape) ? 'none' : colour} stroke={isStroke(shape) ? colour : 'none'} stroke-width="1.4" />
    </svg>
  )
}

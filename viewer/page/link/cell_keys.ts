// A cursor that arrow keys move over the cells of a picture; Enter chooses the cell under it, as a click does.

import { useState } from 'preact/hooks'

export interface Cell {
  row: number
  column: number
}

interface Cells {
  /** How many there are; asked for when a key is pressed, where counting takes a moment. */
  rows: number | (() => number)
  columns: number
  choose(cell: Cell): void
  /** Keys of the picture's own, which come first; whether it was one. */
  own?(event: KeyboardEvent): boolean
}

/** The cell that the cursor is at, none while the picture has not the keys; and what listens to them. */
export function useCells({ rows, columns, choose, own }: Cells) {
  const [at, setAt] = useState<Cell | null>(null)
  const count = () => (typeof rows === 'function' ? rows() : rows)
  const onKeyDown = (event: KeyboardEvent) => {
    if (own?.(event)) return
    const next = moved(at, event.key, count(), columns)
    if (next) setAt(next)
    else if (at && (event.key === 'Enter' || event.key === ' ')) choose(at)
    else return
    event.preventDefault()
  }
  const known = at && at.row < count() && at.column < columns ? at : null
  return { at: known, keys: { tabIndex: 0, onKeyDown, onBlur: () => setAt(null) } }
}

/** Where a key leads; null of one that leads nowhere. */
export function moved(at: Cell | null, key: string, rows: number, columns: number): Cell | null {
  if (rows === 0 || columns === 0) return null
  const { row, column } = at ?? { row: 0, column: 0 }
  const next: Record<string, [number, number]> = {
    ArrowUp: [row - 1, column],
    ArrowDown: [at ? row + 1 : 0, column],
    ...(columns > 1 ? { ArrowLeft: [row, column - 1], ArrowRight: [row, at ? column + 1 : 0] } : {}),
    Home: columns > 1 ? [row, 0] : [0, 0],
    End: columns > 1 ? [row, columns - 1] : [rows - 1, 0],
  }
  const to = next[key]
  if (!to) return null
  const inside = (value: number, count: number) => Math.min(Math.max(value, 0), count - 1)
  return { row: inside(to[0], rows), column: inside(to[1], columns) }
}

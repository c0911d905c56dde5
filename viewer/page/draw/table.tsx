// A table that a click on a column's head sorts, and that can be saved as CSV.

import { type ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { slug, useKept } from '../link/kept'
import { type Cell, saveCsv } from './export'

export interface Column<T> {
  name: string
  /** Null where it is not known: nothing is read there. */
  value(row: T): Cell
  /** What is read, where it is not the value. */
  shown?(row: T): ComponentChildren
  /** Whether a bar behind the number says how much it is. */
  isBar?: boolean
  /** Whether it may break anywhere, as names of files do. */
  isLong?: boolean
}

interface Props<T> {
  title: string
  note?: ComponentChildren
  rows: T[]
  columns: Column<T>[]
  keyOf(row: T): string
  /** The column that the rows are sorted by at first, the largest on top; as they come where there is none. */
  sorted?: string
  isSelected?(row: T): boolean
  onSelect?(row: T): void
}

/** At first; a button shows the rest. */
const FEW = 25

export function Table<T>({ title, note, rows, columns, keyOf, sorted, isSelected, onSelect }: Props<T>) {
  const [order, setOrder] = useOrder(title, sorted)
  const [whole, setWhole] = useKept(`all.${slug(title)}`, '')
  const isWhole = whole !== ''
  // One row is reached by the tabulator, the others by arrows.
  const [reached, reach] = useState(0)
  const column = columns.find((one) => one.name === order.name)
  const all = column ? [...rows].sort((one, other) => compared(column.value(one), column.value(other), order.up)) : rows
  const shown = isWhole ? all : all.slice(0, FEW)
  const most = new Map(columns.filter((one) => one.isBar).map((one) => [one.name, Math.max(1e-12, ...rows.map((row) => Number(one.value(row) ?? 0)))]))
  const isNumber = (one: Column<T>) => rows.some((row) => typeof one.value(row) === 'number')
  const act = (event: KeyboardEvent, at: number) => {
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: shown.length - 1 }[event.key]
    const rows = (event.currentTarget as HTMLElement).parentElement!.children
    if (to !== undefined) (rows[Math.min(Math.max(to, 0), rows.length - 1)] as HTMLElement).focus()
    else if (event.key === 'Enter' || event.key === ' ') onSelect!(shown[at]!)
    else return
    event.preventDefault()
  }
  const table = () => [columns.map((one) => one.name), ...all.map((row) => columns.map((one) => one.value(row)))]
  return (
    <figure class="figure">
      <figcaption>
        <h3>{title}</h3>
        {note && <span class="note">{note}</span>}
        <span class="saves"><button type="button" onClick={() => saveCsv(title, table())} aria-label={`Save ${title} as CSV`}>CSV</button></span>
      </figcaption>
      <div class="scroller" tabIndex={0} role="group" aria-label={title}>
        <table>
          <thead>
            <tr>
              {columns.map((one) => (
                <th key={one.name} scope="col" class={isNumber(one) ? 'number' : ''} aria-sort={order.name !== one.name ? undefined : order.up ? 'ascending' : 'descending'}>
                  <button type="button" class="plain" onClick={() => setOrder(one.name, order.name === one.name && !order.up)}>{one.name}</button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, at) => (
              <tr
                key={keyOf(row)}
                class={`${onSelect ? 'choosable' : ''} ${isSelected?.(row) ? 'selected' : ''}`}
                aria-current={isSelected?.(row) || undefined}
                onClick={() => onSelect?.(row)}
                {...(onSelect ? { tabIndex: at === Math.min(reached, shown.length - 1) ? 0 : -1, onFocus: () => reach(at), onKeyDown: (event: KeyboardEvent) => act(event, at) } : {})}
              >
                {columns.map((one) => (
                  <td key={one.name} class={isNumber(one) ? 'number' : one.isLong ? 'long' : ''} style={one.isBar ? { '--share': `${(100 * Number(one.value(row) ?? 0)) / most.get(one.name)!}%` } : undefined} data-bar={one.isBar}>
                    {one.shown && one.value(row) !== null ? one.shown(row) : one.value(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {all.length > FEW && <button type="button" class="more" onClick={() => setWhole(isWhole ? '' : '1')}>{isWhole ? `Show ${FEW}` : `Show all ${all.length}`}</button>}
    </figure>
  )
}

/** By which column the rows are, as the address keeps it: `up name` or `down name`. */
function useOrder(title: string, sorted: string | undefined) {
  const [words, set] = useKept(`sort.${slug(title)}`, sorted === undefined ? '' : `down ${sorted}`)
  const gap = words.indexOf(' ')
  const order = { name: gap < 0 ? undefined : words.slice(gap + 1), up: words.startsWith('up ') }
  return [order, (name: string, up: boolean) => set(`${up ? 'up' : 'down'} ${name}`)] as const
}

/** What is not known comes after all that is, whichever way the rest is sorted. */
export function compared(one: Cell, other: Cell, up: boolean): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null)
  const both = up ? [one, other] : [other, one]
  const [first, second] = both as [Cell, Cell]
  if (typeof first === 'number' && typeof second === 'number') return first - second
  return String(first).localeCompare(String(second), 'en', { numeric: true })
}

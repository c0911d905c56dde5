// A table that a click on a column's head sorts, and that can be saved as CSV.

import { type ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
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
  const [order, setOrder] = useState<{ name: string | undefined; up: boolean }>({ name: sorted, up: false })
  const [isWhole, setWhole] = useState(false)
  const column = columns.find((one) => one.name === order.name)
  const all = column ? [...rows].sort((one, other) => (order.up ? 1 : -1) * compared(column.value(one), column.value(other))) : rows
  const shown = isWhole ? all : all.slice(0, FEW)
  const most = new Map(columns.filter((one) => one.isBar).map((one) => [one.name, Math.max(1e-12, ...rows.map((row) => Number(one.value(row) ?? 0)))]))
  const isNumber = (one: Column<T>) => rows.some((row) => typeof one.value(row) === 'number')
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
                  <button type="button" class="plain" onClick={() => setOrder({ name: one.name, up: order.name === one.name && !order.up })}>{one.name}</button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={keyOf(row)} class={`${onSelect ? 'choosable' : ''} ${isSelected?.(row) ? 'selected' : ''}`} onClick={() => onSelect?.(row)}>
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
      {all.length > FEW && <button type="button" class="more" onClick={() => setWhole(!isWhole)}>{isWhole ? `Show ${FEW}` : `Show all ${all.length}`}</button>}
    </figure>
  )
}

/** What is not known comes after all that is. */
function compared(one: Cell, other: Cell): number {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null)
  if (typeof one === 'number' && typeof other === 'number') return one - other
  return String(one ?? '').localeCompare(String(other ?? ''), 'en', { numeric: true })
}

// The search in list-box form: a tree of rows, of which only those in sight are in the document.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { ofHypothesis } from '../data/format'
import { type Row, label, stateOf } from '../data/tree'
import { VerdictIcon } from '../draw/verdict'
import type { ShownRun } from '../link/shown_run'

interface Props {
  shown: ShownRun
  rows: Row[]
  selected: number | null
  isOpen(row: Row): boolean
  onToggle(row: Row): void
  onSelect(row: Row): void
}

const HIGH = 26

export function RowsView({ shown, rows, selected, isOpen, onToggle, onSelect }: Props) {
  const frame = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const [height, setHeight] = useState(600)
  useLayoutEffect(() => setHeight(frame.current?.clientHeight || 600), [rows.length])
  const chosen = rows.findIndex((row) => row.nodes.some((node) => node.number === selected))
  useEffect(() => {
    const element = frame.current
    if (!element || chosen < 0) return
    if (chosen * HIGH < element.scrollTop) element.scrollTop = chosen * HIGH
    else if ((chosen + 1) * HIGH > element.scrollTop + element.clientHeight) element.scrollTop = (chosen + 1) * HIGH - element.clientHeight
  }, [chosen])

  const move = (event: KeyboardEvent) => {
    const row = rows[chosen]
    const to = (at: number) => {
      const next = rows[Math.min(Math.max(at, 0), rows.length - 1)]
      if (next) onSelect(next)
    }
    const acts: Record<string, () => void> = {
      ArrowDown: () => to(chosen + 1),
      ArrowUp: () => to(chosen - 1),
      Home: () => to(0),
      End: () => to(rows.length - 1),
      ArrowRight: () => row && (row.hasChildren && !isOpen(row) ? onToggle(row) : to(chosen + 1)),
      ArrowLeft: () => {
        if (row?.hasChildren && isOpen(row)) onToggle(row)
        else if (row) to(rows.findLastIndex((one, at) => at < chosen && one.depth < row.depth))
      },
      Enter: () => row?.hasChildren && onToggle(row),
      ' ': () => row?.hasChildren && onToggle(row),
    }
    const act = acts[event.key]
    if (!act) return
    event.preventDefault()
    act()
  }
  const first = Math.max(0, Math.floor(top / HIGH) - 10)
  const last = Math.min(rows.length, Math.ceil((top + height) / HIGH) + 10)
  const active = chosen >= 0 ? `q${shown.number}-${rows[chosen]!.key}` : undefined
  return (
    <div
      ref={frame}
      class="rows"
      role="tree"
      aria-label="Search history"
      tabIndex={0}
      aria-activedescendant={active}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      onKeyDown={move}
    >
      <div role="presentation" class="spacer" style={{ height: `${first * HIGH}px` }} />
      {rows.slice(first, last).map((row, at) => (
        <Line
          key={row.key}
          {...{ shown, row, onToggle, onSelect }}
          parent={above(rows, first + at)}
          isOpen={isOpen(row)}
          isSelected={first + at === chosen}
        />
      ))}
      <div role="presentation" class="spacer" style={{ height: `${(rows.length - last) * HIGH}px` }} />
      {rows.length === 0 && <p class="empty">{shown.graph(0).byNumber.size === 0 && !shown.isLive ? 'No question was asked of this run.' : 'Nothing of this kind was asked.'}</p>}
    </div>
  )
}

function above(rows: Row[], at: number) {
  const depth = rows[at]!.depth
  for (let before = at - 1; before >= 0; before--) {
    if (rows[before]!.depth < depth) return rows[before]!.nodes[0]
  }
  return undefined
}

interface LineProps extends Pick<Props, 'shown' | 'onToggle' | 'onSelect'> {
  row: Row
  parent: Row['nodes'][number] | undefined
  isOpen: boolean
  isSelected: boolean
}

function Line({ shown, row, parent, isOpen, isSelected, onToggle, onSelect }: LineProps) {
  const node = row.nodes[0]!
  const state = stateOf(node)
  const { what, where } = label(row, parent)
  const values = row.nodes.map((one) => one.value).filter((value) => value !== null)
  const hypothesis = shown.hypothesis(node.hypothesis)
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const value = values.length === 0 ? '–' : row.nodes.length > 1 && high - low > 0.0005
    ? `${ofHypothesis(low, hypothesis)} – ${ofHypothesis(high, hypothesis)}`
    : ofHypothesis(values[0]!, hypothesis)
  return (
    <div
      id={`q${shown.number}-${row.key}`}
      role="treeitem"
      class={`row ${state} ${isSelected ? 'selected' : ''} ${row.isShadow ? 'shadow' : ''}`}
      aria-level={row.depth + 1}
      aria-expanded={row.hasChildren ? isOpen : undefined}
      aria-selected={isSelected}
      data-hypothesis={node.hypothesis}
      data-focus={row.nodes.length === 1 ? node.focus : undefined}
      data-verdict={state}
      data-nodes={row.nodes.length}
      style={{ paddingLeft: `${8 + 16 * row.depth}px` }}
      onClick={() => onSelect(row)}
      onDblClick={() => row.hasChildren && onToggle(row)}
    >
      <span
        class={`twist ${row.hasChildren ? (isOpen ? 'open' : 'closed') : ''}`}
        aria-hidden="true"
        onClick={(event) => {
          event.stopPropagation()
          if (row.hasChildren) onToggle(row)
        }}
      />
      <VerdictIcon state={state} />
      {row.depth > 0 && <span class={`axis ${row.axis === 'why' ? 'why' : 'where'}`} aria-hidden="true" />}
      <span class="label">
        {what && <b>{what}</b>} <span class="focus">{where}</span>
      </span>
      {row.nodes.length > 1 && <span class="count">{row.nodes.length} alike</span>}
      <span class="value">{value}</span>
      <span class="visually-hidden">{state === 'never' ? 'never measured' : state}</span>
    </div>
  )
}

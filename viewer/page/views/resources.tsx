// The resource hierarchies as trees: choosing parts builds a focus, one part of each hierarchy.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type Part, counted, findings } from '../data/resources'
import { WHOLE, names, parts, shown as focusShown, withPart } from '../data/focus'
import { seconds } from '../data/format'
import { isOpened, opened, useKept, useKeptSet } from '../link/kept'
import { link } from '../link/linked'
import type { ShownRun } from '../link/shown_run'
import { useFocus } from '../link/use_focus'

/** More parts than this of one parent are shown by their first ones. */
const MOST = 200

export function Resources({ shown, roots }: { shown: ShownRun; roots: Part[] }) {
  const [open, setOpen] = useKeptSet('where.open')
  const [text, setText] = useKept('where.text', '')
  const focus = useFocus(shown)
  const found = useMemo(() => findings(shown.graph(0).byNumber.values()), [shown.run])
  const spent = useMemo(() => counted(shown.profile, roots), [shown.profile, roots])
  const wanted = text.trim().toLowerCase()
  // What has findings is open, as is what is chosen.
  const isOpen = (part: Part) =>
    isOpened(open, part.name, wanted !== '' || part.depth === 0 || names(focus, part.name) || ((found.get(part.name) ?? 0) > 0 && part.depth < 2))
  const wantedOf = (parts: Part[]) => (wanted === '' ? parts : parts.filter((part) => matches(part, wanted)))
  const rows: Part[] = []
  const visit = (part: Part) => {
    rows.push(part)
    if (isOpen(part)) wantedOf(part.parts).slice(0, MOST).forEach(visit)
  }
  wantedOf(roots).forEach(visit)
  const turn = (part: Part) => setOpen(opened(open, part.name, !isOpen(part)))
  const choose = (part: Part) => link({ selected: { kind: 'focus', focus: withPart(focus, part.name) } })
  const named = new Set(parts(focus))
  // One part of each hierarchy may be chosen, so the keys have a cursor of their own.
  const [at, setAt] = useState<string | null>(null)
  const chosen = rows.findLastIndex((part) => named.has(part.name))
  const cursor = Math.max(at === null ? chosen : rows.findIndex((part) => part.name === at), 0)
  const move = (event: KeyboardEvent) => {
    const row = rows[cursor]
    if (!row) return
    const go = (to: number) => setAt(rows[Math.min(Math.max(to, 0), rows.length - 1)]!.name)
    const acts: Record<string, () => void> = {
      ArrowDown: () => go(cursor + (at === null && chosen < 0 ? 0 : 1)),
      ArrowUp: () => go(cursor - 1),
      Home: () => go(0),
      End: () => go(rows.length - 1),
      ArrowRight: () => (row.parts.length > 0 && !isOpen(row) ? turn(row) : go(cursor + 1)),
      ArrowLeft: () => (row.parts.length > 0 && isOpen(row) ? turn(row) : go(rows.findLastIndex((one, before) => before < cursor && one.depth < row.depth))),
      Enter: () => choose(row),
      ' ': () => choose(row),
    }
    const act = acts[event.key]
    if (!act) return
    event.preventDefault()
    act()
  }
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (at !== null) frame.current?.querySelector('.cursor')?.scrollIntoView({ block: 'nearest' })
  }, [at])
  const id = (at: number) => `r${shown.number}-${at}`
  return (
    <div class="resources">
      <div class="filters">
        <input type="search" placeholder="resource" aria-label="Filter resources" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <span class="focus" data-focus={focus}>{focusShown(focus)}</span>
        {focus !== WHOLE && <button type="button" onClick={() => link({ selected: null })}>Whole program</button>}
      </div>
      <div ref={frame} class="rows columns" role="tree" aria-label="Resources; Enter chooses a part" tabIndex={0} aria-activedescendant={rows[cursor] && id(cursor)} onKeyDown={move} onBlur={() => setAt(null)}>
        <div class="row heading" role="presentation"><span class="label">part</span><span class="count">true</span><span class="value" title="seconds that were counted in it and in what it calls, of all processes and of the whole run">counted</span></div>
        {rows.map((part, place) => (
          <div
            key={part.name}
            id={id(place)}
            role="treeitem"
            aria-level={part.depth + 1}
            aria-expanded={part.parts.length > 0 ? isOpen(part) : undefined}
            aria-selected={named.has(part.name)}
            data-resource={part.name}
            class={`row ${part.depth === 0 ? 'root' : ''} ${part.name === at ? 'cursor' : ''} ${named.has(part.name) ? 'selected' : ''} ${part.resource?.retired_s !== null && part.resource && shown.isLive ? 'gone' : ''}`}
            style={{ paddingLeft: `${6 + 14 * part.depth}px` }}
            title={part.name}
            onClick={() => choose(part)}
          >
            <span
              class={`twist ${part.parts.length > 0 ? (isOpen(part) ? 'open' : 'closed') : ''}`}
              aria-hidden="true"
              onClick={(event) => {
                event.stopPropagation()
                turn(part)
              }}
            />
            <span class="label">{part.spelled}{isOpen(part) && wantedOf(part.parts).length > MOST ? <span class="note"> the first {MOST} of {wantedOf(part.parts).length}; filter to see others</span> : null}</span>
            <span class="count">{found.get(part.name) ?? ''}</span>
            <span class="value">{spent.has(part.name) ? seconds(spent.get(part.name)!) : ''}</span>
          </div>
        ))}
      </div>
    </div>
  )
}

const matches = (part: Part, text: string): boolean =>
  part.name.toLowerCase().includes(text) || part.spelled.toLowerCase().includes(text) || part.parts.some((one) => matches(one, text))

// The resource hierarchies as trees: choosing parts builds a focus, one part of each hierarchy.

import { useMemo, useState } from 'preact/hooks'
import { type Part, counted, findings, tree } from '../data/resources'
import { WHOLE, names, shown as focusShown, withPart } from '../data/focus'
import { seconds } from '../data/format'
import { link } from '../link/linked'
import type { ShownRun } from '../link/shown_run'
import { useFocus } from '../link/use_focus'

/** More parts than this of one parent are shown by their first ones. */
const MOST = 200

export function Resources({ shown }: { shown: ShownRun }) {
  const [turned, setTurned] = useState(new Set<string>())
  const [text, setText] = useState('')
  const focus = useFocus(shown)
  const roots = useMemo(() => tree(shown.run), [shown.run.resources])
  const found = useMemo(() => findings(shown.graph(0).byNumber.values()), [shown.run])
  const spent = useMemo(() => counted(shown.profile, shown.run), [shown.profile, shown.run.resources])
  const wanted = text.trim().toLowerCase()
  // What has findings is open, as is what is chosen.
  const isOpen = (part: Part) =>
    turned.has(part.name) !== (wanted !== '' || part.depth === 0 || names(focus, part.name) || ((found.get(part.name) ?? 0) > 0 && part.depth < 2))
  const rows: Part[] = []
  const visit = (part: Part) => {
    if (wanted !== '' && !matches(part, wanted)) return
    rows.push(part)
    if (isOpen(part)) part.parts.slice(0, MOST).forEach(visit)
  }
  roots.forEach(visit)
  const turn = (part: Part) => {
    const next = new Set(turned)
    if (!next.delete(part.name)) next.add(part.name)
    setTurned(next)
  }
  const choose = (part: Part) => link({ selected: { kind: 'focus', focus: withPart(focus, part.name) } })
  const chosen = rows.findLastIndex((part) => part.depth > 0 && isChosen(focus, part))
  const move = (event: KeyboardEvent) => {
    const at = { ArrowDown: chosen + 1, ArrowUp: chosen - 1, Home: 0, End: rows.length - 1 }[event.key]
    const row = rows[chosen]
    if (at !== undefined) choose(rows[Math.min(Math.max(at, 0), rows.length - 1)]!)
    else if (row && (event.key === 'ArrowRight' || event.key === 'ArrowLeft' || event.key === 'Enter')) turn(row)
    else return
    event.preventDefault()
  }
  return (
    <div class="resources">
      <div class="filters">
        <input type="search" placeholder="resource" aria-label="Filter resources" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <span class="focus" data-focus={focus}>{focusShown(focus)}</span>
        {focus !== WHOLE && <button type="button" onClick={() => link({ selected: null })}>Whole program</button>}
      </div>
      <div class="rows columns" role="tree" aria-label="Resources" tabIndex={0} onKeyDown={move}>
        <div class="row heading" role="presentation"><span class="label">part</span><span class="count">true</span><span class="value">counted</span></div>
        {rows.map((part) => (
          <div
            key={part.name}
            role="treeitem"
            aria-level={part.depth + 1}
            aria-expanded={part.parts.length > 0 ? isOpen(part) : undefined}
            aria-selected={part.depth > 0 && isChosen(focus, part)}
            data-resource={part.name}
            class={`row ${part.depth === 0 ? 'root' : ''} ${part.depth > 0 && isChosen(focus, part) ? 'selected' : ''} ${part.resource?.retired_s !== null && part.resource && shown.isLive ? 'gone' : ''}`}
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
            <span class="label">{part.word}{part.parts.length > MOST && isOpen(part) ? <span class="note"> the first {MOST} of {part.parts.length}; filter to see others</span> : null}</span>
            <span class="count">{found.get(part.name) ?? ''}</span>
            <span class="value">{spent.has(part.name) ? seconds(spent.get(part.name)!) : ''}</span>
          </div>
        ))}
      </div>
    </div>
  )
}

const isChosen = (focus: string, part: Part) => focus.includes(`${part.name},`) || focus.includes(`${part.name}>`)

const matches = (part: Part, text: string): boolean =>
  part.name.toLowerCase().includes(text) || part.parts.some((one) => matches(one, text))

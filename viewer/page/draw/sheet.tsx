// The frame of what is read and is neither a picture nor a table: its title, and its numbers as CSV.

import type { ComponentChildren } from 'preact'
import { type Cell, saveCsv } from './export'

interface Props {
  title: string
  note?: ComponentChildren
  children: ComponentChildren
  class?: string
  table(): Cell[][]
}

export function Sheet({ title, note, children, class: name, table }: Props) {
  return (
    <figure class={`figure ${name ?? ''}`}>
      <figcaption>
        <h3>{title}</h3>
        {note && <span class="note">{note}</span>}
        <span class="saves"><button type="button" onClick={() => saveCsv(title, table())} aria-label={`Save ${title} as CSV`}>CSV</button></span>
      </figcaption>
      {children}
    </figure>
  )
}

/** Names with what is known of each; what is not known is left out. */
export function Figures({ title, note, of }: { title: string; note?: string; of: [name: string, words: string | null][] }) {
  const known = of.filter(([, words]) => words !== null)
  return (
    <Sheet title={title} note={note} table={() => [['name', 'value'], ...known]}>
      <dl class="facts">{known.map(([name, words]) => <div key={name}><dt>{name}</dt><dd>{words}</dd></div>)}</dl>
    </Sheet>
  )
}

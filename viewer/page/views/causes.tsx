// Because of whom: the places where processes wait, with what the late ones did.

import type { Bottleneck, Cause } from '../data/documents'
import { shown as focusShown } from '../data/focus'
import { percent } from '../data/format'
import { useColour, useWords } from '../draw/palette'
import { Table } from '../draw/table'
import { link } from '../link/linked'
import type { ShownRun } from '../link/shown_run'

interface Row {
  place: Bottleneck
  cause: Cause
}

export function Causes({ shown }: { shown: ShownRun }) {
  const all = shown.run.report?.bottlenecks ?? []
  const rows = all.flatMap((place) => place.causes.map((cause): Row => ({ place, cause })))
  if (rows.length === 0) return null
  const who = ({ cause }: Row) => (cause.by === 'processors' ? 'too few processors' : cause.focus)
  return (
    <Table
      title="Because of whom"
      note="what is waited at a place, by who causes it"
      rows={rows}
      keyOf={({ place, cause }) => `${place.hypothesis} ${place.focus} ${cause.by} ${cause.focus} ${cause.state}`}
      onSelect={({ cause }) => link({ selected: { kind: 'focus', focus: cause.focus } })}
      columns={[
        { name: 'waits', value: ({ place }) => place.focus, isLong: true, shown: ({ place }) => <><b>{place.hypothesis}</b> <span class="focus">{focusShown(place.focus)}</span></> },
        { name: 'share', value: ({ cause }) => cause.share, shown: ({ cause }) => percent(cause.share), isBar: true },
        { name: 'because of', value: who, isLong: true, shown: (row) => <span class="focus">{row.cause.by === 'processors' ? who(row) : focusShown(row.cause.focus)}</span> },
        { name: 'which is', value: ({ cause }) => cause.state, shown: ({ cause }) => <span class="use"><i style={{ background: useColour(cause.state) }} />{useWords(cause.state)}</span> },
        { name: 'pattern', value: ({ cause }) => cause.pattern },
      ]}
    />
  )
}

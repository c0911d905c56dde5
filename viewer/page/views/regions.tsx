// The table of regions, which a click on a column sorts.

import { useMemo } from 'preact/hooks'
import { type Region, regions } from '../data/callpaths'
import { hierarchyOf, parts, processOf, spelled, withPart } from '../data/focus'
import { amount, bytes, percent, seconds } from '../data/format'
import { type Part, functionsOf } from '../data/resources'
import { Table } from '../draw/table'
import { link } from '../link/linked'
import { useFocus } from '../link/use_focus'
import { useWhole } from '../link/use_whole'
import type { ShownRun } from '../link/shown_run'

/** A function that is known from the callpaths through it alone was not counted itself. */
const counted = (row: Region, value: number) => (row.calls > 0 || row.exclusive > 0 ? value : null)

export function Regions({ shown, roots }: { shown: ShownRun; roots: Part[] }) {
  const focus = useFocus(shown)
  const ofWhole = useWhole()
  const process = processOf(focus)
  const number = process !== null && /^\d+$/.test(process) && !shown.profile.is_summed ? Number(process) : null
  const rows = useMemo(() => regions(shown.profile, number), [shown.profile, number])
  const functions = useMemo(() => functionsOf(roots), [roots])
  if (rows.length === 0) return null
  // What another tool measured may have no times, or no calls.
  const [hasTimes, hasCalls] = [rows.some((row) => row.inclusive > 0), rows.some((row) => row.calls > 0)]
  const isPartial = rows.some((row) => row.coverage !== null)
  const chosen = new Set(parts(focus).filter((part) => hierarchyOf(part) === 'Code').map((part) => spelled(part.split('/').at(-1)!)))
  const choose = (region: Region) => {
    const resource = functions.get(region.name)?.[0]
    if (resource) link({ selected: { kind: 'focus', focus: withPart(focus, resource) } })
  }
  return (
    <Table
      title="Regions"
      note={`${number === null ? 'all processes' : `process ${number}`}${ofWhole}${isPartial ? '; seen for: of the time of the process' : ''}`}
      rows={rows}
      keyOf={(row) => row.name}
      isSelected={(row) => chosen.has(row.name)}
      onSelect={choose}
      sorted="exclusive"
      columns={[
        { name: 'region', value: (row) => row.name },
        { name: 'calls', value: (row) => (hasCalls ? counted(row, row.calls) : null), shown: (row) => amount(row.calls) },
        { name: 'exclusive', value: (row) => (hasTimes ? counted(row, row.exclusive) : null), shown: (row) => seconds(row.exclusive), isBar: true },
        { name: 'inclusive', value: (row) => (hasTimes ? row.inclusive : null), shown: (row) => seconds(row.inclusive) },
        ...(isPartial ? [{ name: 'seen for', value: (row: Region) => row.coverage, shown: (row: Region) => percent(row.coverage!) }] : []),
        { name: 'sent', value: (row) => (row.sent > 0 ? row.sent : null), shown: (row) => bytes(row.sent) },
        { name: 'received', value: (row) => (row.received > 0 ? row.received : null), shown: (row) => bytes(row.received) },
        { name: 'source', value: (row) => row.source },
      ]}
    />
  )
}

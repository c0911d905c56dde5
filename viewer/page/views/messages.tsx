// The messages between ranks as a matrix: senders down, receivers across.

import { useMemo } from 'preact/hooks'
import type { Messages as Row } from '../data/documents'
import { WHOLE, processOf, withPart } from '../data/focus'
import { amount, bytes, seconds } from '../data/format'
import { Figure } from '../draw/figure'
import { heat, isDark } from '../draw/palette'
import { useCells } from '../link/cell_keys'
import { useKept } from '../link/kept'
import { useCommonMost } from '../link/common_most'
import { link } from '../link/linked'
import { useFocus } from '../link/use_focus'
import { useWhole } from '../link/use_whole'
import type { ShownRun } from '../link/shown_run'

type Kind = 'bytes' | 'calls' | 'waiting_s' | 'sending_s'
const KINDS: [Kind, string, (value: number) => string][] = [
  ['bytes', 'bytes', bytes],
  ['calls', 'messages', amount],
  ['waiting_s', 'waiting of the receiver', seconds],
  ['sending_s', 'waiting of the sender', seconds],
]
/** Cells a side; of more ranks several share a cell. */
const MOST = 96
const EDGE = 34
const [SMALL, LARGE] = [56, 460]

export function Messages({ shown }: { shown: ShownRun }) {
  const focus = useFocus(shown)
  const ofWhole = useWhole()
  const [named, setKind] = useKept('where.messages', 'bytes')
  const [kind, , format] = KINDS.find(([name]) => name === named) ?? KINDS[0]!
  const rows = shown.profile.messages
  const matrix = useMemo(() => (rows && rows.length > 0 ? binned(rows, kind) : null), [rows, kind])
  const { cells, size, ranks, side } = matrix ?? { cells: [], size: 1, ranks: [], side: 0 }
  const own = useMemo(() => Math.max(1e-12, ...cells.map((cell) => cell.value)), [matrix])
  const most = useCommonMost(`messages ${kind}`, own)
  const choose = (from: number) => link({ selected: { kind: 'focus', focus: withPart(WHOLE, `/Process/${ranks[from * size]}`) } })
  const { at, keys } = useCells({ rows: side, columns: side, choose: ({ row }) => choose(row) })
  if (!rows || !matrix) return null
  const told = (from: number, to: number, value: number | undefined) => `${name(ranks, from, size)} to ${name(ranks, to, size)}: ${value === undefined ? 'nothing' : format(value)}`
  const one = Math.min(SMALL, LARGE / side)
  const whole = one * side
  const chosen = processOf(focus)
  const step = Math.ceil(side / 16)
  return (
    <Figure
      title="Messages"
      note={<>from each rank (down) to each (across){size > 1 ? `, ${size} ranks a cell` : ''}; most: {format(own)}{ofWhole}</>}
      class="matrix"
      table={() => [['job', 'from', 'to', 'calls', 'bytes', 'waiting_s', 'sending_s'], ...rows.map((row) => [row.job, row.from, row.to, row.calls, row.bytes, row.waiting_s, row.sending_s])]}
    >
      <div class="filters" role="group" aria-label="What of the messages">
        {KINDS.map(([name, words]) => (
          <label key={name}><input type="radio" name={`kind-${shown.number}`} checked={kind === name} onChange={() => setKind(name)} /> {words}</label>
        ))}
      </div>
      <svg class="picture" width={whole + EDGE + 2} height={whole + EDGE + 2} viewBox={`0 0 ${whole + EDGE + 2} ${whole + EDGE + 2}`} {...keys} role="application" aria-label="Matrix of messages: arrow keys move over its cells, Enter chooses the sender">
        <rect x={EDGE} y={EDGE} width={whole} height={whole} class="ground" />
        {cells.map(({ from, to, value }) => (
          <rect
            key={`${from} ${to}`}
            x={EDGE + to * one + 0.5}
            y={EDGE + from * one + 0.5}
            width={Math.max(one - 1, 1)}
            height={Math.max(one - 1, 1)}
            fill={heat(0.12 + (0.88 * value) / most, isDark())}
            onClick={() => choose(from)}
          >
            <title>{told(from, to, value)}</title>
          </rect>
        ))}
        {Array.from({ length: Math.ceil(side / step) }, (_, at) => at * step).map((at) => (
          <g key={at} class={String(ranks[at * size]) === chosen ? 'selected' : ''}>
            <text x={EDGE - 6} y={EDGE + (at + 0.5) * one + 4} text-anchor="end">{label(ranks[at * size]!)}</text>
            <text x={EDGE + (at + 0.5) * one} y={EDGE - 8} text-anchor="middle">{label(ranks[at * size]!)}</text>
          </g>
        ))}
        {at && <rect class="cursor" x={EDGE + at.column * one} y={EDGE + at.row * one} width={one} height={one} />}
      </svg>
      <p class="said" aria-live="polite">{at && told(at.row, at.column, cells.find(({ from, to }) => from === at.row && to === at.column)?.value)}</p>
    </Figure>
  )
}

const label = (rank: number | null) => (rank === null ? '?' : String(rank))

const name = (ranks: (number | null)[], cell: number, size: number) => {
  const [first, last] = [ranks[cell * size]!, ranks[Math.min((cell + 1) * size, ranks.length) - 1]!]
  return first === last ? label(first) : `${label(first)}–${label(last)}`
}

function binned(rows: Row[], kind: Kind) {
  const known = [...new Set(rows.flatMap((row) => [row.from, row.to]))]
  // An end that cannot be told stands last.
  const ranks = known.sort((one, other) => (one ?? Infinity) - (other ?? Infinity))
  const size = Math.ceil(ranks.length / MOST)
  const side = Math.ceil(ranks.length / size)
  const place = new Map(ranks.map((rank, at) => [rank, Math.floor(at / size)]))
  const sums = new Map<string, { from: number; to: number; value: number }>()
  for (const row of rows) {
    const [from, to] = [place.get(row.from)!, place.get(row.to)!]
    const cell = sums.get(`${from} ${to}`) ?? { from, to, value: 0 }
    cell.value += row[kind]
    sums.set(`${from} ${to}`, cell)
  }
  return { cells: [...sums.values()].filter((cell) => cell.value > 0), size, ranks, side }
}

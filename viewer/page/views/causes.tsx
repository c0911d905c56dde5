// Because of whom: places where processes wait by who causes it, as a table with the chain to the first cause, and as a matrix.

import { useMemo } from 'preact/hooks'
import { chain, mostWaiting } from '../data/chains'
import type { Bottleneck, Cause, Messages } from '../data/documents'
import { processOf, shown as focusShown } from '../data/focus'
import { percent } from '../data/format'
import { Figure } from '../draw/figure'
import { useColour, stateWords } from '../draw/palette'
import { Table } from '../draw/table'
import { useWidth } from '../draw/use_width'
import { useCells } from '../link/cell_keys'
import { link } from '../link/linked'
import { open } from '../link/open'
import type { ShownRun } from '../link/shown_run'
import { useWhole } from '../link/use_whole'

interface Row {
  place: Bottleneck
  cause: Cause
}

const isRank = (cause: Cause) => cause.by !== 'processors'
const whoOf = (cause: Cause) => (isRank(cause) ? cause.focus : 'too few processors')
const whoShown = (cause: Cause) => (isRank(cause) ? focusShown(cause.focus) : 'too few processors')

export function Causes({ shown }: { shown: ShownRun }) {
  const ofWhole = useWhole()
  const all = shown.run.report?.bottlenecks ?? []
  const messages = shown.profile.messages ?? []
  const rows = all.flatMap((place) => place.causes.map((cause): Row => ({ place, cause })))
  if (rows.length === 0) return null
  const hasChains = rows.some((row) => ranksOf(row, messages).length > 0)
  return (
    <>
      <Table
        title="Because of whom"
        note={`what is waited at a place, by who causes it${ofWhole}; a chain leads from who waits to the first cause`}
        rows={rows}
        keyOf={({ place, cause }) => `${place.hypothesis} ${place.focus} ${cause.by} ${cause.focus} ${cause.state}`}
        onSelect={({ cause }) => link({ selected: { kind: 'focus', focus: cause.focus } })}
        columns={[
          { name: 'waits', value: ({ place }) => place.focus, isLong: true, shown: ({ place }) => <><b>{place.hypothesis}</b> <span class="focus">{focusShown(place.focus)}</span></> },
          { name: 'share', value: ({ cause }) => cause.share, shown: ({ cause }) => percent(cause.share), isBar: true },
          { name: 'because of', value: ({ cause }) => whoOf(cause), isLong: true, shown: ({ cause }) => <span class="focus">{whoShown(cause)}</span> },
          { name: 'which is', value: ({ cause }) => cause.state, shown: ({ cause }) => <span class="use"><i style={{ background: useColour(cause.state) }} />{stateWords(cause.state)}</span> },
          { name: 'pattern', value: ({ cause }) => cause.pattern },
          ...(hasChains ? [{ name: 'chain', value: (row: Row) => ranksOf(row, messages).join(' ← '), shown: (row: Row) => <Chain ranks={ranksOf(row, messages)} /> }] : []),
        ]}
      />
      <Matrix {...{ shown }} places={all.filter((place) => place.causes.length > 0)} />
    </>
  )
}

/** The ranks from who waits to who causes it, as far as that is a rank. */
function ranksOf({ place, cause }: Row, messages: Messages[]): number[] {
  const first = cause.by === 'rank' ? Number(processOf(cause.focus) ?? NaN) : NaN
  if (!Number.isInteger(first)) return []
  const named = Number(processOf(place.focus) ?? NaN)
  const waiting = Number.isInteger(named) ? named : mostWaiting(messages, first)
  return waiting === null || waiting === first ? [] : chain(messages, waiting, first)
}

function Chain({ ranks }: { ranks: number[] }) {
  return <span class="chain">{ranks.map((rank, at) => <span key={rank}>{at > 0 && ' ← '}<b>{rank}</b></span>)}</span>
}

/** The end of a name tells most. */
const cut = (text: string, most: number) => (text.length > most ? `…${text.slice(1 - most)}` : text)

/** Begin and end of a name: between them it is most alike. */
const middleCut = (text: string, most: number) => (text.length > most ? `${text.slice(0, 12)}…${text.slice(13 - most)}` : text)

/** Who, and what they do: colour alone would not tell two columns apart. */
const heading = (cause: Cause) => (isRank(cause) ? `${cut(whoShown(cause), 20)} ${stateWords(cause.state)}` : whoShown(cause))

const causeAt = ([key, { cause }]: [string, { cause: Cause }]): [string, Cause] => [key, cause]

/** More places or causes than this are no picture. */
const MOST = 40
const [LEFT, HIGH] = [270, 22]

/** Places by causes: how dark a field is says how much of the waiting there is because of whom. */
function Matrix({ shown, places }: { shown: ShownRun; places: Bottleneck[] }) {
  const [frame, width] = useWidth<HTMLDivElement>()
  const rows = places.slice(0, MOST)
  const causes = useMemo(() => {
    const sums = new Map<string, { cause: Cause; sum: number }>()
    for (const cause of rows.flatMap((place) => place.causes)) {
      const key = `${whoOf(cause)} ${cause.state}`
      const known = sums.get(key)
      sums.set(key, { cause, sum: (known?.sum ?? 0) + cause.share })
    }
    return [...sums].sort(([, one], [, other]) => other.sum - one.sum).slice(0, MOST)
  }, [places])
  const share = (place: Bottleneck, key: string) => place.causes.filter((cause) => `${whoOf(cause)} ${cause.state}` === key).reduce((sum, cause) => sum + cause.share, 0)
  const told = (place: Bottleneck, key: string, cause: Cause) => {
    const value = share(place, key)
    return value > 0 ? `${percent(value)} because of ${whoOf(cause)}, ${stateWords(cause.state)}` : 'nothing that is told'
  }
  const show = (place: Bottleneck) => open(shown, place.hypothesis, place.focus)
  const { at, keys } = useCells({ rows: rows.length, columns: causes.length, choose: ({ row }) => show(rows[row]!) })
  if (causes.length < 2) return null
  const step = Math.min(64, Math.max(14, (width - LEFT - 10) / Math.max(causes.length, 1)))
  // Of several hypotheses about one place each says its name.
  const foci = rows.map((place) => place.focus)
  const named = ({ focus, hypothesis }: Bottleneck) => (foci.indexOf(focus) === foci.lastIndexOf(focus) ? focusShown(focus) : `${focusShown(focus)}: ${hypothesis}`)
  // Slanted words above the columns need this much.
  const WORDS = 22 + Math.round(4.2 * Math.max(...causes.map(([, { cause }]) => heading(cause).length)))
  const height = WORDS + rows.length * HIGH
  return (
    <Figure
      title="Waiting places and their causes"
      note="rows wait because of columns"
      table={() => [['waits', 'because of', 'which is', 'share'], ...rows.flatMap((place) => place.causes.map((cause) => [`${place.hypothesis} ${place.focus}`, whoOf(cause), cause.state, cause.share]))]}
    >
      <div ref={frame} class="scroller" {...keys} role="application" aria-label="Matrix of waiting places and their causes: arrow keys move over its cells, Enter shows the question">
        <svg class="picture causes" viewBox={`0 0 ${Math.max(width, LEFT + causes.length * step + 10)} ${height}`}>
          {causes.map(([key, { cause }], at) => (
            <text key={key} transform={`translate(${LEFT + (at + 0.5) * step + 3} ${WORDS - 8}) rotate(-38)`}>
              <title>{`${whoOf(cause)}, ${stateWords(cause.state)}`}</title>{heading(cause)}
            </text>
          ))}
          {rows.map((place, row) => (
            <g key={place.hypothesis + place.focus} class="choosable" onClick={() => show(place)}>
              <text x={LEFT - 8} y={WORDS + row * HIGH + 15} text-anchor="end"><title>{`${place.hypothesis} ${place.focus}`}</title>{middleCut(named(place), 38)}</text>
              {causes.map(([key, { cause }], at) => {
                const value = share(place, key)
                const box = { x: LEFT + at * step + 1, y: WORDS + row * HIGH + 1, width: step - 2, height: HIGH - 2 }
                return (
                  <g key={key}>
                    <title>{told(place, key, cause)}</title>
                    <rect {...box} class="ground" />
                    {value > 0 && <rect {...box} fill={useColour(cause.state)} opacity={0.2 + 0.8 * value} />}
                    {value >= 0.05 && step > 34 && <text class="inside" x={box.x + box.width / 2} y={box.y + 14} text-anchor="middle">{percent(value, 0)}</text>}
                  </g>
                )
              })}
            </g>
          ))}
          {at && <rect class="cursor" x={LEFT + at.column * step} y={WORDS + at.row * HIGH} width={step} height={HIGH} />}
        </svg>
      </div>
      <p class="said" aria-live="polite">{at && `${rows[at.row]!.hypothesis} ${focusShown(rows[at.row]!.focus)}: ${told(rows[at.row]!, ...causeAt(causes[at.column]!))}`}</p>
    </Figure>
  )
}

// The view of streams: records of other sources on the same axis of time, as their declaration or the reader maps them.

import { useMemo } from 'preact/hooks'
import type { Stream, StreamPicture } from '../data/documents'
import { counted } from '../data/format'
import { type Value, column } from '../data/streams'
import { type Box, inBox } from '../draw/stream_scene'
import { Table } from '../draw/table'
import { turned, useKept } from '../link/kept'
import { link, linked, useShared } from '../link/linked'
import type { ShownRun } from '../link/shown_run'
import { Picture } from './stream_picture'

export function Streams({ shown }: { shown: ShownRun }) {
  useShared(shown.changes)
  const count = shown.run.streams.length
  return (
    <section data-view="streams" class="streams" aria-label="Streams">
      {count === 0 && <Nothing />}
      {Array.from({ length: count }, (_, number) => {
        const stream = shown.streams[number]
        return stream ? <One key={number} {...{ stream, number, shown }} /> : <p key={number} class="empty">…</p>
      })}
    </section>
  )
}

function Nothing() {
  return (
    <div class="empty">
      <p>No other data stands beside this run. Any records with a header join it on the same axis of time:</p>
      <p><code>whyperf view RUN --stream vmstat.csv</code></p>
      <p><code>whyperf run --view --stream-cmd 'vmstat 1' -- mpirun -n 4 ./app</code></p>
    </div>
  )
}

function One({ stream, number, shown }: { stream: Stream; number: number; shown: ShownRun }) {
  const { mapped } = useShared(linked)
  // What a box in one picture holds is chosen in all pictures of the stream.
  const [kept, keep] = useKept(`streams.${number}.chosen`, '')
  const pictures = useMemo(() => stream.pictures.map((picture, at) => remapped(picture, `${number}.${at}`, mapped)), [stream.pictures, mapped])
  const chosen = useMemo(() => chosenOf(stream, pictures, kept), [stream, pictures, kept])
  const turn = (record: number) => keep(`records ${[...turned(chosen ?? new Set(), record)].join(' ')}`.trim().replace(/^records$/, ''))
  const more = stream.malformed_count - stream.malformed.length
  return (
    <article class="stream" aria-label={`Stream ${stream.name}`} data-stream={stream.name}>
      <h2>{stream.name}</h2>
      <p class="note">
        {stream.source === stream.name ? '' : `${stream.source}: `}{counted(stream.records, 'record')}{stream.every > 1 ? `, every ${stream.every}th of those that came` : ''}
        {chosen && <> · {chosen.size === 1 ? '1 is' : `${chosen.size} are`} chosen <button type="button" onClick={() => keep('')}>All of them</button></>}
      </p>
      {pictures.map((picture, at) => (
        <Picture key={at} {...{ stream, picture, chosen, shown }} onChoose={(box) => keep(box ? `box ${at} ${box.map((edge) => Number(edge.toPrecision(6))).join(' ')}` : '')}>
          <Mapping {...{ stream, picture }} key={`${number}.${at}`} name={`${number}.${at}`} />
        </Picture>
      ))}
      <Records {...{ stream, chosen }} number={number} onTurn={turn} />
      {stream.malformed_count > 0 && (
        <Table
          title={`Left out of ${stream.name}`}
          note={`${stream.malformed_count === 1 ? 'a line' : `${stream.malformed_count} lines`}${more > 0 ? `, of which the first ${stream.malformed.length} are named` : ''}`}
          rows={stream.malformed.map((row, at) => ({ ...row, at }))}
          keyOf={({ at }) => String(at)}
          columns={[{ name: 'line', value: ({ line }) => line }, { name: 'column', value: ({ column }) => column }, { name: 'what is wrong', value: ({ what }) => what, isLong: true }]}
        />
      )}
    </article>
  )
}

/** The records that a reader chose, as the address keeps them: those in a box of a picture, or some by number. */
function chosenOf(stream: Stream, pictures: StreamPicture[], kept: string): Set<number> | null {
  const [what, ...numbers] = kept.split(' ')
  const [at, ...edges] = numbers.map(Number)
  const picture = pictures[at ?? -1]
  if (what === 'box' && picture && edges.length === 4 && edges.every(Number.isFinite)) return inBox(stream, picture, edges as Box)
  if (what !== 'records') return null
  const known = numbers.map(Number).filter((one) => Number.isInteger(one) && one >= 0 && one < stream.records)
  return known.length > 0 ? new Set(known) : null
}

type Mapped = 'x' | 'y' | 'color' | 'size' | 'shape'

/** The picture with what a reader chose. */
function remapped(picture: StreamPicture, name: string, mapped: [string, string][]): StreamPicture {
  const changed = { ...picture }
  for (const [key, attribute] of mapped) {
    if (!key.startsWith(`${name}.`)) continue
    const what = key.slice(name.length + 1) as Mapped
    if (what === 'y') changed.y = [attribute]
    else if (what === 'x') changed.x = attribute
    else changed[what] = attribute || null
  }
  return changed
}

const WORDS: Record<Mapped, string> = { x: 'x', y: 'y', color: 'colour', size: 'size', shape: 'shape' }

/** Which attribute is which graphical one. */
function Mapping({ stream, picture, name }: { stream: Stream; picture: StreamPicture; name: string }) {
  const { mapped } = useShared(linked)
  const offered: Mapped[] = picture.kind === 'scatter' ? ['x', 'y', 'color', 'size', 'shape'] : picture.kind === 'activity' ? ['y', 'color'] : []
  if (offered.length === 0) return null
  const is = (what: Mapped) => (what === 'y' ? picture.y[0] : picture[what]) ?? ''
  const choose = (what: Mapped, attribute: string) => {
    const key = `${name}.${what}`
    link({ mapped: [...mapped.filter(([one]) => one !== key), [key, attribute]] })
  }
  return (
    <p class="filters mapping">
      {offered.map((what) => (
        <label key={what}>{WORDS[what]}{' '}
          <select value={is(what)} onChange={(event) => choose(what, event.currentTarget.value)}>
            {(what === 'x' || what === 'y') ? null : <option value="">the same for all</option>}
            {!stream.attributes.some((one) => one.name === is(what)) && is(what) !== '' && <option value={is(what)}>{is(what)}</option>}
            {stream.attributes.map((one) => <option key={one.name} value={one.name}>{one.name}</option>)}
          </select>
        </label>
      ))}
    </p>
  )
}

function Records({ stream, chosen, number, onTurn }: { stream: Stream; chosen: Set<number> | null; number: number; onTurn(record: number): void }) {
  const [open, setOpen] = useKept(`streams.${number}.records`, '')
  const [kept] = useKept(`streams.${number}.chosen`, '')
  // What a box holds stands alone; of those that are chosen one by one there may be more.
  const isBox = kept.startsWith('box')
  const rows = useMemo(() => {
    const all = Array.from({ length: stream.records }, (_, at) => at)
    return chosen && isBox ? all.filter((at) => chosen.has(at)) : all
  }, [stream, chosen, isBox])
  const columns = stream.attributes.map(({ name, unit }) => {
    const values: Value[] = column(stream, name) ?? []
    return { name: unit ? `${name} (${unit})` : name, value: (at: number) => values[at] ?? null }
  })
  if (columns.length === 0) return <p class="empty">No record came yet.</p>
  return (
    <details open={open !== ''} onToggle={(event) => setOpen(event.currentTarget.open ? '1' : '')}>
      <summary>Its records as a table</summary>
      <Table title={`Records of ${stream.name}`} rows={rows} keyOf={String} columns={columns} isSelected={(at) => chosen?.has(at) ?? false} onSelect={onTurn} />
    </details>
  )
}

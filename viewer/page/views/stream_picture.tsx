// A picture of a stream: curves over time, a mark for each record, or an activity with its busy rows.

import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { Stream, StreamPicture } from '../data/documents'
import { type Value, axisName, bars, busyRows, column, compared, isTime } from '../data/streams'
import type { Cell } from '../draw/export'
import { Figure } from '../draw/figure'
import { lineColour, useColour } from '../draw/palette'
import { Plot } from '../draw/plot'
import { belowEachOther, plotSvg } from '../draw/plot_svg'
import { type Scene, sceneSvg } from '../draw/scene'
import { type Corner, SceneView } from '../draw/scene_view'
import { type Box, type Extent, type Look, activity, colourOf, lookOf, scatter, shortNumber } from '../draw/stream_scene'
import { Mark } from '../draw/shape'
import { span } from '../link/axis'
import { slug, useKept } from '../link/kept'
import { link, linked, useShared } from '../link/linked'
import type { ShownRun } from '../link/shown_run'

interface Props {
  stream: Stream
  picture: StreamPicture
  chosen: Set<number> | null
  shown: ShownRun
  /** A box of values whose records are chosen; null chooses all. */
  onChoose(box: Box | null): void
  children: ComponentChildren
}

export function Picture(props: Props) {
  const { kind } = props.picture
  if (kind === 'lines') return <Lines {...props} />
  return kind === 'scatter' ? <Scatter {...props} /> : <Activity {...props} />
}

/** The attributes that a picture shows, as a table. */
function tableOf(stream: Stream, names: (string | null | undefined)[]): Cell[][] {
  const used = [...new Set(names)].filter((name): name is string => stream.attributes.some((one) => one.name === name))
  const columns = used.map((name) => column(stream, name) ?? [])
  return [used, ...Array.from({ length: stream.records }, (_, at) => columns.map((values) => values[at] ?? null))]
}

function Lines({ stream, picture, chosen }: Props) {
  const { range, theme } = useShared(linked)
  const plots = useMemo(() => picture.y.map((name, at) => curve(stream, picture, name, at, chosen)), [stream, picture, chosen, theme])
  const drawn = plots.map((plot) => ({ ...plot, range: span(range), format: shortNumber, shows: `${stream.name} ${picture.title} ${plot.label}` }))
  return (
    <Figure title={`${stream.name}: ${picture.title}`} svg={() => belowEachOther(drawn.map(plotSvg))} table={() => tableOf(stream, [picture.x, picture.color, ...picture.y])}>
      {drawn.map((plot) => (
        <div key={plot.label} class="small">
          <span class="name">{plot.label}</span>
          <Plot {...plot} height={picture.y.length > 3 ? 72 : 110} />
        </div>
      ))}
    </Figure>
  )
}

/** An attribute over time; a curve for each class of the attribute that chooses the colour. */
function curve(stream: Stream, picture: StreamPicture, name: string, number: number, chosen: Set<number> | null) {
  const [xs, ys, classes] = [column(stream, picture.x) ?? [], column(stream, name) ?? [], column(stream, picture.color)]
  const order = xs.flatMap((x, at) => (typeof x === 'number' ? [at] : [])).sort((one, other) => compared(xs[one]!, xs[other]!))
  const times = order.map((at) => xs[at] as number)
  const of = (is: (at: number) => boolean) => order.map((at) => (is(at) && typeof ys[at] === 'number' ? (ys[at] as number) : null))
  const kinds: Value[] = classes ? [...new Set(classes)].sort(compared) : [null]
  const layers = kinds.map((kind, at) => ({
    label: classes ? `${name} of ${kind}` : name,
    colour: lineColour(classes ? at : number),
    values: of((record) => (!classes || classes[record] === kind) && (!chosen || chosen.has(record))),
    isJoined: classes !== undefined,
    hasPoints: chosen !== null,
  }))
  return { times, layers, label: axisName(stream, name) }
}

/** More classes are no pictures of their own. */
const MOST_DETAILS = 12

function Scatter({ stream, picture, chosen, onChoose, children }: Props) {
  const { range } = useShared(linked)
  const overTime = isTime(stream, picture.x)
  const shownRange = overTime ? span(range) : null
  const look = useMemo(() => lookOf(stream, picture), [stream, picture])
  const make = (width: number, only?: (record: number) => boolean, height?: number) =>
    scatter({ stream, picture, look, width, range: shownRange, chosen, ...(only ? { only } : {}), ...(height ? { height } : {}) })
  const like = [stream, picture, look, chosen, shownRange?.[0], shownRange?.[1]]
  const drag = (scene: Scene, from: Corner, to: Corner) => {
    if (overTime) link({ range: times(scene, shownRange!, from, to) })
    else onChoose(boxOf(scene as Scene & { extent: Extent }, from, to))
  }
  const shared = {
    say: (record: number) => told(stream, record),
    onDrag: drag,
    onClear: () => (overTime ? link({ range: null }) : onChoose(null)),
    isOverTime: overTime,
  }
  const classes = look.colours?.kind === 'classes' && picture.color ? look.colours.classes : []
  const colours = column(stream, picture.color)
  const title = `${stream.name}: ${picture.title}`
  const [open, setOpen] = useKept(`open.${slug(title)}`, '')
  return (
    <Figure title={title} svg={() => sceneSvg(make(800), title)} table={() => tableOf(stream, [picture.x, ...picture.y, picture.color, picture.size, picture.shape])}>
      {children}
      <Keys {...{ look, picture }} />
      <SceneView make={make} like={like} label={title} hint={overTime ? 'drag to look closer' : 'a box that is drawn with the pointer chooses its records in all pictures of the stream'} {...shared} />
      {classes.length > 1 && classes.length <= MOST_DETAILS && (
        <details open={open !== ''} onToggle={(event) => setOpen(event.currentTarget.open ? '1' : '')}>
          <summary>A picture for each {picture.color}</summary>
          <div class="grid">
            {classes.map((one) => (
              <div key={String(one)}>
                <span class="name">{String(one)}</span>
                <SceneView make={(width) => make(width, (record) => colours?.[record] === one, 190)} like={like} label={`${title}, ${one}`} hint="" {...shared} />
              </div>
            ))}
          </div>
        </details>
      )}
    </Figure>
  )
}

function Activity({ stream, picture, chosen, shown, children }: Props) {
  const { range } = useShared(linked)
  const shownRange = span(range)
  const look = useMemo(() => lookOf(stream, picture), [stream, picture])
  const all = useMemo(() => bars(stream, picture, shown.elapsed), [stream, picture, shown.elapsed])
  const make = (width: number) => activity({ stream, picture, look, width, range: shownRange, chosen }, all)
  const rows = useMemo(() => new Set(all.map(({ row }) => row)).size, [all])
  const busy = useMemo(() => busyRows(all, shownRange, 200), [all, shownRange[0], shownRange[1]])
  const title = `${stream.name}: ${picture.title}`
  const layers = [
    { label: 'busy', colour: lineColour(0), values: busy.busy },
    { label: 'idle', colour: useColour('idle'), values: busy.busy.map((count) => rows - count) },
  ]
  const plot = { times: busy.times, layers, isStacked: true, range: shownRange, format: shortNumber, label: `Rows that are busy, of ${rows}` }
  return (
    <>
      <Figure title={title} svg={() => sceneSvg(make(800), title)} table={() => tableOf(stream, [picture.x, picture.end, ...picture.y, picture.color])}>
        {children}
        <Keys {...{ look, picture }} />
        <SceneView
          make={make}
          like={[stream, picture, look, all, chosen, shownRange[0], shownRange[1]]}
          label={title}
          hint="drag to look closer"
          say={(record) => told(stream, record)}
          onDrag={(scene, from, to) => link({ range: times(scene, shownRange, from, to) })}
          onClear={() => link({ range: null })}
          isOverTime
        />
      </Figure>
      {picture.end !== null && rows > 1 && (
        <Figure title={`${stream.name}: busy and idle rows`} note={plot.label} svg={() => plotSvg(plot)} table={() => [['time_s', 'busy', 'idle'], ...busy.times.map((time, at) => [time, busy.busy[at]!, rows - busy.busy[at]!])]}>
          <Plot {...plot} height={84} least={rows} />
        </Figure>
      )}
    </>
  )
}

/** What colours and shapes mean. */
function Keys({ look, picture }: { look: Look; picture: StreamPicture }) {
  const { colours, shapes } = look
  const isBoth = picture.color === picture.shape
  return (
    <p class="legend keys">
      {colours && <b>{picture.color}</b>}
      {colours?.kind === 'classes' && colours.classes.slice(0, 40).map((one, at) => <span key={String(one)}>{isBoth ? <Mark at={at} colour={colourOf(colours, one)} /> : <i style={{ background: colourOf(colours, one) }} />}{String(one)}</span>)}
      {colours?.kind === 'amounts' && [0, 0.25, 0.5, 0.75, 1].map((share) => {
        const value = colours.least + share * (colours.most - colours.least)
        return <span key={share}><i style={{ background: colourOf(colours, value) }} />{shortNumber(value)}</span>
      })}
      {shapes?.kind === 'classes' && !isBoth && <><b>{picture.shape}</b>{shapes.classes.slice(0, 12).map((one, at) => <span key={String(one)}><Mark at={at} colour="currentColor" />{String(one)}</span>)}</>}
    </p>
  )
}

const told = (stream: Stream, record: number) =>
  stream.attributes.map(({ name }, at) => `${name} ${stream.columns[at]?.[record] ?? '–'}`).join(', ')

/** The stretch of time between two places. */
function times({ frame }: Scene, [from, to]: [number, number], one: Corner, other: Corner): [number, number] {
  const time = (x: number) => from + Math.min(Math.max((x - frame.x) / frame.w, 0), 1) * (to - from)
  const both: [number, number] = [time(Math.min(one[0], other[0])), time(Math.max(one[0], other[0]))]
  return both[1] > both[0] ? both : [from, to]
}

/** The values between two places. */
function boxOf({ frame, extent }: Scene & { extent: Extent }, one: Corner, other: Corner): Box {
  const x = (at: number) => extent.x[0] + ((at - frame.x) / frame.w) * (extent.x[1] - extent.x[0])
  const y = (at: number) => extent.y[0] + (1 - (at - frame.y) / frame.h) * (extent.y[1] - extent.y[0])
  return [x(Math.min(one[0], other[0])), x(Math.max(one[0], other[0])), y(Math.max(one[1], other[1])), y(Math.min(one[1], other[1]))]
}

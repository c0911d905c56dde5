// How each process spent its time, as bars whose parts add up to all of it.

import { WHOLE, processOf, withPart } from '../data/focus'
import type { Report } from '../data/documents'
import { percent } from '../data/format'
import { Figure } from '../draw/figure'
import { mean } from '../data/series'
import { DIVISION, TIME_USES, useColour } from '../draw/palette'
import { useWidth } from '../draw/use_width'
import { useCells } from '../link/cell_keys'
import { link, linked, useShared } from '../link/linked'
import { useFocus } from '../link/use_focus'
import { useSeries } from '../link/use_series'
import type { ShownRun } from '../link/shown_run'

const LEFT = 52

export function Uses({ shown }: { shown: ShownRun }) {
  const { report } = shown.run
  if (!report?.time) return null
  return <Bars {...{ shown, report }} />
}

type Spent = { process: string; time: Record<string, number> }

/** How time was spent in the part of the run that is shown, as far as it is known over time: of the rest of the ways it is not. */
function useShown(shown: ShownRun, all: Spent[]): { rows: Spent[]; isPart: boolean } {
  const { range } = useShared(linked)
  const metrics = ['wall', ...DIVISION.map(([metric]) => metric)]
  const few = range ? all.slice(0, 1 + MOST_OVER_TIME) : []
  const focus = (process: string) => (process === 'all' ? WHOLE : withPart(WHOLE, `/Process/${process}`))
  const series = useSeries(shown, few.flatMap(({ process }) => metrics.map((metric): [string, string] => [metric, focus(process)])))
  if (!range) return { rows: all, isPart: false }
  const rows = few.flatMap(({ process }, row): Spent[] => {
    const [wall, ...uses] = series.slice(row * metrics.length, (row + 1) * metrics.length)
    const whole = wall && mean(wall, ...range)
    if (!whole) return []
    const time: Record<string, number> = {}
    uses.forEach((one, use) => {
      const part = one && mean(one, ...range)
      if (part !== null && part !== undefined) time[DIVISION[use]![1]] = part / whole
    })
    time.rest = Math.max(0, 1 - Object.values(time).reduce((sum, part) => sum + part, 0))
    return [{ process, time }]
  })
  return rows.length > 0 ? { rows, isPart: true } : { rows: all, isPart: false }
}

/** Of so many processes it is known over time. */
const MOST_OVER_TIME = 64

function Bars({ shown, report }: { shown: ShownRun; report: Report }) {
  const focus = useFocus(shown)
  const [frame, width] = useWidth<HTMLDivElement>()
  const wide = width - LEFT - 2
  const { rows, isPart } = useShown(shown, [{ process: 'all', time: report.time! }, ...report.time_by_process])
  const high = rows.length > 60 ? 8 : rows.length > 20 ? 14 : 20
  const used = TIME_USES.filter(([name]) => rows.some(({ time }) => (time[name] ?? 0) >= 0.0005))
  const chosen = processOf(focus)
  const choose = (process: string) =>
    link({ selected: process === 'all' ? null : { kind: 'focus', focus: withPart(WHOLE, `/Process/${process}`) } })
  const { at, keys } = useCells({ rows: rows.length, columns: 1, choose: ({ row }) => choose(rows[row]!.process) })
  const told = ({ process, time }: Spent) => `${process === 'all' ? 'all processes' : `process ${process}`}: ${used.filter(([name]) => (time[name] ?? 0) >= 0.0005).map(([name, , words]) => `${words} ${percent(time[name]!)}`).join(', ')}`
  return (
    <Figure
      title="How each process spent its time"
      note={isPart ? 'in the part of the run that is shown' : undefined}
      class="uses"
      table={() => [['process', ...used.map(([name]) => name)], ...rows.map(({ process, time }) => [process, ...used.map(([name]) => time[name] ?? null)])]}
    >
      <p class="legend">{used.map(([name, , words]) => <span key={name}><i style={{ background: useColour(name) }} />{words}</span>)}</p>
      <div ref={frame} class="scroller tall" {...keys} role="application" aria-label="Processes: arrow keys move over them, Enter chooses one">
        <svg class="picture" viewBox={`0 0 ${width} ${rows.length * high}`}>
          {rows.map(({ process, time }, at) => (
            <g key={process} data-process={process} class={process === chosen ? 'selected' : ''} onClick={() => choose(process)}>
              {high >= 12 && <text x={LEFT - 8} y={at * high + high / 2 + 4} text-anchor="end">{process.length > 8 ? `…${process.slice(-7)}` : process}</text>}
              <Bar {...{ time, used, high, wide }} y={at * high} />
            </g>
          ))}
          {at && <rect class="cursor" x="1" y={at.row * high} width={width - 2} height={high} />}
        </svg>
      </div>
      <p class="said" aria-live="polite">{at && told(rows[at.row]!)}</p>
    </Figure>
  )
}

function Bar({ time, used, y, high, wide }: { time: Record<string, number>; used: typeof TIME_USES; y: number; high: number; wide: number }) {
  let left = LEFT
  return (
    <>
      {used.map(([name, , words]) => {
        const share = time[name] ?? 0
        const x = left
        left += share * wide
        const isWide = share * wide > 46 && high >= 14
        return (
          <g key={name}>
            <title>{`${words}: ${percent(share)}`}</title>
            <rect x={x} y={y + 1} width={Math.max(share * wide, 0)} height={high - 2} fill={useColour(name)} />
            {isWide && <text class={`inside ${name}`} x={x + 5} y={y + high / 2 + 4}>{percent(share)}</text>}
          </g>
        )
      })}
    </>
  )
}

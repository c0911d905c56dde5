// How each process spent its time, as bars whose parts add up to all of it.

import { WHOLE, processOf, withPart } from '../data/focus'
import { percent } from '../data/format'
import { Figure } from '../draw/figure'
import { TIME_USES } from '../draw/palette'
import { useWidth } from '../draw/use_width'
import { link } from '../link/linked'
import { useFocus } from '../link/use_focus'
import type { ShownRun } from '../link/shown_run'

const LEFT = 52

export function Uses({ shown }: { shown: ShownRun }) {
  const focus = useFocus(shown)
  const [frame, width] = useWidth<HTMLDivElement>()
  const wide = width - LEFT - 2
  const { report } = shown.run
  if (!report?.time) return null
  const rows = [{ process: 'all', time: report.time }, ...report.time_by_process]
  const high = rows.length > 60 ? 8 : rows.length > 20 ? 14 : 20
  const used = TIME_USES.filter(([name]) => rows.some(({ time }) => (time[name] ?? 0) >= 0.0005))
  const chosen = processOf(focus)
  const choose = (process: string) =>
    link({ selected: process === 'all' ? null : { kind: 'focus', focus: withPart(WHOLE, `/Process/${process}`) } })
  return (
    <Figure
      title="How each process spent its time"
      class="uses"
      table={() => [['process', ...used.map(([name]) => name)], ...rows.map(({ process, time }) => [process, ...used.map(([name]) => time[name] ?? 0)])]}
    >
      <p class="legend">{used.map(([name, colour, words]) => <span key={name}><i style={{ background: colour }} />{words}</span>)}</p>
      <div ref={frame} class="scroller tall" tabIndex={0} role="group" aria-label="Processes">
        <svg class="picture" viewBox={`0 0 ${width} ${rows.length * high}`}>
          {rows.map(({ process, time }, at) => (
            <g key={process} data-process={process} class={process === chosen ? 'selected' : ''} onClick={() => choose(process)}>
              {high >= 12 && <text x={LEFT - 8} y={at * high + high / 2 + 4} text-anchor="end">{process.length > 8 ? `…${process.slice(-7)}` : process}</text>}
              <Bar {...{ time, used, high, wide }} y={at * high} />
            </g>
          ))}
        </svg>
      </div>
    </Figure>
  )
}

function Bar({ time, used, y, high, wide }: { time: Record<string, number>; used: typeof TIME_USES; y: number; high: number; wide: number }) {
  let left = LEFT
  return (
    <>
      {used.map(([name, colour, words]) => {
        const share = time[name] ?? 0
        const x = left
        left += share * wide
        const isWide = share * wide > 46 && high >= 14
        return (
          <g key={name}>
            <title>{`${words}: ${percent(share)}`}</title>
            <rect x={x} y={y + 1} width={Math.max(share * wide, 0)} height={high - 2} fill={colour} />
            {isWide && <text class={`inside ${name}`} x={x + 5} y={y + high / 2 + 4}>{percent(share)}</text>}
          </g>
        )
      })}
    </>
  )
}

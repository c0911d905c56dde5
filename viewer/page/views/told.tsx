// The report in short, as it is printed: what was found, in the same order and words, and the whole cost of measuring with its parts.

import type { Cost, Report } from '../data/documents'
import { percent } from '../data/format'
import { Figures, Sheet } from '../draw/sheet'
import { open } from '../link/open'
import type { ShownRun } from '../link/shown_run'

/** The findings as `whyperf show` prints them; each leads to the question that stands for it. */
export function Findings({ shown }: { shown: ShownRun }) {
  const found = shown.run.report?.findings ?? []
  if (found.length === 0) return null
  return (
    <Sheet title="Findings" note="in the order of the report" class="findings" table={() => [['finding', 'about', 'advice'], ...found.map(({ title, about, advice }) => [title, about, advice])]}>
      <ol>
        {found.map((one) => (
          <li key={one.title + one.focus}>
            <button type="button" class="plain" onClick={() => open(shown, one.hypothesis, one.focus)}><b>{one.title}</b></button>
            {one.about && <p>{one.about}</p>}
            <p class="advice">{one.advice}</p>
          </li>
        ))}
      </ol>
    </Sheet>
  )
}

/** Of a run that was gone through again only the mean is known, and of an older one no parts. */
const wholeCost = (cost: Cost) => ((cost.total ?? 0) > 0 ? cost.total! : cost.mean)

/** Smaller parts are not named. */
const LEAST = 0.000_05

/** What measuring cost: the number of the report, and what it is made of. */
export function WholeCost({ report, elapsed }: { report: Report; elapsed: number }) {
  const { cost } = report
  if (!cost) return null
  const isWhole = (cost.total ?? 0) > 0
  const part = (value: number | undefined) => (value !== undefined && value >= LEAST ? percent(value, 2) : null)
  const moment = (value: number | undefined) => (isWhole && value !== undefined ? `${value.toFixed(2)} s` : null)
  return (
    <Figures
      title="What measuring cost"
      note="as a share of the time of the process that paid most"
      of={[
        [isWhole ? 'in all' : 'while it ran', percent(wholeCost(cost), 2)],
        ['its limit', percent(cost.limit)],
        ['events', part(cost.events)],
        ['functions at rest', part(cost.at_rest)],
        ['pauses', part(cost.pauses)],
        ['analysis of code', part(cost.analysis)],
        ['sampling', part(cost.sampling)],
        ['before the program', moment(cost.start_s)],
        ['after it', moment(cost.end_s)],
        // A second that is mostly before the run would look better than the run.
        ['its worst second', elapsed >= 1 && cost.max > 0 ? percent(cost.max, 2) : null],
        ['taken off the times', isWhole && cost.compensated_s !== null ? `${cost.compensated_s.toFixed(3)} s over all threads` : null],
      ]}
    />
  )
}

// What run it is, how far it is, and what may be asked of it while it goes on.

import { counted, percent, seconds, storeName } from '../data/format'
import { useShared } from '../link/linked'
import type { ShownRun } from '../link/shown_run'
import { Commands } from './commands'

export function Head({ shown, isAlone }: { shown: ShownRun; isAlone: boolean }) {
  useShared(shown.changes)
  const isLost = useShared(shown.isLost)
  const { run } = shown
  const { progress } = run
  const state = isLost ? 'lost' : progress.state
  const said: string[] = [
    storeName(run.run, shown.isLive),
    ...(run.diagnosis_of ? [`a diagnosis of run ${run.diagnosis_of}`] : []),
    ...run.tags.map((tag) => `tagged ${tag}`),
    run.started.replace('T', ' ').replace('Z', ' UTC'),
    ...(shown.hasLength ? [seconds(progress.elapsed_s)] : []),
    ...(shown.importedFrom ? [`imported from ${shown.importedFrom}`] : []),
    ...(progress.exit_status === null ? [] : [`exit status ${progress.exit_status}`]),
    ...(progress.measured === null ? [] : [`${counted(progress.measured, 'pair')} measured`]),
    ...(progress.waiting === null ? [] : [`${counted(progress.waiting, 'question')} ${progress.waiting === 1 ? 'waits' : 'wait'}`]),
    ...(progress.cost === null ? [] : [`costs ${percent(progress.cost)}`]),
  ]
  // While the search goes on, that nothing was found means little.
  const answer = progress.state === 'over' || run.report?.bottlenecks.length ? run.report?.answer : undefined
  return (
    <div class={`head ${isAlone ? '' : 'one-of'}`}>
      <h1>
        <span class={`state ${state}`} role="status">{STATES[state]}</span>
        <code>{run.command.join(' ')}</code>
      </h1>
      {answer && <p class="answer-first">{answer}</p>}
      <p class="about">{said.map((words) => <span key={words.replace(/[\d.]+/g, '')}>{words}</span>)}</p>
      {run.takes_commands && progress.state !== 'over' && <Commands shown={shown} />}
    </div>
  )
}

const STATES = { searching: 'searching', paused: 'search paused', over: 'over', lost: 'connection lost' }

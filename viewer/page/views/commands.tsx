// What may be asked of a run that goes on: pause and resume, a phase, a threshold.

import { useState } from 'preact/hooks'
import type { Command } from '../data/documents'
import { ofHypothesis } from '../data/format'
import { useShared } from '../link/linked'
import type { ShownRun } from '../link/shown_run'

export function Commands({ shown }: { shown: ShownRun }) {
  useShared(shown.changes)
  const [answer, say] = useState('')
  const [hypothesis, setHypothesis] = useState(shown.run.hypotheses[0]?.name ?? '')
  const [value, setValue] = useState('')
  const isPaused = shown.run.progress.state === 'paused'
  const ask = async (command: Command) => {
    const refused = await shown.command(command)
    say(refused ?? 'done')
  }
  return (
    <div class="commands" role="group" aria-label="Commands">
      <button type="button" onClick={() => ask({ do: isPaused ? 'resume' : 'pause' })}>{isPaused ? 'Resume the search' : 'Pause the search'}</button>
      <button type="button" onClick={() => ask({ do: 'phase' })}>New phase</button>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void ask({ do: 'threshold', hypothesis, value })
        }}
      >
        <label>Threshold of{' '}
          <select value={hypothesis} onChange={(event) => setHypothesis(event.currentTarget.value)}>
            {shown.run.hypotheses.map((row) => <option key={row.name} value={row.name}>{row.name} {row.operator} {ofHypothesis(row.threshold, row)}</option>)}
          </select>
        </label>
        <input aria-label="New threshold" size={6} placeholder="0.2" value={value} onInput={(event) => setValue(event.currentTarget.value)} />
        <button type="submit">Set</button>
      </form>
      <span class="answer" role="status">{answer}</span>
    </div>
  )
}

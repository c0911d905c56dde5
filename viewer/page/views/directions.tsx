// What may be said of a question, or of a place, while the search goes on: ask first, ask last, never ask.

import { useState } from 'preact/hooks'
import type { Command, Question } from '../data/documents'
import { parts } from '../data/focus'
import type { ShownRun } from '../link/shown_run'

export function Directions({ shown, focus, question }: { shown: ShownRun; focus: string; question?: Question }) {
  const [answer, say] = useState('')
  const [resource, setResource] = useState('')
  const { run } = shown
  if (!run.takes_commands || run.progress.state === 'over') return null
  const named = parts(focus)
  const part = named.includes(resource) ? resource : (named[0] ?? '')
  const ask = async (command: Command) => say((await shown.command(command)) ?? 'done')
  return (
    <div class="directions" role="group" aria-label="Directions to the search">
      {question && (
        <>
          <button type="button" onClick={() => ask({ do: 'priority', level: 'high', hypothesis: question.hypothesis, focus })}>Ask at once</button>
          <button type="button" onClick={() => ask({ do: 'priority', level: 'low', hypothesis: question.hypothesis, focus })}>Ask last</button>
        </>
      )}
      {named.length > 0 && (
        <span class="prune">
          <label>
            <span class="visually-hidden">Resource that is left out</span>
            <select value={part} onChange={(event) => setResource(event.currentTarget.value)}>
              {named.map((one) => <option key={one}>{one}</option>)}
            </select>
          </label>
          <button type="button" onClick={() => ask({ do: 'prune', hypotheses: question?.hypothesis ?? '*', resource: part })}>
            {question ? `Never ${question.hypothesis} there` : 'Never ask there'}
          </button>
        </span>
      )}
      <span class="answer" role="status">{answer}</span>
    </div>
  )
}

// Shows a question of the search, wherever it was named.

import { link } from './linked'
import type { ShownRun } from './shown_run'

export function open(shown: ShownRun, hypothesis: string, focus: string) {
  const node = [...shown.graph(0).byNumber.values()].find((one) => one.hypothesis === hypothesis && one.focus === focus)
  if (node) link({ view: 'search', phase: 0, selected: { kind: 'question', run: shown.number, phase: 0, number: node.number } })
  else link({ selected: { kind: 'focus', focus } })
}

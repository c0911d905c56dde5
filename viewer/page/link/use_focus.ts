// The focus that views follow: that of the selected question or resource, or the whole program.

import { WHOLE } from '../data/focus'
import { linked, useShared } from './linked'
import type { ShownRun } from './shown_run'

export function useFocus(shown: ShownRun): string {
  const { selected } = useShared(linked)
  if (selected?.kind === 'focus') return selected.focus
  if (selected?.kind !== 'question') return WHOLE
  return (selected.run === shown.number && shown.question(selected.phase, selected.number)?.focus) || WHOLE
}

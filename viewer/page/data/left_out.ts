// What a table of bottlenecks leaves out of what the search found.

import type { Bottleneck, Question } from './documents'
import { counted } from './format'

/** Said beside a table that does not tell all that is true; the report tells of processes only where they differ. */
export function leftOut(told: Pick<Bottleneck, 'hypothesis' | 'focus'>[], questions: Iterable<Pick<Question, 'hypothesis' | 'focus' | 'truth'>>): string | undefined {
  const key = (one: { hypothesis: string; focus: string }) => `${one.hypothesis} ${one.focus}`
  const known = new Set(told.map(key))
  let [left, all] = [0, 0]
  for (const one of questions) {
    if (one.truth !== 'true') continue
    all += 1
    if (!known.has(key(one))) left += 1
  }
  if (left === 0) return undefined
  return `as the report tells it; of ${counted(all, 'true question')} it leaves out ${left}, as those of single processes that are alike: the search shows them`
}

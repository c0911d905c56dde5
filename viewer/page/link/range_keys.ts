// The part of the run that is shown, by keys: arrows move it by a tenth of itself, plus and minus halve and double it, 0 shows all.

import { length } from './axis'
import { link, linked } from './linked'

/** Whether the key was one of these, and is done with. */
export function moveRange(event: KeyboardEvent): boolean {
  const all = length()
  const [from, to] = linked.get().range ?? [0, all]
  const wide = to - from
  const moves: Record<string, [number, number]> = {
    ArrowLeft: [from - wide / 10, to - wide / 10],
    ArrowRight: [from + wide / 10, to + wide / 10],
    '+': [from + wide / 4, to - wide / 4],
    '=': [from + wide / 4, to - wide / 4],
    '-': [from - wide / 2, to + wide / 2],
    '0': [0, all],
  }
  const next = moves[event.key]
  if (!next || event.shiftKey && event.key.startsWith('Arrow') || event.ctrlKey || event.metaKey || event.altKey) return false
  event.preventDefault()
  link({ range: within(next, all) })
  return true
}

/** A range inside of the run; null where it is all of it. */
export function within([from, to]: [number, number], all: number): [number, number] | null {
  const begin = Math.min(Math.max(from, 0), Math.max(all - (to - from), 0))
  const end = Math.min(begin + (to - from), all)
  return begin <= 0 && end >= all ? null : [begin, end]
}

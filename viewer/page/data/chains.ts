// Chains of waits: over which ranks a wait leads to the rank that it begins with, by who waited for whose messages.

import type { Messages } from './documents'

/** The ranks from one that waits to another that all of it begins with, each of which waits for the next; just the two where no messages tell more. */
export function chain(messages: Messages[], waiting: number, first: number): number[] {
  // The widest way: that on which the least wait between two ranks is largest.
  const width = new Map<number, number>([[waiting, Infinity]])
  const next = new Map<number, number>()
  const done = new Set<number>()
  for (;;) {
    let at: number | undefined
    for (const [rank, wide] of width) if (!done.has(rank) && (at === undefined || wide > width.get(at)!)) at = rank
    if (at === undefined || at === first) break
    done.add(at)
    for (const { from, to, waiting_s } of messages) {
      if (to !== at || from === null || waiting_s <= 0) continue
      const wide = Math.min(width.get(at)!, waiting_s)
      if (wide > (width.get(from) ?? 0) && !done.has(from)) {
        width.set(from, wide)
        next.set(from, at)
      }
    }
  }
  const way = [first]
  for (let rank: number | undefined = first; rank !== undefined && rank !== waiting && way.length <= next.size + 1; ) {
    rank = next.get(rank)
    if (rank !== undefined) way.push(rank)
  }
  way.reverse()
  return way[0] === waiting ? way : [waiting, first]
}

/** The rank that waits most for messages, other than one. */
export function mostWaiting(messages: Messages[], other: number): number | null {
  const waits = new Map<number, number>()
  for (const { to, waiting_s } of messages) if (to !== null && to !== other) waits.set(to, (waits.get(to) ?? 0) + waiting_s)
  const [found] = [...waits].sort((one, two) => two[1] - one[1] || one[0] - two[0])
  return found && found[1] > 0 ? found[0] : null
}

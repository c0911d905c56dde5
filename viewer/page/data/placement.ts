// How ranks stand on processors, in words.

import type { Placement } from './documents'
import { ranges } from './focus'
import { counted } from './format'

/** More sets of processors are only counted. */
const MOST_TOLD = 4

export function placed({ ranks, processors, ranks_per_processor, bindings }: Placement): string {
  const words = (numbers: number[]) => ranges(numbers.map(String))
  const share = ranks > processors ? [`${Number(ranks_per_processor.toFixed(1))} per processor`] : []
  return [`${counted(ranks, 'rank')} on ${counted(processors, 'processor')}`, ...share, bound()].join(', ')

  function bound(): string {
    if (bindings.length === 1) return `each may run on ${words(bindings[0]!.processors)}`
    if (bindings.every((one) => one.ranks.length === 1 && one.processors.length === 1)) return 'each bound to its own'
    if (bindings.length > MOST_TOLD) return `bound to ${bindings.length} sets of processors`
    return `bound: ${bindings.map((one) => `${words(one.ranks)} to ${words(one.processors)}`).join('; ')}`
  }
}

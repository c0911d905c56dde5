// The search history graph as rows of a tree: nodes that are alike but for their process are one row.

import type { Question } from './documents'
import { processOf, ranges, shown, withoutProcess } from './focus'

export type State = 'true' | 'false' | 'unknown' | 'never'

export interface Row {
  /** Stays the same while the graph grows. */
  key: string
  /** One node, or several that are alike but for their process. */
  nodes: Question[]
  axis: string
  depth: number
  /** Stands elsewhere in the tree as well, where it was reached first. */
  isShadow: boolean
  hasChildren: boolean
}

/** From so many nodes on those that are alike are one row. */
export const ALIKE = 4

export const stateOf = (node: Question): State => (node.asked === 0 ? 'never' : node.truth)

/** A graph of one search, with its edges downwards. */
export class QuestionGraph {
  readonly byNumber = new Map<number, Question>()
  private readonly below = new Map<number, { child: Question; axis: string }[]>()
  readonly roots: Question[] = []

  constructor(questions: Question[]) {
    for (const one of questions) this.byNumber.set(one.number, one)
    for (const child of questions) {
      if (child.parents.length === 0) this.roots.push(child)
      for (const { number, axis } of child.parents) {
        const list = this.below.get(number) ?? []
        list.push({ child, axis })
        this.below.set(number, list)
      }
    }
  }

  children(number: number): { child: Question; axis: string }[] {
    return this.below.get(number) ?? []
  }

  /** The numbers of all that led to a question. */
  above(number: number | null): Set<number> {
    const found = new Set<number>()
    const pending = (number !== null && this.byNumber.get(number)?.parents) || []
    for (const rest = [...pending]; rest.length > 0; ) {
      const parent = rest.pop()!.number
      if (!found.has(parent)) {
        found.add(parent)
        rest.push(...(this.byNumber.get(parent)?.parents ?? []))
      }
    }
    return found
  }

  /** What lies below several nodes, each once, with those that are alike together. */
  grouped(nodes: Question[]): { nodes: Question[]; axis: string }[] {
    const seen = new Set<number>()
    const links = nodes
      .flatMap((node) => this.children(node.number))
      .filter(({ child }) => !seen.has(child.number) && seen.add(child.number))
    return grouped(links.map(({ child, axis }) => ({ node: child, axis })))
  }
}

/** Nodes that are alike but for their process, together where there are many of them. */
export function grouped(all: { node: Question; axis: string }[]): { nodes: Question[]; axis: string }[] {
  const groups = new Map<string, { nodes: Question[]; axis: string }>()
  for (const { node, axis } of all) {
    const alike = processOf(node.focus) === null ? node.focus : withoutProcess(node.focus)
    const key = `${node.hypothesis} ${alike} ${stateOf(node)}`
    const group = groups.get(key) ?? { nodes: [], axis }
    group.nodes.push(node)
    groups.set(key, group)
  }
  return [...groups.values()].flatMap((group) =>
    group.nodes.length >= ALIKE ? [group] : group.nodes.map((node) => ({ nodes: [node], axis: group.axis })),
  )
}

export interface Wanted {
  /** In one of these states; or `active`: measured now, whatever its state. */
  states: Set<State | 'active'>
  shadows: boolean
  text: string
  /** The number of a question that is wanted in any case. */
  chosen: number | null
  isOpen(key: string, row: { nodes: Question[] }): boolean
}

/** The rows that are to be seen, from the top down. A row whose state is not wanted stays where something wanted lies below it. */
export function rows(graph: QuestionGraph, wanted: Wanted): Row[] {
  const out: Row[] = []
  const placed = new Set<number>()
  const keeps = kept(graph, wanted)
  const visit = (group: { nodes: Question[]; axis: string }, depth: number, above: string) => {
    const nodes = group.nodes.filter((node) => keeps.has(node.number))
    const first = nodes[0]
    if (!first) return
    const isShadow = nodes.every((node) => placed.has(node.number))
    if (isShadow && !wanted.shadows) return
    nodes.forEach((node) => placed.add(node.number))
    const key = `${above}/${first.number}${nodes.length > 1 ? '+' : ''}`
    const below = isShadow ? [] : graph.grouped(nodes).filter((one) => one.nodes.some((node) => keeps.has(node.number)))
    out.push({ key, nodes, axis: group.axis, depth, isShadow, hasChildren: below.length > 0 })
    if (!isShadow && wanted.isOpen(key, { nodes })) {
      below.sort(byWeight).forEach((one) => visit(one, depth + 1, key))
    }
  }
  grouped(graph.roots.map((node) => ({ node, axis: 'why' })))
    .sort(byWeight)
    .forEach((group) => visit(group, 0, ''))
  return out
}

/** The numbers of nodes that are wanted, and of those above them. */
function kept(graph: QuestionGraph, wanted: Wanted): Set<number> {
  const text = wanted.text.trim().toLowerCase()
  const matches = (node: Question) =>
    (wanted.states.has(stateOf(node)) || (node.active && wanted.states.has('active'))) &&
    (text === '' || `${node.hypothesis} ${node.focus}`.toLowerCase().includes(text))
  const keep = new Set<number>()
  const pending = [...graph.byNumber.values()].filter((node) => matches(node) || node.number === wanted.chosen)
  while (pending.length > 0) {
    const node = pending.pop()!
    if (keep.has(node.number)) continue
    keep.add(node.number)
    for (const { number } of node.parents) {
      const parent = graph.byNumber.get(number)
      if (parent) pending.push(parent)
    }
  }
  return keep
}

const ORDER: Record<State, number> = { true: 0, unknown: 1, false: 2, never: 3 }

function byWeight(one: { nodes: Question[] }, other: { nodes: Question[] }): number {
  const [a, b] = [one.nodes[0]!, other.nodes[0]!]
  return ORDER[stateOf(a)] - ORDER[stateOf(b)] || (b.value ?? 0) - (a.value ?? 0) || a.number - b.number
}

/** What a row says: the hypothesis where it changes, the part of the program where that does. */
export function label(row: Row, parent: Question | undefined): { what: string; where: string } {
  const node = row.nodes[0]!
  const what = parent?.hypothesis === node.hypothesis ? '' : node.hypothesis
  const focus = row.nodes.length === 1 ? node.focus : withoutProcess(node.focus)
  const named = focus.startsWith('<') ? shown(focus) : focus
  const ranks = ranges(row.nodes.map((one) => processOf(one.focus) ?? ''))
  const where = row.nodes.length === 1 ? named : named.replace('/Process/*', `ranks ${ranks}`)
  return { what, where: what !== '' && where === 'the whole program' ? '' : where }
}

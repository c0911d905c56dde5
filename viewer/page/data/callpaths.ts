// The callpath profile as a tree, and as a table of regions.

import type { Profile } from './documents'

export interface PathNode {
  name: string
  /** Seconds in it and below it. */
  inclusive: number
  exclusive: number
  calls: number
  below: PathNode[]
}

/** The callpaths of all processes, or of one, as a tree. */
export function pathTree(profile: Profile, process: number | null): PathNode {
  const root: PathNode = { name: 'all', inclusive: 0, exclusive: 0, calls: 0, below: [] }
  for (const row of profile.rows) {
    if (process !== null && row.process !== process) continue
    let node = root
    root.inclusive += row.exclusive_s
    for (const number of row.path) {
      const name = profile.names[number] ?? '?'
      let next = node.below.find((one) => one.name === name)
      if (!next) {
        next = { name, inclusive: 0, exclusive: 0, calls: 0, below: [] }
        node.below.push(next)
      }
      next.inclusive += row.exclusive_s
      node = next
    }
    node.exclusive += row.exclusive_s
    node.calls += row.calls
  }
  sort(root)
  return root
}

function sort(node: PathNode) {
  node.below.sort((one, other) => other.inclusive - one.inclusive || one.name.localeCompare(other.name))
  node.below.forEach(sort)
}

export interface Region {
  name: string
  calls: number
  inclusive: number
  exclusive: number
  sent: number
  received: number
  source: string | null
  /** The least share of a process's life in which it was counted; null where it was all the time. */
  coverage: number | null
}

/** Each region once, with what all callpaths that end in it add up to; inclusive of those that pass through it. */
export function regions(profile: Profile, process: number | null): Region[] {
  const all = new Map<string, Region>()
  const longest = new Map<string, number>()
  for (const row of profile.rows) {
    if (process !== null && row.process !== process) continue
    for (const number of new Set(row.path)) {
      const name = profile.names[number] ?? '?'
      const region = all.get(name) ?? { name, calls: 0, inclusive: 0, exclusive: 0, sent: 0, received: 0, source: null, coverage: null }
      region.inclusive += row.exclusive_s
      all.set(name, region)
    }
    const name = profile.names[row.path.at(-1) ?? -1]
    const region = name === undefined ? undefined : all.get(name)
    if (!region || name === undefined) continue
    region.calls += row.calls
    region.exclusive += row.exclusive_s
    region.sent += row.sent
    region.received += row.received
    if (row.coverage !== null) region.coverage = Math.min(region.coverage ?? 1, row.coverage)
    if (row.source !== null && row.exclusive_s >= (longest.get(name) ?? 0)) {
      longest.set(name, row.exclusive_s)
      region.source = profile.names[row.source] ?? null
    }
  }
  return [...all.values()]
}

// The resources of a run as a tree, with what is known of each.

import type { Question, Resource } from './documents'
import { escaped, parts, spelled } from './focus'
import type { Callpath, Profile } from './documents'

export interface Part {
  name: string
  /** The last word of its name, as the program spells it. */
  spelled: string
  depth: number
  parts: Part[]
  resource: Resource | null
}

/** The hierarchies, in the order in which a focus names them; with what the search asked about and the profile counted, which the run may not name by itself. */
export function tree(resources: Resource[], foci: Iterable<string>, profile: Profile): Part[] {
  const roots = new Map<string, Part>()
  const known = new Map<string, Part>()
  const place = (name: string): Part => {
    let part = known.get(name)
    if (part) return part
    const cut = name.lastIndexOf('/')
    const depth = name.split('/').length - 2
    part = { name, spelled: spelled(name.slice(cut + 1)), depth, parts: [], resource: null }
    known.set(name, part)
    if (cut === 0) roots.set(name, part)
    else place(name.slice(0, cut)).parts.push(part)
    return part
  }
  for (const name of ['/Code', '/Machine', '/Process', '/SyncObject']) place(name)
  for (const resource of resources) {
    if (resource.name.startsWith('/') && resource.name.length > 1) place(resource.name).resource = resource
  }
  for (const focus of new Set(foci)) parts(focus).forEach(place)
  const functions = functionsOf([...roots.values()])
  // In which file a function is that only the profile knows is not known.
  for (const name of namesIn(profile)) if (!functions.has(name)) place(`/Code/${escaped(name)}`)
  known.forEach((part) => part.parts.sort(byName))
  return [...roots.values()]
}

/** The functions and regions that callpaths lead through. */
function namesIn({ names, rows }: Profile): Set<string> {
  const numbers = new Set(rows.flatMap((row) => row.path))
  return new Set([...numbers].flatMap((number) => names[number] ?? []))
}

/** The resources of each function, by its name as the program spells it: those in files, and those that are in none. */
export function functionsOf(roots: Part[]): Map<string, string[]> {
  const found = new Map<string, string[]>()
  const visit = (part: Part) => {
    if (part.depth > 1 || (part.depth === 1 && part.parts.length === 0)) found.set(part.spelled, [...(found.get(part.spelled) ?? []), part.name])
    part.parts.forEach(visit)
  }
  roots.filter((root) => root.name === '/Code').forEach(visit)
  return found
}

const byName = (one: Part, other: Part) => one.spelled.localeCompare(other.spelled, 'en', { numeric: true })

/** How many true questions name each resource or one below it. */
export function findings(questions: Iterable<Question>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { truth, focus } of questions) {
    if (truth !== 'true') continue
    const names = new Set(parts(focus).flatMap(upwards))
    names.forEach((name) => counts.set(name, (counts.get(name) ?? 0) + 1))
  }
  return counts
}

/** A resource and all above it. */
function upwards(name: string): string[] {
  const words = name.split('/').slice(1)
  return words.map((_, at) => `/${words.slice(0, at + 1).join('/')}`)
}

/** Seconds that the profile counted in each resource, of those that it can tell: functions with what they call, processes and threads. */
export function counted(profile: Profile, roots: Part[]): Map<string, number> {
  const seconds = new Map<string, number>()
  // What another tool measured may have no times.
  if (!profile.rows.some((row) => row.exclusive_s > 0)) return seconds
  const add = (name: string, value: number) => seconds.set(name, (seconds.get(name) ?? 0) + value)
  const functions = functionsOf(roots)
  for (const row of profile.rows) {
    const inside = new Set(row.path.flatMap((name) => functions.get(profile.names[name] ?? '') ?? []).flatMap(upwards))
    inside.forEach((name) => add(name, row.exclusive_s))
    ofThread(row).forEach((name) => add(name, row.exclusive_s))
  }
  return seconds
}

function ofThread({ process, thread }: Callpath): string[] {
  if (process === null) return []
  return thread === null ? [`/Process/${process}`] : [`/Process/${process}`, `/Process/${process}/${thread}`]
}

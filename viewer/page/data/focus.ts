// Foci and resources as the page takes them apart: `</Code/a.c/f,/Machine,(/Process/1,/Process/2),/SyncObject>`.

export const HIERARCHIES = ['Code', 'Machine', 'Process', 'SyncObject', 'File', 'UserEvent'] as const

/** Those that a focus names only where it restricts them. */
const OPTIONAL: readonly string[] = ['/File', '/UserEvent']

/** The resources that a focus names, without whole hierarchies. */
export function parts(focus: string): string[] {
  return slots(focus).flatMap(members).filter((name) => name.split('/').length > 2)
}

/** One entry for each hierarchy that is written. */
export function slots(focus: string): string[] {
  const inner = focus.replace(/^</, '').replace(/>$/, '')
  const found: string[] = []
  let depth = 0
  let begin = 0
  for (let at = 0; at <= inner.length; at++) {
    const letter = inner[at]
    if (letter === '(') depth++
    else if (letter === ')') depth--
    else if ((letter === ',' && depth === 0) || at === inner.length) {
      if (at > begin) found.push(inner.slice(begin, at))
      begin = at + 1
    }
  }
  return found
}

/** The resources of a slot, which may be a set: `(/Process/1,/Process/2)`, or `/Process/(1,2)`. */
export function members(slot: string): string[] {
  const open = slot.indexOf('(')
  if (open < 0 || !slot.endsWith(')')) return [slot]
  const before = slot.slice(0, open)
  return slot
    .slice(open + 1, -1)
    .split(',')
    .map((one) => before + one)
}

export const hierarchyOf = (resource: string) => resource.split('/')[1] ?? ''

/** A word of a resource's name as the program spells it. */
export const spelled = (word: string) => (word === '%00' ? '' : word.replace(/%([0-7][0-9A-F])/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 16))))

/** A name as a word of a resource's name, in which some letters have a meaning. */
export const escaped = (name: string) => (name === '' ? '%00' : name.replace(/[\x00-\x1f\x7f /,<>()%]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`))

/** The focus with one hierarchy restricted to a resource; a whole hierarchy restricts nothing. */
export function withPart(focus: string, resource: string): string {
  const hierarchy = hierarchyOf(resource)
  const all = slots(focus).filter((slot) => hierarchyOf(members(slot)[0] ?? '') !== hierarchy)
  const order = (slot: string) => HIERARCHIES.indexOf(hierarchyOf(members(slot)[0] ?? '') as never)
  const kept = [...all, resource].filter((slot) => !OPTIONAL.includes(slot))
  return `<${kept.sort((one, other) => order(one) - order(other)).join(',')}>`
}

export const WHOLE = '</Code,/Machine,/Process,/SyncObject>'

/** The focus with its machines and processes alone: what most divisors are measured at. */
export function processesOf(focus: string): string {
  let base = WHOLE
  for (const slot of slots(focus)) {
    const hierarchy = hierarchyOf(members(slot)[0] ?? '')
    if (hierarchy === 'Machine' || hierarchy === 'Process') base = withPart(base, slot)
  }
  return base
}

/** The process of a focus that names exactly one, else null. */
export function processOf(focus: string): string | null {
  const named = parts(focus).filter((name) => hierarchyOf(name) === 'Process')
  return named.length === 1 ? (named[0]!.split('/')[2] ?? null) : null
}

/** The same for all processes: what tells nodes apart that are alike but for their process. */
export function withoutProcess(focus: string): string {
  return focus.replace(/\/Process\/[^,/>()]+/, '/Process/*')
}

/** How a focus is shown in a line: the parts that it names, or the whole program. */
export function shown(focus: string): string {
  const named = slots(focus).filter((slot) => members(slot).some((name) => name.split('/').length > 2))
  return named.length === 0 ? 'the whole program' : named.join('  ')
}

/** Whether a resource is, or lies in, one that a focus names. */
export function names(focus: string, resource: string): boolean {
  return parts(focus).some((part) => part === resource || part.startsWith(`${resource}/`))
}

/** Numbers as ranges: `0–3, 7`. */
export function ranges(numbers: string[]): string {
  const sorted = [...new Set(numbers)]
  if (!sorted.every((one) => /^\d+$/.test(one))) return sorted.join(', ')
  const all = sorted.map(Number).sort((one, other) => one - other)
  const out: string[] = []
  for (let at = 0; at < all.length; at++) {
    const begin = all[at]!
    while (all[at + 1] === all[at]! + 1) at++
    const end = all[at]!
    out.push(begin === end ? `${begin}` : end === begin + 1 ? `${begin}, ${end}` : `${begin}–${end}`)
  }
  return out.join(', ')
}

// What one view alone looks at, and what a link must bring back all the same: a filter, the order of a table, nodes that are open.

import { link, linked, useShared } from './linked'

/** A word that stands in the address under a name, unless it is the usual one. */
export function useKept(name: string, usual: string): [string, (value: string) => void] {
  const { kept } = useShared(linked)
  return [kept[name] ?? usual, (value) => keep(name, value === usual ? null : value)]
}

/** Several words, of which none holds a line's end. */
export function useKeptSet(name: string): [Set<string>, (value: Set<string>) => void] {
  const [text, set] = useKept(name, '')
  return [new Set(text === '' ? [] : text.split('\n')), (value) => set([...value].join('\n'))]
}

/** A name for what a title says, as an address takes it. */
export const slug = (title: string) => title.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'all'

/** The same words with one of them turned: in, where it was out. */
export function turned<T>(words: Set<T>, word: T): Set<T> {
  const next = new Set(words)
  if (!next.delete(word)) next.add(word)
  return next
}

/** Whether a node of a tree is open: as a reader said, `+name` or `-name`, or else as is usual. */
export const isOpened = (words: Set<string>, name: string, usual: boolean) => words.has(`+${name}`) || (usual && !words.has(`-${name}`))

/** The same words, with a node said to be open or not. */
export function opened(words: Set<string>, name: string, isOpen: boolean): Set<string> {
  const next = new Set(words)
  next.delete(`${isOpen ? '-' : '+'}${name}`)
  return next.add(`${isOpen ? '+' : '-'}${name}`)
}

function keep(name: string, value: string | null) {
  const kept = { ...linked.get().kept }
  if (value === null) delete kept[name]
  else kept[name] = value
  link({ kept })
}

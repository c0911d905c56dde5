// What all views share: one range of time, one selection, one metric. It stands in the address, so a link shows the same.

import { useEffect, useState } from 'preact/hooks'
import { inside } from './axis'

export const VIEWS = ['search', 'time', 'where', 'facts', 'streams'] as const
export type View = (typeof VIEWS)[number]

export type Selection =
  | { kind: 'question'; run: number; phase: number; number: number }
  | { kind: 'focus'; focus: string }

export interface Linked {
  view: View
  /** Seconds; null is the whole run. */
  range: [number, number] | null
  selected: Selection | null
  /** What the time view and the heat map show where no question is selected. */
  metric: string
  /** Which search: 0 is the one over the whole run. */
  phase: number
  /** Further pairs in the time view. */
  pairs: [string, string][]
  /** What pictures of streams map, where a reader chose otherwise than their declaration: `stream.picture.attribute` of the picture, and of the stream. */
  mapped: [string, string][]
  theme: 'auto' | 'light' | 'dark'
  /** What a view alone looks at, by `view.what`: its filters, the order of a table, the nodes that are open. */
  kept: Record<string, string>
}

export const INITIAL: Linked = {
  view: 'search',
  range: null,
  selected: null,
  metric: 'sync_wait',
  phase: 0,
  pairs: [],
  mapped: [],
  theme: 'auto',
  kept: {},
}

/** Of what a view keeps in the address. */
const LONGEST = 8000

/** As a part of an address. */
export function written(state: Linked): string {
  const words = new URLSearchParams({ view: state.view })
  if (state.range) words.set('t', state.range.map((one) => String(Number(one.toPrecision(6)))).join('_'))
  const { selected } = state
  if (selected?.kind === 'question') words.set('q', `${selected.run}.${selected.phase}.${selected.number}`)
  if (selected?.kind === 'focus') words.set('focus', selected.focus)
  if (state.metric !== INITIAL.metric) words.set('metric', state.metric)
  if (state.phase !== 0) words.set('phase', String(state.phase))
  if (state.theme !== 'auto') words.set('theme', state.theme)
  state.pairs.forEach((pair) => words.append('pair', pair.join(' ')))
  state.mapped.forEach((one) => words.append('map', one.join('=')))
  Object.entries(state.kept).forEach(([name, value]) => words.set(name, value))
  return words.toString()
}

/** From a part of an address; what makes no sense is left out. */
export function read(text: string): Linked {
  const words = new URLSearchParams(text.replace(/^#/, ''))
  const state: Linked = { ...INITIAL, pairs: [], mapped: [], kept: {} }
  const view = VIEWS.find((one) => one === words.get('view'))
  if (view) state.view = view
  const range = words.get('t')?.split('_').map(Number)
  if (range?.length === 2 && range.every(Number.isFinite) && range[0]! < range[1]!) {
    state.range = [range[0]!, range[1]!]
  }
  const question = words.get('q')?.split('.').map(Number)
  if (question?.length === 3 && question.every((one) => Number.isInteger(one) && one >= 0)) {
    state.selected = { kind: 'question', run: question[0]!, phase: question[1]!, number: question[2]! }
  }
  const focus = words.get('focus')
  if (focus?.startsWith('<')) state.selected = { kind: 'focus', focus }
  const metric = words.get('metric')
  if (metric && /^[a-z0-9_]+$/i.test(metric)) state.metric = metric
  const phase = Number(words.get('phase'))
  if (Number.isInteger(phase) && phase > 0) state.phase = phase
  const theme = words.get('theme')
  if (theme === 'dark' || theme === 'light') state.theme = theme
  for (const pair of words.getAll('pair')) {
    const gap = pair.indexOf(' ')
    if (gap > 0) state.pairs.push([pair.slice(0, gap), pair.slice(gap + 1)])
  }
  for (const one of words.getAll('map')) {
    const found = /^(\d+\.\d+\.(?:x|y|color|size|shape))=(.*)$/.exec(one)
    if (found) state.mapped.push([found[1]!, found[2]!])
  }
  words.forEach((value, name) => {
    if (/^[a-z]+(\.[a-z0-9-]+)+$/.test(name) && value.length <= LONGEST) state.kept[name] = value
  })
  return state
}

/** A value that views look at, and that any of them may change. */
export class Shared<T> {
  private readonly lookers = new Set<() => void>()
  constructor(private value: T) {}

  get = () => this.value

  set(value: T) {
    if (value === this.value) return
    this.value = value
    this.lookers.forEach((look) => look())
  }

  watch(look: () => void): () => void {
    this.lookers.add(look)
    return () => this.lookers.delete(look)
  }
}

export function useShared<T>(shared: Shared<T>): T {
  const [value, set] = useState(shared.get())
  useEffect(() => {
    set(shared.get())
    return shared.watch(() => set(shared.get()))
  }, [shared])
  return value
}

const inBrowser = typeof window !== 'undefined'

export const linked = new Shared<Linked>(inBrowser ? read(location.hash) : INITIAL)

/** Changes some of what is shared. */
export function link(change: Partial<Linked>) {
  linked.set({ ...linked.get(), ...change })
}

/** A browser refuses an address that changes more often than some hundred times in half a minute. */
const BETWEEN = 150

if (inBrowser) {
  let [last, isDue] = [0, false]
  const write = () => {
    ;[last, isDue] = [performance.now(), false]
    const text = `#${written(linked.get())}`
    if (text !== location.hash) history.replaceState(null, '', text)
  }
  linked.watch(() => {
    document.documentElement.dataset.theme = linked.get().theme
    const rest = last + BETWEEN - performance.now()
    if (rest <= 0) write()
    else if (!isDue) {
      isDue = true
      setTimeout(write, rest)
    }
  })
  window.addEventListener('hashchange', () => {
    const state = read(location.hash)
    linked.set({ ...state, range: inside(state.range) })
  })
  document.documentElement.dataset.theme = linked.get().theme
}

// Colours that colour-blind people tell apart too: Okabe and Ito's, and Tol's muted ones. Shapes say the same again.

export const TIME_USES: [name: string, colour: string, words: string][] = [
  ['computing', '#4477aa', 'computing'],
  // As the report counts it: all that MPI does, so starting and ending it, too.
  ['waiting', '#ddaa33', 'in MPI and locks'],
  // Over time, what of that waits for others is told alone.
  ['sync', '#ddaa33', 'waiting for others'],
  ['io', '#228877', 'input and output'],
  ['processor', '#bb5566', 'without a processor'],
  ['throttled', '#882255', 'throttled'],
  ['paging', '#aa4499', 'paging'],
  ['blocked', '#999933', 'blocked elsewhere'],
  ['idle', '#c9ccd1', 'idle'],
  ['unknown', '#9a9da3', 'unknown'],
  // Of a part of the run, what is none of those that are known over time.
  ['rest', '#c9ccd1', 'idle, in MPI without waiting, or unknown'],
]

/** The metrics that stand over each other, with the use of time whose colour they have. */
export const DIVISION: [metric: string, use: string, words: string][] = (
  [['cpu', 'computing'], ['sync_wait', 'sync'], ['io_wait', 'io'], ['run_delay', 'processor'], ['paging', 'paging'], ['blocked', 'blocked']] as const
).map(([metric, use]) => [metric, use, useWords(use)])

/** On dark paper what is idle must not shine. */
const IDLE_DARK = '#474d58'

export const useColour = (use: string) => ((use === 'idle' || use === 'rest') && isDark() ? IDLE_DARK : (TIME_USES.find(([name]) => name === use)?.[1] ?? '#9a9da3'))

const LINES = ['#4477aa', '#b8860b', '#bb5566', '#228877', '#aa4499', '#80802b', '#3a88b8', '#882255']
const LINES_DARK = ['#77aadd', '#ddaa33', '#ee8899', '#44bb99', '#cc88cc', '#bbbb55', '#99ddff', '#dd77aa']

/** The colour of the line of a number, of several series. */
export const lineColour = (number: number) => (isDark() ? LINES_DARK : LINES)[number % LINES.length]!

/** The colour of a limit or threshold. */
export const limitColour = () => (isDark() ? '#ee8899' : '#bb5566')

/** From nothing to the most, the same for light and dark: blue over violet to yellow, even in lightness. */
const HEAT = ['#f3f1ea', '#f5e0a0', '#eebd5a', '#dc8e4e', '#b85f5b', '#84405f', '#472a55']
const HEAT_DARK = ['#1d2128', '#35305a', '#6a3a6b', '#a24a63', '#d0694f', '#eb9c4a', '#f7dc88']

/** A colour for a share between 0 and 1. */
export function heat(share: number, isDark: boolean): string {
  const stops = isDark ? HEAT_DARK : HEAT
  const at = Math.min(Math.max(share, 0), 1) * (stops.length - 1)
  const low = Math.min(Math.floor(at), stops.length - 2)
  const mix = at - low
  const [one, other] = [channels(stops[low]!), channels(stops[low + 1]!)]
  return `rgb(${one.map((value, n) => Math.round(value + (other[n]! - value) * mix)).join(' ')})`
}

/** The colours of 256 steps, each as the four bytes of a point; made once for each theme. */
export function heatTable(isDark: boolean): Uint32Array {
  return (tables[isDark ? 1 : 0] ??= Uint32Array.from({ length: 256 }, (_, at) => {
    const [red, green, blue] = heat(at / 255, isDark).match(/\d+/g)!.map(Number) as [number, number, number]
    return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0
  }))
}

const tables: (Uint32Array | undefined)[] = []

const channels = (hex: string) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16))

/** A steady colour for a name. */
export function named(name: string): string {
  let hash = 0
  for (let at = 0; at < name.length; at++) hash = (hash * 31 + name.charCodeAt(at)) >>> 0
  return `hsl(${200 + (hash % 160)} ${28 + (hash % 17)}% ${58 + ((hash >> 5) % 14)}%)`
}

/** A colour of the page's style as a canvas takes it: what depends on light and dark is known when it is used only. */
export function ink(name: string): string {
  const probe = document.createElement('i')
  probe.style.color = `var(${name})`
  document.body.append(probe)
  const colour = getComputedStyle(probe).color
  probe.remove()
  return colour
}

export function isDark(): boolean {
  const { theme } = document.documentElement.dataset
  return theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
}

/** A colour that says what a region does, as far as its name tells: waits, moves files' data, or computes. */
export function regionColour(name: string): string {
  const shade = [0, 1, 2, 3].map((at) => name.charCodeAt(at % name.length) || 0).reduce((one, other) => one * 7 + other, 0) % 5
  if (/^(MPI_|pthread_|sem_|futex|omp_)/i.test(name)) return `hsl(${38 + 2 * shade} ${62 + 3 * shade}% 68%)`
  if (/^(p?read|p?write|open|close|creat|f(sync|datasync|read|write|open|close)|lseek|rename|unlink|stat|mmap)/.test(name)) return `hsl(${165 + 3 * shade} 36% 64%)`
  return `hsl(${206 + 4 * shade} ${40 + 3 * shade}% 70%)`
}

/** A way to spend time as people call it. */
export function useWords(use: string): string {
  return TIME_USES.find(([name]) => name === use)?.[2] ?? use
}

/** What somebody does for whom others wait. */
export const stateWords = (state: string) => useWords(state === 'waiting' ? 'sync' : state)

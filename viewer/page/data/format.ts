// Numbers as people read them.

import type { Hypothesis, Metric } from './documents'

/** `1 record`, `2 records`. */
export const counted = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`

/** Digits behind the point that tell numbers apart which lie a step from each other; none of no step. */
function digitsOf(step: number): number {
  const size = Math.abs(step)
  if (!(size > 0)) return 0
  for (let digits = 0; digits < MOST_DIGITS; digits++) {
    const scaled = size * 10 ** digits
    if (scaled > 0.99 && Math.abs(scaled - Math.round(scaled)) < 1e-6 * scaled) return digits
  }
  return MOST_DIGITS
}

/** A smaller step is written with a power of ten. */
const MOST_DIGITS = 7

/** A number on an axis: as exact as the step between its ticks. */
export const stepped = (value: number, step: number) => {
  const digits = digitsOf(step)
  return digits < MOST_DIGITS ? value.toFixed(digits) : String(Number(value.toPrecision(6)))
}

export const percent = (share: number, digits = 1) => `${(100 * share).toFixed(digits)} %`

/** The same on an axis whose ticks are a step apart. */
export const percentOnAxis = (share: number, step?: number) => (step ? `${stepped(100 * share, 100 * step)} %` : percent(share))

export function seconds(value: number): string {
  if (value === 0) return '0 s'
  const size = Math.abs(value)
  if (size >= 100) return `${value.toFixed(0)} s`
  if (size >= 1) return `${value.toFixed(2)} s`
  if (size >= 1e-3) return `${(value * 1e3).toFixed(1)} ms`
  return `${(value * 1e6).toFixed(1)} µs`
}

/** A moment on an axis of time. */
export const moment = (value: number, step: number) => `${step ? stepped(value, step) : value} s`

const LETTERS: [number, number, string][] = [[1e9, 1e9, ' G'], [1e6, 1e6, ' M'], [1e4, 1e3, ' k'], [0, 1, '']]

export function amount(value: number, step?: number): string {
  const size = Math.abs(value)
  const [, unit, letter] = LETTERS.find(([least]) => size >= least)!
  if (step) return `${stepped(value / unit, step / unit)}${letter}`
  if (letter !== '') return `${(value / unit).toFixed(1)}${letter}`
  return size >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toPrecision(3)
}

export const bytes = (value: number, step?: number) => `${amount(value, step)}B`.replace(/(\d)B$/, '$1 B')

/** A value of a hypothesis with its unit; on an axis, whose ticks are a step apart, as exact as they. */
export function ofHypothesis(value: number | null, row: Hypothesis | undefined, step?: number): string {
  if (value === null) return '–'
  if (!row || row.unit === '%') return percentOnAxis(value, step)
  return `${amount(value, step)} ${row.unit}`
}

/** A level, which may be far below one. */
export function level(value: number, step?: number): string {
  if (step) return stepped(value, step)
  const size = Math.abs(value)
  return size === 0 || size >= 0.1 ? String(Number(value.toFixed(2))) : String(Number(value.toPrecision(2)))
}

/** A rate of a metric: a number of threads, or an amount per second; on an axis, whose ticks are a step apart, as exact as they. */
export function rate(value: number, metric: Metric | undefined, step?: number): string {
  if (metric?.is_level) return metric.unit === 'ns' ? `${level(value, step)} threads` : level(value, step)
  return metric?.unit === 'B' ? `${bytes(value, step)}/s` : `${amount(value, step)}/s`
}

/** What that is, in words. */
export function rateUnit(metric: Metric | undefined): string {
  if (metric?.is_level) return metric.unit === 'ns' ? 'threads' : metric.unit
  return `${metric?.unit ?? ''} per second`
}

/** The same for an axis, whose title says what it is. */
export const axis = (value: number, metric: Metric | undefined, step?: number) => (metric?.is_level ? level(value, step) : rate(value, metric, step))

/** What a run is called in its store; one that goes on gets its name at its end, and only where it is kept. */
export function storeName(run: string | null, isLive: boolean): string {
  if (run) return `run ${run}`
  return isLive ? 'named at its end, if a store keeps it' : 'not kept in a store'
}

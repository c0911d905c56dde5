// Numbers as people read them.

import type { Hypothesis, Metric } from './documents'

/** `1 record`, `2 records`. */
export const counted = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`

export const percent = (share: number, digits = 1) => `${(100 * share).toFixed(digits)} %`

export function seconds(value: number): string {
  if (value === 0) return '0 s'
  const size = Math.abs(value)
  if (size >= 100) return `${value.toFixed(0)} s`
  if (size >= 1) return `${value.toFixed(2)} s`
  if (size >= 1e-3) return `${(value * 1e3).toFixed(1)} ms`
  return `${(value * 1e6).toFixed(1)} µs`
}

export function amount(value: number): string {
  const size = Math.abs(value)
  if (size >= 1e9) return `${(value / 1e9).toFixed(1)} G`
  if (size >= 1e6) return `${(value / 1e6).toFixed(1)} M`
  if (size >= 1e4) return `${(value / 1e3).toFixed(1)} k`
  return size >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toPrecision(3)
}

export const bytes = (value: number) => `${amount(value)}B`.replace(/(\d)B$/, '$1 B')

/** A value of a hypothesis with its unit. */
export function ofHypothesis(value: number | null, row: Hypothesis | undefined): string {
  if (value === null) return '–'
  if (!row || row.unit === '%') return percent(value)
  return `${amount(value)} ${row.unit}`
}

/** A rate of a metric: a number of threads, or an amount per second. */
export function rate(value: number, metric: Metric | undefined): string {
  if (metric?.is_level) return metric.unit === 'ns' ? `${value.toFixed(2)} threads` : value.toFixed(1)
  return metric?.unit === 'B' ? `${bytes(value)}/s` : `${amount(value)}/s`
}

/** What that is, in words. */
export function rateUnit(metric: Metric | undefined): string {
  if (metric?.is_level) return metric.unit === 'ns' ? 'threads' : metric.unit
  return `${metric?.unit ?? ''} per second`
}

/** The same for an axis, whose title says what it is. */
export const axis = (value: number, metric: Metric | undefined) => (metric?.is_level ? value.toFixed(1) : rate(value, metric))

// Numbers on an axis are as exact as the step between them: no two ticks read alike, and none reads as another number.

import { expect, test } from 'vitest'
import type { Metric } from './documents'
import { shortNumber } from '../draw/stream_scene'
import { amount, axis, moment, percentOnAxis, rate, storeName } from './format'

const THREADS = { name: 'sync_wait', unit: 'ns', is_level: true } as Metric
const BYTES = { name: 'sent', unit: 'B', is_level: false } as Metric

/** Ticks from nothing, as they are computed: with the errors of sums. */
const ticks = (step: number) => [0, 1, 2, 3, 4].map((at) => at * step)

test('ticks of an axis are told apart, and read as they are', () => {
  expect(ticks(0.05).map((one) => axis(one, THREADS, 0.05))).toEqual(['0.00', '0.05', '0.10', '0.15', '0.20'])
  expect(ticks(0.25).map((one) => rate(one, THREADS, 0.25))).toEqual(['0.00 threads', '0.25 threads', '0.50 threads', '0.75 threads', '1.00 threads'])
  expect(ticks(2).map((one) => axis(one, THREADS, 2))).toEqual(['0', '2', '4', '6', '8'])
  expect(ticks(250).map((one) => rate(1e4 + one, BYTES, 250))).toEqual(['10.00 kB/s', '10.25 kB/s', '10.50 kB/s', '10.75 kB/s', '11.00 kB/s'])
  expect(ticks(0.0005).map((one) => percentOnAxis(one, 0.0005))).toEqual(['0.00 %', '0.05 %', '0.10 %', '0.15 %', '0.20 %'])
  expect(ticks(0.002).map((one) => moment(3 + one, 0.002))).toEqual(['3.000 s', '3.002 s', '3.004 s', '3.006 s', '3.008 s'])
  expect(ticks(2).map((one) => shortNumber(10_000 + one, 2))).toEqual(['10.000k', '10.002k', '10.004k', '10.006k', '10.008k'])
  expect(ticks(2e-10).map((one) => amount(one, 2e-10))).toEqual(['0', '2e-10', '4e-10', '6e-10', '8e-10'])
})

test('a small value that is read is not nothing', () => {
  expect([0, 0.0012, 0.25, 1.5, 12].map((one) => rate(one, THREADS))).toEqual(['0 threads', '0.0012 threads', '0.25 threads', '1.5 threads', '12 threads'])
})

test('of a run that goes on it is not said that it is not kept', () => {
  expect([storeName(null, true), storeName(null, false), storeName('solver.3', true)]).toEqual(['named at its end, if a store keeps it', 'not kept in a store', 'run solver.3'])
})

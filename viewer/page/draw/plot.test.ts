// Layers stand on each other, and a saved plot holds no markup of a name.

import { expect, test } from 'vitest'
import { level } from '../data/format'
import { cut, most, stacked, stepped, topOf } from './plot'
import { belowEachOther, plotSvg } from './plot_svg'

test('layers stand on those before them, and a gap in one is nothing in it', () => {
  expect(stacked([[1, null], [2, 3], [null, null]])).toEqual([[1, null], [3, 3], [3, 3]])
})

test('a name is no markup in a saved plot', () => {
  const svg = plotSvg({ times: [0.5], layers: [{ label: '<script>', colour: '#000', values: [1] }], range: [0, 1], format: (value) => String(value), label: '<b>' })
  expect(svg).not.toContain('<script>')
  expect(svg).not.toContain('<b>')
})

test('a moment that is read leads to the one beside it, within what is shown, whatever bins came meanwhile', () => {
  const [few, wide] = [[0.25, 0.75, 1.25, 1.75], [0.5, 1.5, 2.5]]
  const steps = [stepped(few, [0.5, 1.5], null, 1), stepped(few, [0, 2], 0.25, 1), stepped(few, [0, 2], 0.25, -1), stepped(few, [1, 2], 0.25, 1), stepped(wide, [0, 3], 0.75, 1), stepped([], [0, 2], 0.75, 1)]
  expect(steps).toEqual([0.75, 0.75, 0.25, 1.25, 1.5, null])
})

test('a saved plot has round ticks on both axes, and one of zeros has an axis', () => {
  const plot = { times: [0.05, 0.15], layers: [{ label: 'cpu', colour: '#000', values: [0.11, 0.2] }], range: [0, 0.2] as [number, number], format: (value: number, step?: number) => `${level(value, step)} threads`, label: 'cpu' }
  const words = [...plotSvg(plot).matchAll(/<text[^>]*>([\d.]+ (?:s|threads))</g)].map(([, text]) => text)
  expect(words).toEqual(['0.00 s', '0.05 s', '0.10 s', '0.15 s', '0.20 s', '0.00 threads', '0.05 threads', '0.10 threads', '0.15 threads', '0.20 threads'])
  expect([topOf(0), topOf(0, 4), topOf(100)]).toEqual([1, 4, 106])
})

test('the most of a part of the run is that of what is drawn there, up to the points beside it', () => {
  const [times, values] = [[1, 2, 3, 4, 5], [[9, 1, 2, 1, 8], [null, null, 4, null, null]]]
  expect([most(times, values, [2.5, 3.5]), most(times, values, [3.5, 4.5]), most(times, values, [0, 9]), most([], [], [0, 1])]).toEqual([4, 8, 9, 0])
})

test('a saved plot has its legend, the names of phases, and no line where nothing was measured', () => {
  const layers = [{ label: 'cpu', colour: '#123', values: [1, 2, null, 1, 1] }, { label: 'io', colour: '#456', values: [1, 1, 1, 1, 1] }]
  const marks = [{ at: 2, label: 'solve', kind: 'phase' as const }, { at: 9, label: 'later', kind: 'phase' as const }]
  const svg = plotSvg({ times: [0, 1, 2, 3, 4], layers, range: [0, 4], format: (value) => String(value), label: 'pairs', marks })
  const words = [...svg.matchAll(/<text[^>]*>([a-z]+)</g)].map(([, text]) => text)
  expect([words, svg.match(/<polyline/g)!.length]).toEqual([['solve', 'cpu', 'io'], 3])
  expect(/ height="(\d+)"/.exec(belowEachOther([svg, svg]))![1]).toBe(String(2 * Number(/ height="(\d+)"/.exec(svg)![1])))
})

test('a long name of a phase is cut where it stands in a plot', () => {
  expect([cut('solve'), cut('x'.repeat(5000)).length]).toEqual(['solve', 40])
})

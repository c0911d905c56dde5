// Layers stand on each other, and a saved plot holds no markup of a name.

import { expect, test } from 'vitest'
import { plotSvg, stacked } from './plot'

test('layers stand on those before them, and a gap in one is nothing in it', () => {
  expect(stacked([[1, null], [2, 3], [null, null]])).toEqual([[1, null], [3, 3], [3, 3]])
})

test('a name is no markup in a saved plot', () => {
  const svg = plotSvg({ times: [0.5], layers: [{ label: '<script>', colour: '#000', values: [1] }], range: [0, 1], format: String, label: '<b>' })
  expect(svg).not.toContain('<script>')
  expect(svg).not.toContain('<b>')
})

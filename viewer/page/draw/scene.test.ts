// A scene is saved as it is painted, and a name in it is no markup.

import { expect, test } from 'vitest'
import { type Item, type Scene, recordAt, sceneSvg, ticks } from './scene'

const scene: Scene = {
  width: 100,
  height: 50,
  frame: { x: 10, y: 0, w: 90, h: 40 },
  items: [
    { kind: 'word', text: '<script>alert(1)</script>', x: 5, y: 5, align: 'left' },
    { kind: 'bar', x: 20, y: 10, w: 30, h: 10, colour: '#123456', record: 3 },
    { kind: 'mark', shape: 'diamond', x: 80, y: 20, r: 4, colour: '#654321', record: 7 },
  ],
}

test('a name is no markup in a saved scene', () => {
  const svg = sceneSvg(scene, '<b>')
  expect(svg).not.toContain('<script>')
  expect(svg).not.toContain('<b>')
  expect(svg).toContain('fill="#123456"')
  expect(svg).toContain('<path d="M80 15.2')
})

test('what is at a place is found', () => {
  expect(recordAt(scene, 25, 12)).toBe(3)
  expect(recordAt(scene, 82, 22)).toBe(7)
  expect(recordAt(scene, 60, 35)).toBe(null)
})

test('ticks are round', () => {
  expect(ticks(0, 10, 5)).toEqual([0, 2, 4, 6, 8, 10])
  expect(ticks(0.31, 1.2, 4)).toEqual([0.5, 1])
  expect(ticks(3, 3, 4)).toEqual([3])
})

test('a strip says the same of each of its columns, and leaves out what was not measured', () => {
  const strip: Item = { kind: 'strip', x: 10, y: 0, w: 20, h: 10, columns: 2, colours: ['#111', '#222'], shares: Float32Array.from([0.5, 0.25, NaN, NaN]), record: 7 }
  const scene = { width: 40, height: 10, frame: { x: 10, y: 0, w: 20, h: 10 }, items: [strip] }
  const bars = [...sceneSvg(scene, 'strips').matchAll(/<rect x="([\d.]+)" y="([\d.]+)"[^>]* fill="(#\d+)"/g)].map(([, x, y, fill]) => [x, y, fill])
  expect([bars, recordAt(scene, 25, 5)]).toEqual([[['10', '5', '#111'], ['10', '2.5', '#222']], 7])
})

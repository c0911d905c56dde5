// The plot over time as a drawing that can be saved: the same curves, on paper.

import { moment } from '../data/format'
import { commonMost } from '../link/common_most'
import { type Layer, type Mark, type PlotProps, cut, heights, most, topOf, written } from './plot'
import { ticks } from './scene'

/** The size of a plot that is saved, without its legend. */
const [WIDE, HIGH] = [800, 260]
const [LEFT, RIGHT, TOP, BOTTOM] = [96, 14, 10, 30]
const FLOOR = HIGH - BOTTOM
/** Of a line of the legend. */
const KEY = 16
const SOFT = '#5a616b'

/** Plots that are saved as one drawing. */
export function belowEachOther(all: string[]): string {
  let height = 0
  const parts = all.map((svg) => {
    const part = svg.replace('<svg ', `<svg y="${height}" `)
    height += Number(/ height="([\d.]+)"/.exec(svg)![1])
    return part
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDE}" height="${height}" viewBox="0 0 ${WIDE} ${height}">${parts.join('')}</svg>`
}

const escape = (text: string) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`)

type Saved = Pick<PlotProps, 'times' | 'layers' | 'isStacked' | 'range' | 'format' | 'label' | 'least' | 'shows' | 'marks'>

export function plotSvg({ range, layers, times, isStacked, least, shows, marks, format, label }: Saved): string {
  const values = heights(layers, isStacked)
  const top = topOf(Math.max(most(times, values, range), commonMost(shows)), least)
  const x = (time: number) => LEFT + ((time - range[0]) / (range[1] - range[0])) * (WIDE - LEFT - RIGHT)
  const y = (value: number) => TOP + (1 - value / top) * (FLOOR - TOP)
  const within = times.flatMap((time, at) => (time >= range[0] && time <= range[1] ? [at] : []))
  const point = (at: number, value: number | null | undefined) => `${x(times[at]!).toFixed(1)},${y(value ?? 0).toFixed(1)}`
  const drawn = values.map((layer, number) => {
    const { colour, isDashed } = layers[number]!
    return pieces(within, layer, layers[number]!).map((piece) => {
      const upper = piece.map((at) => point(at, layer[at]))
      if (!isStacked) return `<polyline points="${upper.join(' ')}" fill="none" stroke="${colour}" stroke-width="1.5" stroke-linecap="round"${isDashed ? ' stroke-dasharray="6 4"' : ''}/>`
      const base = piece.map((at) => point(at, values[number - 1]?.[at])).reverse()
      return `<polygon points="${[...upper, ...base].join(' ')}" fill="${colour}"/>`
    }).join('')
  })
  const [moments, amounts] = [ticks(...range, 6), ticks(0, top, 5)]
  const across = written(moments, moment).map((words, at) => `<text x="${x(moments[at]!).toFixed(1)}" y="${FLOOR + 18}" text-anchor="middle">${words}</text>`)
  const upwards = written(amounts, format).map((words, at) => `<text x="${LEFT - 6}" y="${(y(amounts[at]!) + 4).toFixed(1)}" text-anchor="end">${escape(words)}</text>`)
  const legend = layers.map(
    ({ colour, label }, at) => `<rect x="${LEFT}" y="${HIGH + KEY * at - 3}" width="10" height="10" fill="${colour}"/><text x="${LEFT + 16}" y="${HIGH + KEY * at + 6}">${escape(label)}</text>`,
  )
  const height = HIGH + KEY * layers.length
  const seen = (marks ?? []).filter(({ at }) => at >= range[0] && at <= range[1])
  const axis = `<path d="M${LEFT} ${TOP}V${FLOOR}H${WIDE - RIGHT}" fill="none" stroke="#c9c6bd"/>`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDE}" height="${height}" viewBox="0 0 ${WIDE} ${height}" font-family="system-ui, sans-serif" font-size="11"><title>${escape(label)}</title><rect width="${WIDE}" height="${height}" fill="#fff"/>${axis}${drawn.join('')}${across.join('')}${upwards.join('')}${seen.map((mark) => markSvg(mark, x(mark.at))).join('')}${legend.join('')}</svg>`
}

/** The stretches of a layer between which nothing was measured. */
function pieces(within: number[], layer: (number | null)[], { isJoined }: Layer): number[][] {
  const all: number[][] = [[]]
  for (const at of within) {
    if (layer[at] !== null && layer[at] !== undefined) all.at(-1)!.push(at)
    else if (!isJoined) all.push([])
  }
  return all.filter((piece) => piece.length > 0)
}

/** A phase with its name; a verdict points down from the top of the axis, a switch up from below it. */
function markSvg({ kind, label }: Mark, x: number): string {
  const place = x.toFixed(1)
  if (kind === 'phase') return `<path d="M${place} ${TOP}V${FLOOR}" stroke="${SOFT}" stroke-dasharray="3 3"/><text x="${(x + 3).toFixed(1)}" y="${TOP + 10}" fill="${SOFT}">${escape(cut(label))}</text>`
  const [from, tip] = kind === 'verdict' ? [TOP, 6] : [FLOOR, -6]
  return `<path d="M${(x - 3).toFixed(1)} ${from}h6l-3 ${tip}z" fill="${SOFT}" opacity="0.55"/>`
}

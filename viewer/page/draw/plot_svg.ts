// The plot over time as a drawing that can be saved: the same curves, on paper.

import { moment } from '../data/format'
import { commonMost } from '../link/common_most'
import { type PlotProps, heights, most, topOf, written } from './plot'
import { ticks } from './scene'

/** The size of a plot that is saved. */
const [WIDE, HIGH] = [800, 260]
const [LEFT, RIGHT, TOP, BOTTOM] = [96, 14, 10, 30]

/** Plots that are saved as one drawing. */
export function belowEachOther(all: string[]): string {
  const parts = all.map((svg, at) => svg.replace('<svg ', `<svg y="${at * HIGH}" `))
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDE}" height="${HIGH * all.length}" viewBox="0 0 ${WIDE} ${HIGH * all.length}">${parts.join('')}</svg>`
}

const escape = (text: string) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`)

export function plotSvg(props: Pick<PlotProps, 'times' | 'layers' | 'isStacked' | 'range' | 'format' | 'label' | 'least' | 'shows'>): string {
  const { range, layers, times, isStacked, least, shows } = props
  const values = heights(layers, isStacked)
  const within = times.map((time, at) => [time, at] as const).filter(([time]) => time >= range[0] && time <= range[1])
  const top = topOf(Math.max(most(times, values, range), commonMost(shows)), least)
  const x = (time: number) => LEFT + ((time - range[0]) / (range[1] - range[0])) * (WIDE - LEFT - RIGHT)
  const y = (value: number) => TOP + (1 - value / top) * (HIGH - BOTTOM - TOP)
  const lines = values.map((layer, number) => {
    const below = isStacked ? values[number - 1] : undefined
    const points = within.filter(([, at]) => layer[at] !== null && layer[at] !== undefined)
    const upper = points.map(([time, at]) => `${x(time).toFixed(1)},${y(layer[at]!).toFixed(1)}`)
    const colour = layers[number]!.colour
    if (!isStacked) return `<polyline points="${upper.join(' ')}" fill="none" stroke="${colour}" stroke-width="1.5"/>`
    const base = points.map(([time, at]) => `${x(time).toFixed(1)},${y(below?.[at] ?? 0).toFixed(1)}`).reverse()
    return `<polygon points="${[...upper, ...base].join(' ')}" fill="${colour}"/>`
  })
  const [moments, amounts] = [ticks(...range, 6), ticks(0, top, 5)]
  const across = written(moments, moment).map((words, at) => `<text x="${x(moments[at]!).toFixed(1)}" y="${HIGH - 10}" text-anchor="middle">${words}</text>`)
  const upwards = written(amounts, props.format).map((words, at) => `<text x="${LEFT - 6}" y="${(y(amounts[at]!) + 4).toFixed(1)}" text-anchor="end">${escape(words)}</text>`)
  const legend = layers.map(
    (layer, at) => `<rect x="${LEFT + 10}" y="${16 + 16 * at}" width="10" height="10" fill="${layer.colour}"/><text x="${LEFT + 26}" y="${25 + 16 * at}">${escape(layer.label)}</text>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDE}" height="${HIGH}" viewBox="0 0 ${WIDE} ${HIGH}" font-family="system-ui, sans-serif" font-size="11"><title>${escape(props.label)}</title><rect width="${WIDE}" height="${HIGH}" fill="#fff"/>${lines.join('')}${across.join('')}${upwards.join('')}${legend.join('')}</svg>`
}

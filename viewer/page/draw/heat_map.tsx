// Processes over time as a heat map: a row for each, a colour for how much.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Series } from '../data/documents'
import { seconds } from '../data/format'
import { Parts, mean, peak } from '../data/series'
import { useCells } from '../link/cell_keys'
import { commonMost, useCommonMost } from '../link/common_most'
import { link, linked, useShared } from '../link/linked'
import { moveRange } from '../link/range_keys'
import { cleared } from './cleared'
import { LEFT, RIGHT } from './margins'
import { heat, heatTable, ink, isDark } from './palette'
import { ticks } from './scene'

interface Props {
  rows: { name: string; series: Series | null | undefined }[]
  range: [number, number]
  selected: string | null
  onSelect(name: string): void
  format(value: number): string
  /** What it shows: with pictures of the same, of other runs, it shares its colours. */
  shows: string
}

const BOTTOM = 22
/** Of the cursor that keys move, across the time that is shown. */
const STEPS = 100
/** More rows than this are drawn at a third of the width: nobody tells single columns apart then, and zooming stays smooth. */
const MANY = 300

export function HeatMap({ rows, range, selected, onSelect, format, shows }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const cells = useRef(new Cells())
  const [said, say] = useState('')
  const brush = useRef<number | null>(null)
  const high = Math.min(26, Math.max(2, Math.floor(420 / Math.max(rows.length, 1))))
  const height = rows.length * high + BOTTOM
  const strong = useMemo(() => strongest(rows), [rows])
  const most = useCommonMost(shows, strong)

  const draw = useRef(() => {})
  draw.current = () => {
    // A change of size may be told when the picture is gone already.
    if (canvas.current) paint(canvas.current, cells.current, { rows, range, selected, high, most })
  }
  const { theme } = useShared(linked)
  useEffect(() => draw.current(), [rows, range[0], range[1], selected, high, most, theme])
  useEffect(() => {
    const sized = new ResizeObserver(() => draw.current())
    sized.observe(canvas.current!)
    return () => sized.disconnect()
  }, [])

  // Left and right move over the time that is shown in a hundred steps.
  const own = (event: KeyboardEvent) => (/^Arrow/.test(event.key) ? false : moveRange(event))
  const { at: cursor, keys } = useCells({ rows: rows.length, columns: STEPS, own, choose: ({ row }) => onSelect(rows[row]!.name) })
  const cursorTime = cursor && range[0] + ((cursor.column + 0.5) / STEPS) * (range[1] - range[0])
  const told = (row: (typeof rows)[number], time: number) => {
    const value = row.series && mean(row.series, time, time + row.series.width_s)
    return `process ${row.name} at ${time.toFixed(2)} s: ${value === null || value === undefined ? 'not measured' : format(value)}`
  }
  const at = (event: PointerEvent): { row: (typeof rows)[number] | undefined; time: number } => {
    const box = canvas.current!.getBoundingClientRect()
    const share = (event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT)
    const row = rows[Math.floor((event.clientY - box.top) / high)]
    return { row, time: range[0] + Math.min(Math.max(share, 0), 1) * (range[1] - range[0]) }
  }
  return (
    <div class="heat">
      <canvas
        ref={canvas}
        style={{ height: `${height}px` }}
        {...keys}
        role="application"
        aria-label="Processes over time, which can be saved as CSV: arrow keys move a cursor, Enter chooses its process, plus and minus zoom"
        onPointerDown={(event) => (brush.current = at(event).time)}
        onPointerMove={(event) => {
          const { row, time } = at(event)
          say(row ? told(row, time) : '')
        }}
        onPointerUp={(event) => {
          const { row, time } = at(event)
          const from = brush.current ?? time
          brush.current = null
          if (Math.abs(time - from) > (range[1] - range[0]) / 100) link({ range: [Math.min(from, time), Math.max(from, time)] })
          else if (row) onSelect(row.name)
        }}
        onDblClick={() => link({ range: null })}
      />
      {cursor && <i class="cursor" style={{ left: `calc(${LEFT}px + (100% - ${LEFT + RIGHT}px) * ${(cursor.column + 0.5) / STEPS})`, top: `${cursor.row * high}px`, height: `${high}px` }} />}
      <p class="said" aria-live={cursor ? 'polite' : 'off'}>{(cursor && told(rows[cursor.row]!, cursorTime!)) || said || `the strongest colour is ${format(most)} and more; what is empty was not measured`}</p>
    </div>
  )
}

/** What the strongest colour stands for. */
const strongest = (rows: Props['rows']) => Math.max(1e-9, ...rows.map(({ series }) => (series ? peak(series) : 0)))

function paint(
  canvas: HTMLCanvasElement,
  cells: Cells,
  { rows, range, selected, high, most }: Pick<Props, 'rows' | 'range' | 'selected'> & { high: number; most: number },
) {
  const box = canvas.getBoundingClientRect()
  const context = cleared(canvas, box.width, box.height)
  const [soft, accent] = [ink('--ink-soft'), ink('--accent')]
  const dark = isDark()
  context.font = '11px system-ui, sans-serif'
  const wide = box.width - LEFT - RIGHT
  const step = high >= 11 ? 1 : Math.ceil(11 / high)
  const colours = cells.draw(rows, range, Math.max(1, Math.round(rows.length > MANY ? wide / 3 : wide)), most, dark)
  context.fillStyle = ink('--unmeasured')
  context.fillRect(LEFT, 0, wide, rows.length * high)
  context.imageSmoothingEnabled = false
  if (colours) context.drawImage(colours, LEFT, 0, wide, rows.length * high)
  const gap = ink('--card')
  rows.forEach(({ name }, at) => {
    const y = at * high
    if (high > 4) {
      context.fillStyle = gap
      context.fillRect(LEFT, y + high - 1, wide, 1)
    }
    if (at % step === 0) {
      context.fillStyle = name === selected ? accent : soft
      context.textAlign = 'right'
      context.fillText(name, LEFT - 8, y + Math.max(high / 2 + 4, 9))
    }
    if (name === selected) {
      context.strokeStyle = accent
      context.lineWidth = 1.5
      context.strokeRect(LEFT + 0.5, y + 0.5, wide - 1, Math.max(high - 2, 1))
    }
  })
  context.fillStyle = soft
  context.textAlign = 'center'
  for (const time of ticks(...range, Math.max(2, wide / 110))) {
    context.fillText(`${time} s`, LEFT + ((time - range[0]) / (range[1] - range[0])) * wide, rows.length * high + 15)
  }
}

/** The colours alone, a point for each row and column. They are drawn in the same memory each time: zooming draws them with each frame. */
class Cells {
  private readonly canvas = document.createElement('canvas')
  private image = new ImageData(1, 1)
  private values = new Float64Array(1)

  /** Null of no rows. */
  draw(rows: Props['rows'], range: [number, number], columns: number, most: number, dark: boolean): HTMLCanvasElement | null {
    if (rows.length === 0) return null
    const { canvas } = this
    if (this.image.width !== columns || this.image.height !== rows.length) {
      Object.assign(canvas, { width: columns, height: rows.length })
      this.image = new ImageData(columns, rows.length)
      this.values = new Float64Array(columns)
    }
    const points = new Uint32Array(this.image.data.buffer)
    // What was not measured stays clear.
    points.fill(0)
    const colours = heatTable(dark)
    const { values } = this
    let parts: Parts | undefined
    rows.forEach(({ series }, row) => {
      if (!series) return
      if (!parts?.fits(series)) parts = new Parts(series, range, columns)
      parts.means(series, values)
      const first = row * columns
      for (let at = 0; at < columns; at++) {
        const value = values[at]!
        if (value === value) points[first + at] = colours[Math.min(Math.max(Math.round((255 * value) / most), 0), 255)]!
      }
    })
    canvas.getContext('2d')!.putImageData(this.image, 0, 0)
    return canvas
  }
}

/** A drawing of more points in height is refused as an image. */
const HIGHEST = 4000

/** The same as a drawing that can be saved, in cells of a hundredth of the time. */
export function heatSvg(rows: Props['rows'], range: [number, number], shows: string, format: Props['format']): string {
  const most = Math.max(strongest(rows), commonMost(shows))
  const step = (range[1] - range[0]) / 100
  const high = Math.min(16, Math.max(2, Math.floor(HIGHEST / Math.max(rows.length, 1))))
  const cells = rows.flatMap(({ series }, at) =>
    Array.from({ length: 100 }, (_, x) => {
      const value = series ? mean(series, range[0] + x * step, range[0] + (x + 1) * step) : null
      return value === null ? '' : `<rect x="${60 + x * 7}" y="${at * high}" width="7.2" height="${high > 4 ? high - 1 : high}" fill="${heat(value / most, false)}"/>`
    }),
  )
  const names = rows.map(({ name }, at) => (at % Math.ceil(11 / high) === 0 ? `<text x="54" y="${at * high + Math.max(high / 2 + 4, 9)}" text-anchor="end">${name.replace(/[&<>]/g, '')}</text>` : ''))
  const height = rows.length * high + 44
  const ends = `<text x="60" y="${height - 28}">${seconds(range[0])}</text><text x="760" y="${height - 28}" text-anchor="end">${seconds(range[1])}</text>`
  const legend = [0, 0.25, 0.5, 0.75, 1].map((share, at) => `<rect x="${60 + 110 * at}" y="${height - 17}" width="10" height="10" fill="${heat(share, false)}"/><text x="${76 + 110 * at}" y="${height - 8}">${format(share * most)}</text>`)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="770" height="${height}" viewBox="0 0 770 ${height}" font-family="system-ui, sans-serif" font-size="11"><rect width="770" height="${height}" fill="#fff"/>${cells.join('')}${names.join('')}${ends}${legend.join('')}</svg>`
}

// A scene: marks, bars and words at their places. It is painted on a canvas, and written as a drawing that can be saved: both are the same.

import { cleared } from './cleared'

export type Shape = 'circle' | 'square' | 'triangle' | 'diamond' | 'cross' | 'plus'

export const SHAPES: Shape[] = ['circle', 'square', 'triangle', 'diamond', 'cross', 'plus']

export type Item =
  | { kind: 'mark'; shape: Shape; x: number; y: number; r: number; colour: string; isFaint?: boolean; record: number }
  | { kind: 'bar'; x: number; y: number; w: number; h: number; colour: string; isFaint?: boolean; record: number }
  /** Columns side by side, as wide as there is room, each of parts that stand on each other. */
  | { kind: 'strip'; x: number; y: number; w: number; h: number; columns: number; colours: string[]; shares: Float32Array; record: number }
  | { kind: 'word'; text: string; x: number; y: number; align: 'left' | 'center' | 'right'; isStrong?: boolean }
  | { kind: 'line'; x1: number; y1: number; x2: number; y2: number }
  | { kind: 'box'; x: number; y: number; w: number; h: number }

export interface Scene {
  width: number
  height: number
  /** Marks and bars are drawn within this part only. */
  frame: { x: number; y: number; w: number; h: number }
  items: Item[]
}

export interface Ink {
  ink: string
  soft: string
  line: string
  accent: string
}

const FAINT = 0.13

/** Corners of a shape of radius one; none of a circle, and pairs of strokes of crosses. */
const CORNERS: Record<Shape, [number, number][]> = {
  circle: [],
  square: [[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]],
  triangle: [[0, -1.1], [1, 0.8], [-1, 0.8]],
  diamond: [[0, -1.2], [1, 0], [0, 1.2], [-1, 0]],
  cross: [[-0.9, -0.9], [0.9, 0.9], [0.9, -0.9], [-0.9, 0.9]],
  plus: [[-1.1, 0], [1.1, 0], [0, -1.1], [0, 1.1]],
}

export const isStroke = (shape: Shape) => shape === 'cross' || shape === 'plus'

export function paint(canvas: HTMLCanvasElement, scene: Scene, ink: Ink) {
  const context = cleared(canvas, scene.width, scene.height)
  context.font = '11px system-ui, sans-serif'
  const { frame } = scene
  for (const item of scene.items) {
    if (item.kind === 'word') {
      context.fillStyle = item.isStrong ? ink.ink : ink.soft
      context.textAlign = item.align
      context.fillText(item.text, item.x, item.y)
    } else if (item.kind === 'line') {
      context.strokeStyle = ink.line
      context.lineWidth = 1
      context.beginPath()
      context.moveTo(item.x1, item.y1)
      context.lineTo(item.x2, item.y2)
      context.stroke()
    }
  }
  context.save()
  context.beginPath()
  context.rect(frame.x, frame.y, frame.w, frame.h)
  context.clip()
  for (const item of scene.items) {
    if (item.kind === 'bar') {
      context.globalAlpha = item.isFaint ? FAINT : 1
      context.fillStyle = item.colour
      context.fillRect(item.x, item.y, item.w, item.h)
    } else if (item.kind === 'mark') {
      context.globalAlpha = item.isFaint ? FAINT : 0.85
      mark(context, item)
    } else if (item.kind === 'strip') {
      context.globalAlpha = 1
      columns(item, (x, y, w, h, colour) => {
        if (context.fillStyle !== colour) context.fillStyle = colour
        context.fillRect(x, y, w, h)
      })
    }
  }
  context.restore()
  context.globalAlpha = 1
  for (const item of scene.items) {
    if (item.kind !== 'box') continue
    context.strokeStyle = ink.accent
    context.lineWidth = 1.5
    context.strokeRect(item.x, item.y, item.w, item.h)
  }
}

type Strip = Extract<Item, { kind: 'strip' }>

/** Smaller parts of a column are not seen. */
const LEAST_SHARE = 0.004

/** The parts of a strip, colour by colour: a canvas takes another colour less often then. */
function columns({ x, y, w, h, columns, colours, shares }: Strip, draw: (x: number, y: number, w: number, h: number, colour: string) => void) {
  const bottoms = new Float32Array(columns)
  colours.forEach((colour, part) => {
    for (let at = 0; at < columns; at++) {
      const share = shares[at * colours.length + part]!
      if (!(share > LEAST_SHARE)) continue
      // Whole points, so that no seam is seen between columns.
      const [left, right] = [Math.round((at * w) / columns), Math.round(((at + 1) * w) / columns)]
      bottoms[at]! += share * h
      draw(x + left, y + h - bottoms[at]!, right - left, share * h + 0.4, colour)
    }
  })
}

function mark(context: CanvasRenderingContext2D, { shape, x, y, r, colour }: Extract<Item, { kind: 'mark' }>) {
  context.beginPath()
  if (shape === 'circle') context.arc(x, y, r, 0, 2 * Math.PI)
  CORNERS[shape].forEach(([dx, dy], at) => {
    const begins = at === 0 || (isStroke(shape) && at % 2 === 0)
    if (begins) context.moveTo(x + dx * r, y + dy * r)
    else context.lineTo(x + dx * r, y + dy * r)
  })
  if (isStroke(shape)) {
    context.strokeStyle = colour
    context.lineWidth = Math.max(1.2, r / 3)
    context.stroke()
  } else {
    context.closePath()
    context.fillStyle = colour
    context.fill()
  }
}

const escape = (text: string) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`)
const short = (value: number) => String(Number(value.toFixed(1)))

/** The same as a drawing, on paper. */
export function sceneSvg(scene: Scene, title: string): string {
  const { frame } = scene
  const one = (item: Item): string => {
    switch (item.kind) {
      case 'word':
        return `<text x="${short(item.x)}" y="${short(item.y)}" text-anchor="${{ left: 'start', center: 'middle', right: 'end' }[item.align]}" fill="#1c2026">${escape(item.text)}</text>`
      case 'line':
        return `<line x1="${short(item.x1)}" y1="${short(item.y1)}" x2="${short(item.x2)}" y2="${short(item.y2)}" stroke="#c9c6bd"/>`
      case 'box':
        return ''
      case 'bar':
        return `<rect x="${short(item.x)}" y="${short(item.y)}" width="${short(item.w)}" height="${short(item.h)}" fill="${item.colour}"${item.isFaint ? ` opacity="${FAINT}"` : ''}/>`
      case 'mark':
        return markSvg(item)
      case 'strip': {
        const parts: string[] = []
        columns(item, (x, y, w, h, colour) => parts.push(`<rect x="${short(x)}" y="${short(y)}" width="${short(w)}" height="${short(h)}" fill="${colour}"/>`))
        return parts.join('')
      }
    }
  }
  const isWithin = ({ kind }: Item) => kind === 'bar' || kind === 'mark' || kind === 'strip'
  const within = scene.items.filter(isWithin)
  const around = scene.items.filter((item) => !isWithin(item))
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${scene.width}" height="${scene.height}" viewBox="0 0 ${scene.width} ${scene.height}" font-family="system-ui, sans-serif" font-size="11"><title>${escape(title)}</title><rect width="100%" height="100%" fill="#fff"/>${around.map(one).join('')}<svg x="${frame.x}" y="${frame.y}" width="${frame.w}" height="${frame.h}" viewBox="${frame.x} ${frame.y} ${frame.w} ${frame.h}">${within.map(one).join('')}</svg></svg>`
}

function markSvg({ shape, x, y, r, colour, isFaint }: Extract<Item, { kind: 'mark' }>): string {
  const drawn = isStroke(shape) ? `stroke="${colour}" stroke-width="1.4"` : `fill="${colour}"`
  return `<path d="${outline(shape, x, y, r)}" ${drawn} opacity="${isFaint ? FAINT : 0.85}"/>`
}

/** The path of a mark. */
export function outline(shape: Shape, x: number, y: number, r: number): string {
  if (shape === 'circle') return `M${short(x - r)} ${short(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`
  const points = CORNERS[shape].map(([dx, dy]) => `${short(x + dx * r)} ${short(y + dy * r)}`)
  return isStroke(shape) ? `M${points[0]}L${points[1]}M${points[2]}L${points[3]}` : `M${points.join('L')}Z`
}

/** The record whose mark or bar is at a place. */
export function recordAt(scene: Scene, x: number, y: number): number | null {
  let [found, nearest]: [number | null, number] = [null, 8]
  for (const item of scene.items) {
    if ((item.kind === 'bar' || item.kind === 'strip') && x >= item.x && x <= item.x + Math.max(item.w, 2) && y >= item.y && y <= item.y + item.h) return item.record
    if (item.kind !== 'mark') continue
    const distance = Math.hypot(item.x - x, item.y - y)
    if (distance < nearest) [found, nearest] = [item.record, distance]
  }
  return found
}

/** Round values between two others, about as many as are wanted. */
export function ticks(from: number, to: number, wanted: number): number[] {
  if (!(to > from)) return [from]
  const rough = (to - from) / wanted
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough * 0.999)!
  const first = Math.ceil(from / step - 1e-9)
  const count = Math.floor(to / step + 1e-9) - first + 1
  return Array.from({ length: Math.max(count, 0) }, (_, at) => Number(((first + at) * step).toPrecision(12)))
}

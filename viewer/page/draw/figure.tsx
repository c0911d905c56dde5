// The frame of a picture: its title, what it is, and the ways to save it.

import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { type Cell, saveCsv, savePng, saveSvg, svgText } from './export'

interface Props {
  title: string
  note?: ComponentChildren
  children: ComponentChildren
  /** The numbers that the picture shows. */
  table?: () => Cell[][]
  /** A drawing of what stands on a canvas, with what explains it: names of phases, a legend. */
  svg?: () => string
  class?: string
}

export function Figure({ title, note, children, table, svg, class: name }: Props) {
  const frame = useRef<HTMLElement>(null)
  const drawing = (): [string, number, number] | null => {
    const element = frame.current?.querySelector<SVGSVGElement>('svg.picture')
    if (element) {
      const box = element.getBoundingClientRect()
      return [svgText(element), box.width, box.height]
    }
    const made = svg?.()
    const size = made && /^<svg [^>]*width="([\d.]+)" height="([\d.]+)"/.exec(made)
    return size ? [made, Number(size[1]), Number(size[2])] : null
  }
  const asSvg = () => {
    const made = drawing()
    if (made) saveSvg(title, made[0])
  }
  const asPng = () => {
    const made = drawing()
    if (made) void savePng(title, ...made)
  }
  return (
    <figure ref={frame} class={`figure ${name ?? ''}`}>
      <figcaption>
        <h3>{title}</h3>
        {note && <span class="note">{note}</span>}
        <span class="saves">
          <button type="button" onClick={asSvg} aria-label={`Save ${title} as SVG`}>SVG</button>
          <button type="button" onClick={asPng} aria-label={`Save ${title} as PNG`}>PNG</button>
          {table && <button type="button" onClick={() => saveCsv(title, table())} aria-label={`Save ${title} as CSV`}>CSV</button>}
        </span>
      </figcaption>
      {children}
    </figure>
  )
}

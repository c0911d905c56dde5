// Pictures and tables as files of the reader's own.

function save(name: string, blob: Blob) {
  const address = URL.createObjectURL(blob)
  const link = Object.assign(document.createElement('a'), { href: address, download: name })
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 1000)
}

const fileName = (title: string, ending: string) => `${title.toLowerCase().replace(/[^a-z0-9]+/g, '-')}.${ending}`

/** A drawing with the colours that it has on the page. */
export function svgText(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement
  const [from, to] = [[svg, ...svg.querySelectorAll('*')], [copy, ...copy.querySelectorAll('*')]]
  from.forEach((element, at) => {
    const style = getComputedStyle(element)
    const names = ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'font-family', 'font-size', 'font-style', 'font-weight', 'opacity']
    const words = names.map((name) => `${name}:${style.getPropertyValue(name)}`).join(';')
    to[at]?.setAttribute('style', words)
  })
  const box = svg.getBoundingClientRect()
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  if (!copy.getAttribute('width')) copy.setAttribute('width', String(box.width))
  if (!copy.getAttribute('height')) copy.setAttribute('height', String(box.height))
  return new XMLSerializer().serializeToString(copy)
}

export function saveSvg(title: string, text: string) {
  save(fileName(title, 'svg'), new Blob([text], { type: 'image/svg+xml' }))
}

/** A drawing as an image of twice its size. */
export async function savePng(title: string, text: string, width: number, height: number) {
  const image = new Image()
  const loaded = new Promise((done, failed) => {
    image.onload = done
    image.onerror = failed
  })
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`
  await loaded
  saveImage(title, image, 2 * width, 2 * height)
}

/** A picture on the paper of the page: what is clear in it would be black elsewhere. */
function saveImage(title: string, image: CanvasImageSource, width: number, height: number) {
  const canvas = Object.assign(document.createElement('canvas'), { width, height })
  const context = canvas.getContext('2d')!
  context.fillStyle = getComputedStyle(document.body).backgroundColor
  context.fillRect(0, 0, width, height)
  context.drawImage(image, 0, 0, width, height)
  canvas.toBlob((blob) => blob && save(fileName(title, 'png'), blob))
}

export type Cell = string | number | null

/** A table as programs read it: quotes doubled, and no cell that a spreadsheet would take for a formula. */
export function csv(rows: Cell[][]): string {
  const cell = (value: Cell) => {
    if (typeof value === 'number') return String(value)
    const text = value ?? ''
    const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
  }
  return rows.map((row) => row.map(cell).join(',')).join('\r\n') + '\r\n'
}

export function saveCsv(title: string, rows: Cell[][]) {
  save(fileName(title, 'csv'), new Blob([csv(rows)], { type: 'text/csv' }))
}

// The page in a browser: as a file, from the server of a stored run, and of a run that goes on.

import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type Page, chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { VIEWS, brush, checkStreams, checkViews, hurdles, show, shownPart } from './views'
import { Place, proxied } from './whyperf'

/** Only so that a page that hangs ends the test: nothing is judged by it. */
const PATIENCE = 120_000
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let browser: Browser
let place: Place

beforeAll(async () => {
  place = new Place()
  place.say(['run', '-q', ...place.poisson(400, 8000)])
  writeSteps()
  // Root has no sandbox of its own.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args })
}, PATIENCE)

afterAll(async () => {
  await browser?.close()
  place?.clear()
})

/** Records of steps of workers, one of which makes no sense; what they are shown as stands beside them. */
function writeSteps() {
  const steps = Array.from({ length: 60 }, (_, at) => `${(at * 0.05).toFixed(2)},${(at * 0.05 + 0.04 + (at % 3) * 0.03).toFixed(2)},w${at % 4},${(at * 37) % 100}`)
  steps.splice(2, 0, '0.1,much,w1,5')
  writeFileSync(place.path('steps.csv'), ['begin,end,worker,size', ...steps].join('\n'))
  const picture = (lines: string[]) => ['[[picture]]', ...lines].join('\n')
  const attribute = (name: string, type: string) => `[[attribute]]\nname = "${name}"\ntype = "${type}"`
  writeFileSync(
    place.path('steps.toml'),
    [
      'name = "steps"',
      attribute('begin', 'time'),
      attribute('end', 'number'),
      attribute('worker', 'text'),
      attribute('size', 'number'),
      picture(['kind = "activity"', 'x = "begin"', 'end = "end"', 'y = "worker"', 'color = "worker"']),
      picture(['kind = "scatter"', 'x = "worker"', 'y = "size"', 'color = "worker"', 'shape = "worker"', 'size = "size"']),
    ].join('\n'),
  )
}

/** A report in which places wait because of two ranks, so that there is a matrix of causes. */
function withTwoCauses(html: string): string {
  const begin = html.indexOf('id="data">') + 'id="data">'.length
  const end = html.indexOf('</script>', begin)
  const [file] = JSON.parse(html.slice(begin, end)) as { run: { report: { bottlenecks: { causes: object[] }[] } } }[]
  for (const one of file!.run.report.bottlenecks) {
    one.causes = [0, 1].map((rank) => ({ state: 'computing', by: 'rank', focus: `</Code,/Machine,/Process/${rank},/SyncObject>`, pattern: 'late sender', share: 0.3 + rank / 10 }))
  }
  return html.slice(0, begin) + JSON.stringify([file]).replaceAll('<', '\\u003c') + html.slice(end)
}

/** A page on which everything that goes wrong is noted. */
async function opened(url: string): Promise<{ page: Page; wrong: string[] }> {
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 }, bypassCSP: false })
  // Shorter than a test may take, so that what did not come is named.
  page.setDefaultTimeout(PATIENCE / 4)
  const wrong: string[] = []
  page.on('pageerror', (error) => wrong.push(error.message))
  page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()))
  await page.goto(url)
  return { page, wrong }
}

test('a report opens from disk, asks nobody for anything, and shows all', async () => {
  place.say(['report', 'latest', '--stream', 'steps.csv', '-o', 'report.html'])
  const { page, wrong } = await opened('about:blank')
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.goto(`file://${place.path('report.html')}`)
  await checkViews(page)
  await checkStreams(page)
  expect(asked.filter((url) => !/^(file|data|blob|about):/.test(url))).toEqual([])
  expect(wrong).toEqual([])
}, PATIENCE)

test('the server of a stored run shows the same, also behind a proxy below a path', async () => {
  const server = await place.start(['view', 'latest', '--print-url', '--stream', 'steps.csv', '--view-host', 'proxy.localhost'])
  const proxy = await proxied(server.url, '/nodes/7/')
  const { page, wrong } = await opened(proxy.url)
  await checkViews(page)
  await checkStreams(page)
  expect(wrong).toEqual([])
  proxy.close()
  server.interrupt()
  expect(await server.ended).toBe(0)
}, PATIENCE)

test('no view has a hurdle for anybody, in light or dark', async () => {
  place.say(['report', 'latest', '--stream', 'steps.csv', '-o', 'report.html'])
  writeFileSync(place.path('causes.html'), withTwoCauses(readFileSync(place.path('report.html'), 'utf8')))
  const { page } = await opened('about:blank')
  const found: string[] = []
  for (const theme of ['light', 'dark']) {
    for (const view of VIEWS) {
      await page.goto(`file://${place.path('causes.html')}#view=${view}&theme=${theme}`)
      await page.reload()
      await page.waitForSelector(`[data-view="${view}"]`)
      if (view === 'where') await page.waitForSelector('.picture.causes')
      found.push(...(await hurdles(page, axe)).map((hurdle) => `${view}, ${theme}: ${hurdle}`))
    }
  }
  expect(found).toEqual([])
}, PATIENCE)

/** A place that keys have reached, by what it is. */
const press = async (page: Page, selector: string, ...keys: string[]) => {
  await page.locator(selector).first().focus()
  for (const key of keys) await page.keyboard.press(key)
}

test('keys alone lead to all that a pointer leads to', async () => {
  place.say(['report', 'latest', '-o', 'keys.html'])
  const { page, wrong } = await opened(`file://${place.path('keys.html')}`)
  // The list, and the graph from what is chosen on.
  await press(page, '[role="tree"][aria-label="Search history"]', 'ArrowDown')
  const first = await page.textContent('.detail h2')
  await press(page, '.graph .scroller', 'ArrowRight', '+')
  await page.waitForFunction(() => location.hash.includes('search.zoom=1.25'))
  expect(await page.locator('.box.selected').count()).toBe(1)
  expect(await page.textContent('.detail')).not.toBe(first)
  // Tabs by arrows, and the part of the run by a plot's keys.
  await press(page, '#tab-search', 'ArrowRight')
  await page.waitForSelector('[data-view="time"] .plot canvas')
  await press(page, '[data-view="time"] .plot', '+')
  await page.waitForFunction(() => document.querySelector('.chosen > span')?.textContent?.includes(' to '))
  await press(page, '[data-view="time"] .plot', '0', 'Shift+ArrowRight')
  await page.waitForFunction(() => document.querySelector('.chosen > span')?.textContent?.startsWith('all of'))
  await page.waitForSelector('[data-view="time"] .plot .read:has-text(" s: ")')
  await press(page, '.heat canvas', 'ArrowDown', 'ArrowDown', 'Enter')
  await page.waitForSelector('.detail h2:has-text("/Process/1")')
  await press(page, '.scene canvas', 'ArrowDown', 'ArrowDown', 'Enter')
  await page.waitForSelector('.detail h2:has-text("/Process/")')
  // Resources, matrices, the flame graph and a table.
  await show(page, 'where')
  await press(page, '[role="tree"][aria-label^="Resources"]', 'Home', 'ArrowRight', 'Enter')
  await page.waitForSelector('.resources [data-focus*="</Code/"]')
  await press(page, '.matrix svg', 'ArrowDown', 'ArrowDown', 'Enter')
  await page.waitForSelector('.matrix .said:text-matches("^1 to 0: ")')
  await page.waitForSelector('.resources [data-focus*="/Process/1"]')
  await press(page, '.flame svg', 'ArrowDown', 'ArrowDown', 'Enter')
  await page.waitForFunction(() => location.hash.includes('where.path='))
  await press(page, '.uses .scroller', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter')
  await page.waitForSelector('.resources [data-focus*="/Process/1,"]')
  await show(page, 'facts')
  await press(page, 'figure:has-text("What is true, and where") tbody tr', 'ArrowDown', 'Enter')
  await page.waitForSelector('[data-view="search"] .row.selected')
  expect(wrong).toEqual([])
}, PATIENCE)

test('a link brings back what each view was told to show', async () => {
  place.say(['report', 'latest', '-o', 'link.html'])
  const { page } = await opened(`file://${place.path('link.html')}`)
  await page.click('.filters label:has-text("false") input')
  await page.click('.filters label:has-text("shadows") input')
  await page.fill('[aria-label="Filter by text"]', 'exchng1')
  await page.click('[role="treeitem"] .twist.open')
  await show(page, 'where')
  await page.click('figure:has-text("Regions") th button:has-text("calls")')
  await page.click('.matrix label:has-text("waiting of the receiver")')
  await show(page, 'time')
  await page.click('text=Keep beside')
  await page.selectOption('[data-view="time"] select >> nth=0', 'cpu')
  await page.click('label:has-text("stacked")')
  await page.waitForFunction(() => location.hash.includes('time.layout=stacked'))
  const seen = async (page: Page) => {
    const told: unknown[] = [await page.locator('label:has-text("stacked") input').isChecked()]
    await show(page, 'where')
    told.push(await page.getAttribute('figure:has-text("Regions") th:has-text("calls")', 'aria-sort'))
    told.push(await page.locator('.matrix label:has-text("waiting of the receiver") input').isChecked())
    await show(page, 'search')
    for (const name of ['false', 'shadows']) told.push(await page.locator(`.filters label:has-text("${name}") input`).isChecked())
    told.push(await page.inputValue('[aria-label="Filter by text"]'), await page.locator('[role="treeitem"]').count())
    return told
  }
  const address = page.url()
  const before = await seen(page)
  const { page: other } = await opened(address)
  await other.waitForSelector('[data-view="time"]')
  const after = await seen(other)
  expect(after).toEqual(before)
  expect(after.slice(0, 6)).toEqual([true, 'descending', true, true, false, 'exchng1'])
}, PATIENCE)

test('a key is heard while the plot still shows what was before it', async () => {
  place.say(['report', 'latest', '-o', 'quick.html'])
  const { page } = await opened(`file://${place.path('quick.html')}#view=time`)
  await page.waitForSelector('[data-view="time"] .plot canvas')
  await press(page, '[data-view="time"] .plot', '+')
  await page.waitForFunction(() => document.querySelector('.chosen > span')?.textContent?.includes(' to '))
  const part = await shownPart(page)
  expect(part).toMatch(/^[\d.]+ s to /)
  // What is drawn is as it was told: two frames of the browser have come.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  const said = await page.evaluate(async () => {
    const plot = document.querySelector('[data-view="time"] .plot')!
    for (const [key, shiftKey] of [['0', false], ['ArrowRight', true]] as const) {
      plot.dispatchEvent(new KeyboardEvent('keydown', { key, shiftKey, bubbles: true }))
      await new Promise<void>((done) => queueMicrotask(() => queueMicrotask(done)))
    }
    return plot.querySelector('.read')!.textContent
  })
  // The first moment of all, which the part before did not hold: when that is, depends on how long the program takes to start.
  expect(said).toMatch(/ s: /)
  expect(Number.parseFloat(said!)).toBeLessThan(Number.parseFloat(part!))
}, PATIENCE)

/** Keeps what the page saves, in the place of files: a browser takes ten in a second at most. */
function keepSaved() {
  const all: { name: string; blob: Blob | undefined }[] = []
  const blobs = new Map<string, Blob>()
  const make = URL.createObjectURL.bind(URL)
  URL.createObjectURL = (blob: Blob) => {
    const address = make(blob)
    blobs.set(address, blob)
    return address
  }
  HTMLAnchorElement.prototype.click = function () {
    all.push({ name: this.download, blob: blobs.get(this.href) })
  }
  Object.assign(window, { saved: all })
}

test('each picture and each table is saved, in each form that it offers', async () => {
  place.say(['report', 'latest', '--stream', 'steps.csv', '-o', 'saved.html'])
  const { page, wrong } = await opened('about:blank')
  await page.addInitScript(keepSaved)
  await page.goto(`file://${place.path('saved.html')}`)
  const begins: Record<string, RegExp> = { svg: /^<svg /, png: /^.PNG/, csv: /^[^\r\n]+\r\n/ }
  const bad: string[] = []
  for (const view of VIEWS) {
    await show(page, view)
    await page.waitForSelector(`[data-view="${view}"] .figure`)
    const frames = await page.locator(`[data-view="${view}"] .figure`).all()
    for (const frame of frames) {
      const [title, buttons] = [await frame.locator('h3').first().textContent(), await frame.locator('.saves button').all()]
      if (buttons.length === 0) bad.push(`${view}: ${title} cannot be saved`)
      for (const button of buttons) {
        const before = await page.evaluate(() => (window as unknown as { saved: unknown[] }).saved.length)
        await button.dispatchEvent('click')
        await page.waitForFunction((before) => (window as unknown as { saved: unknown[] }).saved.length > before, before)
        const [name, text] = await page.evaluate(async () => {
          const { name, blob } = (window as unknown as { saved: { name: string; blob: Blob }[] }).saved.at(-1)!
          return [name, (await blob.text()).slice(0, 4000)] as const
        })
        if (!begins[name.split('.').at(-1)!]?.test(text)) bad.push(`${view}: ${title} as ${name}: ${text.slice(0, 40)}`)
      }
    }
  }
  expect([bad, wrong]).toEqual([[], []])
}, PATIENCE)

test('on paper there is no control, and what was dark is light', async () => {
  place.say(['report', 'latest', '-o', 'paper.html'])
  const { page } = await opened(`file://${place.path('paper.html')}#view=facts&theme=dark`)
  await page.waitForSelector('[data-view="facts"] table')
  await page.emulateMedia({ media: 'print' })
  const seen = await page.evaluate(() => {
    const shown = [...document.querySelectorAll('button:not(.plain), input, select, nav')].filter((one) => (one as HTMLElement).offsetParent !== null)
    return [shown.map((one) => one.outerHTML.slice(0, 80)), getComputedStyle(document.querySelector('h1')!).color]
  })
  expect(seen).toEqual([[], 'rgb(28, 32, 38)'])
}, PATIENCE)

test('a diagnosis has messages and chains of causes, while it is made and afterwards', async () => {
  const server = await place.start(['diagnose', 'latest', '--view', '--threshold', 'ExcessiveSyncWaitingTime=2%'])
  const { page, wrong } = await opened(server.url)
  await page.waitForSelector('.state.over')
  await show(page, 'where')
  await page.waitForSelector('figure:has-text("Because of whom") td')
  expect(await page.locator('.matrix rect').count()).toBeGreaterThan(2)
  place.say(['report', 'latest', '-o', 'diagnosis.html'])
  server.interrupt()
  await server.ended
  const { page: file } = await opened(`file://${place.path('diagnosis.html')}#view=where`)
  await file.waitForSelector('figure:has-text("Because of whom") td')
  expect(await file.locator('.matrix rect').count()).toBeGreaterThan(2)
  expect(wrong.filter((text) => !/ERR_/.test(text))).toEqual([])
}, PATIENCE)

test('two runs side by side share the axis', async () => {
  place.say(['run', '-q', ...place.poisson(100, 3000)])
  place.say(['report', 'latest~1', 'latest', '-o', 'two.html'])
  const { page, wrong } = await opened(`file://${place.path('two.html')}#view=time`)
  await page.waitForSelector('[data-view="time"]')
  expect(await page.locator('[data-view="time"]').count()).toBe(2)
  await brush(page, 0.1, 0.3)
  await page.waitForFunction(() => document.querySelector('.chosen > span')?.textContent?.includes(' to '))
  await page.waitForFunction(() => document.querySelectorAll('.strip .window').length === 2)
  // A colour stands for as much in both.
  await page.waitForFunction(() => document.querySelectorAll('.heat .said').length === 2)
  expect(new Set(await page.locator('.heat .said').allInnerTexts()).size).toBe(1)
  expect(wrong).toEqual([])
}, PATIENCE)

test('a name in the program is shown and never run', async () => {
  const name = '<img src=x onerror="document.title=1">.txt'
  writeFileSync(place.path(name), 'some text')
  place.say(['run', '-q', '--no-search', '--store', 'names.db', '--', 'cat', name])
  place.say(['report', 'latest', '--store', 'names.db', '-o', 'names.html'])
  const { page, wrong } = await opened(`file://${place.path('names.html')}`)
  await page.waitForSelector(`h1 code:has-text("onerror")`)
  for (const view of VIEWS) await show(page, view)
  await show(page, 'where')
  expect(await page.locator('img').count()).toBe(0)
  expect(await page.title()).toContain('<img')
  expect(wrong).toEqual([])
}, PATIENCE)

test('a run is followed while it goes on, and does what the page asks', async () => {
  const run = await place.start(['run', '--view', '--stream-cmd', 'vmstat 1', ...place.poisson(300, 100_000_000)])
  const { page, wrong } = await opened(run.url)
  const { page: other } = await opened(run.url)
  await page.waitForSelector('.state.searching')
  // A node turns true while the program runs.
  await page.waitForSelector('[role="treeitem"][data-verdict="true"]')
  const before = await shownPart(page)
  await page.waitForFunction((before) => document.querySelector('.chosen > span')?.textContent !== before, before)

  await page.click('text=Pause the search')
  await page.waitForSelector('.state.paused')
  await other.waitForSelector('.state.paused')
  await other.close()
  await page.click('text=Resume the search')
  await page.waitForSelector('.state.searching')

  await page.click('text=New phase')
  await page.waitForSelector('select[aria-label="Which search"] option:has-text("phase")', { state: 'attached' })

  await page.selectOption('.commands select', 'ExcessiveSyncWaitingTime')
  await page.fill('[aria-label="New threshold"]', '17%')
  await page.click('.commands >> text=Set')
  await page.waitForSelector('.answer:has-text("done")')
  await page.click('[role="treeitem"][data-hypothesis="ExcessiveSyncWaitingTime"]')
  await page.waitForSelector('.detail dd:has-text("17.0 %")')
  await page.waitForSelector('.detail .plot canvas')
  await page.waitForSelector('.commands option:has-text("ExcessiveSyncWaitingTime > 17.0 %")', { state: 'attached' })

  // A question is asked first, and one that the search is not to ask is given up.
  await page.click('.directions >> text=Ask at once')
  await page.waitForSelector('.directions .answer:has-text("done")')
  await page.click('[role="treeitem"][data-hypothesis="ExcessiveSyncWaitingTime"][data-focus*="/Code/"]')
  await page.click('.directions >> text=Never ExcessiveSyncWaitingTime there')
  await page.waitForSelector('.directions .answer:has-text("done")')
  await show(page, 'facts')
  await page.waitForSelector('figure:has-text("Directives") td:has-text("prune ExcessiveSyncWaitingTime /Code/")')
  await page.waitForSelector('figure:has-text("Hypotheses") tr:has-text("ExcessiveSyncWaitingTime") td:has-text("> 17.0 %")')

  await show(page, 'streams')
  await page.waitForSelector('[data-stream="vmstat 1"] .plot canvas')

  await page.fill('[aria-label="New threshold"]', 'nonsense')
  await page.click('.commands >> text=Set')
  await page.waitForSelector('.answer:has-text("nonsense")')

  await show(page, 'time')
  await page.selectOption('[data-view="time"] select >> nth=0', 'msgs')
  await page.click('text=Measure it >> nth=0')
  await page.waitForSelector('[data-view="time"] figure:has-text("msgs over time") .plot canvas')

  run.interrupt()
  await page.waitForSelector('.state.over')
  await show(page, 'facts')
  await page.waitForSelector('[data-view="facts"] figure:has-text("In figures")')
  run.interrupt()
  await run.ended
  // Requests that the browser makes when the server has gone are no fault of the page.
  expect(wrong.filter((text) => !/ERR_|409/.test(text))).toEqual([])
}, PATIENCE)

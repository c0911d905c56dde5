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

/** A page on which everything that goes wrong is noted. */
async function opened(url: string): Promise<{ page: Page; wrong: string[] }> {
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 }, bypassCSP: false })
  page.setDefaultTimeout(PATIENCE)
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
  const { page } = await opened('about:blank')
  const found: string[] = []
  for (const theme of ['light', 'dark']) {
    for (const view of VIEWS) {
      await page.goto(`file://${place.path('report.html')}#view=${view}&theme=${theme}`)
      await page.reload()
      await page.waitForSelector(`[data-view="${view}"]`)
      found.push(...(await hurdles(page, axe)).map((hurdle) => `${view}, ${theme}: ${hurdle}`))
    }
  }
  expect(found).toEqual([])
}, PATIENCE)

test('two runs side by side share the axis', async () => {
  place.say(['run', '-q', ...place.poisson(100, 3000)])
  place.say(['report', 'latest~1', 'latest', '-o', 'two.html'])
  const { page, wrong } = await opened(`file://${place.path('two.html')}#view=time`)
  await page.waitForSelector('[data-view="time"]')
  expect(await page.locator('[data-view="time"]').count()).toBe(2)
  await brush(page, 0.1, 0.3)
  await page.waitForFunction(() => document.querySelector('.chosen > span')?.textContent?.includes(' to '))
  expect(await page.locator('.strip .window').count()).toBe(2)
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

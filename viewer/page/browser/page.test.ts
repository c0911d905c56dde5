// The page in a browser: as a file, from the server of a stored run, and of a run that goes on.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type Page, chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { VIEWS, brush, checkViews, hurdles, show, shownPart } from './views'
import { Place } from './whyperf'

/** Only so that a page that hangs ends the test: nothing is judged by it. */
const PATIENCE = 120_000
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let browser: Browser
let place: Place

beforeAll(async () => {
  place = new Place()
  place.say(['run', '-q', ...place.poisson(400, 8000)])
  // Root has no sandbox of its own.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args })
}, PATIENCE)

afterAll(async () => {
  await browser?.close()
  place?.clear()
})

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
  place.say(['report', 'latest', '-o', 'report.html'])
  const { page, wrong } = await opened('about:blank')
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.goto(`file://${place.path('report.html')}`)
  await checkViews(page)
  expect(asked.filter((url) => !/^(file|data|blob|about):/.test(url))).toEqual([])
  expect(wrong).toEqual([])
}, PATIENCE)

test('the server of a stored run shows the same', async () => {
  const server = await place.start(['view', 'latest', '--print-url'])
  const { page, wrong } = await opened(server.url)
  await checkViews(page)
  expect(wrong).toEqual([])
  server.interrupt()
  expect(await server.ended).toBe(0)
}, PATIENCE)

test('no view has a hurdle for anybody, in light or dark', async () => {
  place.say(['report', 'latest', '-o', 'report.html'])
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

test('a run is followed while it goes on, and does what the page asks', async () => {
  const run = await place.start(['run', '--view', ...place.poisson(300, 100_000_000)])
  const { page, wrong } = await opened(run.url)
  await page.waitForSelector('.state.searching')
  // A node turns true while the program runs.
  await page.waitForSelector('[role="treeitem"][data-verdict="true"]')
  const before = await shownPart(page)
  await page.waitForFunction((before) => document.querySelector('.chosen > span')?.textContent !== before, before)

  await page.click('text=Pause the search')
  await page.waitForSelector('.state.paused')
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

// What each page of a run must show and do, whichever way the run came in: a file, a server, or a run that goes on.

import type { Page } from 'playwright-core'
import { expect } from 'vitest'

export const VIEWS = ['search', 'time', 'where', 'facts', 'streams'] as const

export async function show(page: Page, view: (typeof VIEWS)[number]) {
  await page.click(`#tab-${view}`)
  await page.waitForSelector(`[data-view="${view}"]`)
}

/** The part of the run that is shown, as the strip says it. */
export const shownPart = (page: Page) => page.textContent('.chosen > span')

/** Waits until the address says so: it follows what is shown, and not more often than a browser takes. */
const addressed = (page: Page, words: RegExp) => page.waitForFunction((words) => new RegExp(words).test(location.hash), words.source)

/** Drags across the strip from a share of its width to another. */
export async function brush(page: Page, from: number, to: number) {
  const box = (await page.locator('.strip').first().boundingBox())!
  const y = box.y + box.height / 2
  await page.mouse.move(box.x + from * box.width, y)
  await page.mouse.down()
  await page.mouse.move(box.x + to * box.width, y, { steps: 4 })
  await page.mouse.up()
}

/** The checks of all views of a run that is over, and that waited. */
export async function checkViews(page: Page) {
  await page.waitForSelector('[data-view="search"] [role="treeitem"][data-verdict="true"]')
  expect(await page.textContent('.answer-first')).toMatch(/exchng1.* waits for /)
  expect(await page.locator('.box.true').count()).toBeGreaterThan(2)
  expect(await page.locator('.edge.where').count()).toBeGreaterThan(1)

  // A question that is chosen shows its value over time, and its focus in the other views.
  const leaf = page.locator('[role="treeitem"][data-hypothesis="ExcessiveSyncWaitingTime"][data-focus*="exchng1"]').first()
  await leaf.click()
  await page.waitForSelector('.detail h2:has-text("ExcessiveSyncWaitingTime")')
  await page.waitForSelector('.detail .plot canvas')
  await addressed(page, /q=0\.0\./)
  await show(page, 'time')
  await page.waitForSelector('.filters .focus:has-text("exchng1")')
  await show(page, 'where')
  await page.waitForSelector('.resources [data-focus*="exchng1"]')
  await page.waitForSelector('[role="treeitem"][data-resource$="/exchng1"][aria-selected="true"]')

  // Parts of the resource trees build a focus.
  await page.click('[role="treeitem"][data-resource="/Process/1"]')
  await page.waitForSelector('.resources [data-focus*="/Process/1,"]')
  expect(await page.locator('.uses [data-process="1"].selected').count()).toBe(1)
  expect(await page.locator('.flame rect').count()).toBeGreaterThan(2)
  expect(await page.locator('.matrix rect').count()).toBeGreaterThan(2)

  // A part of the run that is chosen in the strip is shown in all views.
  const whole = await shownPart(page)
  await brush(page, 0.25, 0.5)
  await page.waitForFunction((before) => document.querySelector('.chosen > span')?.textContent !== before, whole)
  await addressed(page, /t=[\d.]+_[\d.]+/)
  await show(page, 'time')
  await page.waitForSelector('.heat canvas')
  expect(await shownPart(page)).toMatch(/ s to .* s of /)
  await page.keyboard.press('Escape')
  await page.waitForFunction(() => document.querySelector('.chosen > span')?.textContent?.startsWith('all of'))

  // The address shows the same again.
  await show(page, 'facts')
  await page.waitForSelector('[data-efficiency="parallel"]')
  await addressed(page, /view=facts/)
  const address = page.url()
  await page.goto('about:blank')
  await page.goto(address)
  await page.waitForSelector('[data-view="facts"]')
  await page.keyboard.press('1')
  await page.waitForSelector('[data-view="search"]')
}

/** The checks of streams: an activity and a scatter plot of the run's own part. */
export async function checkStreams(page: Page) {
  await show(page, 'streams')
  const stream = page.locator('[data-stream="steps"]')
  await stream.locator('canvas').first().waitFor()
  expect(await stream.locator('figure').count()).toBeGreaterThan(2)
  await stream.locator('figure:has-text("Left out of steps") td:has-text("no number")').waitFor()
  expect(await stream.locator('figure:has-text("Left out of steps") tbody tr').innerText()).toMatch(/^4\s+5\s/)

  // A box in the scatter plot chooses records; all pictures of the stream show that.
  const scatter = stream.locator('figure:has-text("size by worker") canvas').first()
  const box = (await scatter.boundingBox())!
  await page.mouse.move(box.x + 80, box.y + 5)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height - 42, { steps: 4 })
  await page.mouse.up()
  await stream.locator('text=are chosen').waitFor()

  // What is mapped to colour is chosen, and stands in the address.
  await stream.locator('.mapping >> nth=1 >> label:has-text("colour") select').selectOption('size')
  await page.waitForFunction(() => location.hash.includes('map='))

  // A drag over the activity is one over the axis of all views.
  const activity = (await stream.locator('figure canvas').first().boundingBox())!
  await page.mouse.move(activity.x + activity.width * 0.4, activity.y + 20)
  await page.mouse.down()
  await page.mouse.move(activity.x + activity.width * 0.6, activity.y + 20, { steps: 4 })
  await page.mouse.up()
  await page.waitForFunction(() => document.querySelector('.chosen > span')?.textContent?.includes(' to '))
}

/** What axe finds that keeps somebody from using a view. */
export async function hurdles(page: Page, axe: string): Promise<string[]> {
  await page.evaluate(axe)
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> } }
    const { violations } = await axe.run()
    return violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 160)).slice(0, 3).join(' ')}`)
  })
}

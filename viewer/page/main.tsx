// The page: opens the runs that it stands for, and shows them in five views that share one axis of time and one selection.

import { render } from 'preact'
import { useEffect } from 'preact/hooks'
import 'uplot/dist/uPlot.min.css'
import './page.css'
import { sources } from './data/source'
import { inside, share } from './link/axis'
import { VIEWS, type View, link, linked, useShared } from './link/linked'
import { ShownRun } from './link/shown_run'
import { Detail } from './views/detail'
import { Facts } from './views/facts'
import { Head } from './views/head'
import { Overview } from './views/overview'
import { Search } from './views/search'
import { Streams } from './views/streams'
import { Time } from './views/time'
import { Where } from './views/where'

const TITLES: Record<View, string> = { search: 'Search', time: 'Time', where: 'Where', facts: 'Facts', streams: 'Streams' }
const SHOWN: Record<View, (props: { shown: ShownRun }) => preact.JSX.Element> = {
  search: Search,
  time: Time,
  where: Where,
  facts: Facts,
  streams: Streams,
}

function Page({ runs }: { runs: ShownRun[] }) {
  const { view } = useShared(linked)
  useEffect(() => {
    const act = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return
      const chosen = VIEWS[Number(event.key) - 1]
      if (chosen) link({ view: chosen })
      else if (event.key === 'Escape') link({ selected: null, range: null })
    }
    addEventListener('keydown', act)
    return () => removeEventListener('keydown', act)
  }, [])
  const One = SHOWN[view]
  return (
    <>
      <a class="skip" href="#main">To the view</a>
      <header>
        {runs.map((shown) => <Head key={shown.number} shown={shown} isAlone={runs.length === 1} />)}
      </header>
      <nav aria-label="Views">
        <div role="tablist" aria-label="Views" class="tabs">
          {VIEWS.map((one, at) => (
            <button type="button" key={one} id={`tab-${one}`} role="tab" aria-selected={one === view} aria-controls="view" title={`Key ${at + 1}`} tabIndex={one === view ? 0 : -1} onClick={() => link({ view: one })} onKeyDown={(event) => turnTabs(event, at)}>
              {TITLES[one]}
            </button>
          ))}
        </div>
        <Keys />
        <Theme />
      </nav>
      <Overview runs={runs} />
      <main id="main" tabIndex={-1}>
        <div id="view" role="tabpanel" aria-labelledby={`tab-${view}`} class={`runs ${runs.length > 1 ? 'several' : ''}`}>
          <h2 class="visually-hidden">{TITLES[view]}</h2>
          {runs.map((shown) => <One key={`${view} ${shown.number}`} shown={shown} />)}
        </div>
        <Detail runs={runs} />
      </main>
    </>
  )
}

/** Arrows lead to the tabs beside, as in any row of tabs. */
function turnTabs(event: KeyboardEvent, at: number) {
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: VIEWS.length - 1 }[event.key]
  const view = to === undefined ? undefined : VIEWS[(to + VIEWS.length) % VIEWS.length]
  if (!view) return
  event.preventDefault()
  link({ view })
  document.getElementById(`tab-${view}`)?.focus()
}

/** What keys do, for who has forgotten. */
function Keys() {
  return (
    <details class="keys-help">
      <summary>Keys</summary>
      <dl>
        {KEYS.map(([keys, words]) => <div key={keys}><dt>{keys}</dt><dd>{words}</dd></div>)}
      </dl>
    </details>
  )
}

const KEYS = [
  ['1 to 5', 'change the view, as arrows do on its name'],
  ['Tab', 'leads to the next picture, list or table'],
  ['arrows', 'move in lists, tables, matrices, the graph and the flame graph; left and right move the time that a plot shows'],
  ['Enter', 'chooses, opens or looks into what they lead to'],
  ['+  −  0', 'zoom a plot or the graph; 0 shows all'],
  ['Shift and arrows', 'read the values of a plot'],
  ['Escape', 'chooses nothing, and shows all of the run'],
]

function Theme() {
  const { theme } = useShared(linked)
  return (
    <label class="theme">
      Colours{' '}
      <select value={theme} onChange={(event) => link({ theme: event.currentTarget.value as typeof theme })}>
        <option value="auto">as the system</option>
        <option value="light">light</option>
        <option value="dark">dark</option>
      </select>
    </label>
  )
}

function Failed({ why }: { why: string }) {
  return (
    <main class="failed">
      <h1>Nothing can be shown</h1>
      <p role="alert">{why}</p>
      <p>The address must be the one that whyperf printed, with its token, and whyperf must still run.</p>
    </main>
  )
}

async function start(place: HTMLElement) {
  try {
    const all = await sources()
    const runs = await Promise.all(all.map((source, number) => ShownRun.open(number, source)))
    document.title = `${runs.map((one) => one.run.command.join(' ')).join(' | ')} – whyperf`
    share(runs)
    link({ range: inside(linked.get().range) })
    render(<Page runs={runs} />, place)
  } catch (error) {
    render(<Failed why={error instanceof Error ? error.message : String(error)} />, place)
  }
}

void start(document.getElementById('page')!)

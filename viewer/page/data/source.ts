// Where the page gets a run from: the file that it stands in, or the server that it came from. The views know neither.

import type { Change, Command, Graph, Profile, Run, RunInFile, Series, Stream } from './documents'

export interface Source {
  /** Whether it is all that there is: a server may read more in its store. */
  readonly isFile: boolean
  run(): Promise<Run>
  graph(): Promise<Graph>
  profile(): Promise<Profile>
  /** A pair over time, from a bin on; null where it is not known. */
  series(metric: string, focus: string, from?: number): Promise<Series | null>
  /** A stream beside the run, from a record on; null where there is no such stream. */
  stream(number: number, from: number): Promise<Stream | null>
  /** Tells changes until it is called off; `lost` says whether the server is gone. */
  watch(since: number, changed: (change: Change) => void, lost: (isLost: boolean) => void): () => void
  /** Asks something of the run; why not, if it is refused. */
  command(command: Command): Promise<string | null>
}

/** A run inside the page's own file. */
export class FileSource implements Source {
  readonly isFile = true
  constructor(private readonly file: RunInFile) {}

  run = async () => this.file.run
  graph = async () => this.file.graph
  profile = async () => this.file.profile
  series = async (metric: string, focus: string) =>
    this.file.series.find((one) => one.metric === metric && one.focus === focus) ?? null
  stream = async (number: number) => this.file.streams[number] ?? null
  watch = () => () => {}
  command = async () => 'a run in a file takes no commands'
}

/** More pairs than this are not asked for at once. */
const MOST = 1000

/** A run of the server. Addresses are relative: the page may stand behind a tunnel or below a path. */
export class ServerSource implements Source {
  readonly isFile = false
  constructor(
    private readonly token: string,
    private readonly number: number,
  ) {}

  run = () => this.get<Run>('run')
  graph = () => this.get<Graph>('graph')
  profile = () => this.get<Profile>('profile')

  stream = (number: number, from: number) => this.get<Stream>('stream', { stream: String(number), from: String(from) })

  /** What one turn of the page asks for is one request: a run of a thousand processes has a thousand rows. */
  series(metric: string, focus: string, from = 0): Promise<Series | null> {
    return new Promise((done, failed) => {
      if (this.asked.length === 0) setTimeout(() => void this.askAll())
      this.asked.push({ pair: [metric, focus, from], done, failed })
    })
  }

  private readonly asked: { pair: [string, string, number]; done: (series: Series | null) => void; failed: (error: unknown) => void }[] = []

  private async askAll() {
    const all = this.asked.splice(0)
    for (let at = 0; at < all.length; at += MOST) {
      const some = all.slice(at, at + MOST)
      try {
        const answer = await fetch(this.address('series', {}), {
          method: 'POST',
          headers: { ...this.headers(), 'content-type': 'application/json' },
          body: JSON.stringify({ pairs: some.map(({ pair }) => pair) }),
        })
        const found = (await (await checked(answer)).json()) as (Series | null)[]
        some.forEach(({ done }, number) => done(found[number] ?? null))
      } catch (error) {
        some.forEach(({ failed }) => failed(error))
      }
    }
  }

  watch(since: number, changed: (change: Change) => void, lost: (isLost: boolean) => void): () => void {
    // The browser connects again by itself, and says which change it saw last.
    const events = new EventSource(this.address('events', { since: String(since), token: this.token }))
    events.addEventListener('change', (event) => changed(JSON.parse((event as MessageEvent<string>).data)))
    events.onopen = () => lost(false)
    events.onerror = () => lost(true)
    return () => events.close()
  }

  async command(command: Command): Promise<string | null> {
    const answer = await fetch(this.address('command', {}), {
      method: 'POST',
      headers: { ...this.headers(), 'content-type': 'application/json' },
      body: JSON.stringify(command),
    })
    return answer.ok ? null : ((await answer.json()) as { error: string }).error
  }

  private async get<T>(what: string, words: Record<string, string> = {}): Promise<T> {
    return (await checked(await this.ask(what, words))).json()
  }

  private ask(what: string, words: Record<string, string>): Promise<Response> {
    return fetch(this.address(what, words), { headers: this.headers() })
  }

  private headers() {
    return { authorization: `Bearer ${this.token}` }
  }

  private address(what: string, words: Record<string, string>): string {
    const all = new URLSearchParams({ run: String(this.number), ...words })
    return `api/v1/${what}?${all}`
  }
}

async function checked(answer: Response): Promise<Response> {
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`)
  return answer
}

/** The runs of this page. */
export async function sources(): Promise<Source[]> {
  const inside = document.getElementById('data')
  if (inside?.textContent) {
    const files = JSON.parse(inside.textContent) as RunInFile[]
    return files.map((file) => new FileSource(file))
  }
  const token = new URLSearchParams(location.search).get('token') ?? ''
  const answer = await checked(
    await fetch('api/v1/runs', { headers: { authorization: `Bearer ${token}` } }),
  )
  const { runs } = (await answer.json()) as { runs: number }
  return Array.from({ length: runs }, (_, number) => new ServerSource(token, number))
}

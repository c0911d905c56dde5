// Runs of whyperf for the tests in a browser: one that is kept, and one that goes on.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import http, { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../../..')
const built = process.env.WHYPERF_TEST_BIN_DIR ?? join(root, 'target/release')
const whyperf = join(built, 'whyperf')
if (!existsSync(whyperf)) throw new Error(`${whyperf} is missing: build it, or name its folder by WHYPERF_TEST_BIN_DIR`)

/** A folder with Poisson A and a store, and what was started there. */
export class Place {
  readonly folder = mkdtempSync(join(tmpdir(), 'whyperf-page-'))
  private readonly started: ChildProcess[] = []
  private readonly environment = { ...process.env, OMPI_ALLOW_RUN_AS_ROOT: '1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1', WHYPERF_STORE: join(this.folder, 'whyperf.db') }

  constructor() {
    const words = ['-C', join(root, 'tests/programs'), '--no-print-directory', 'MPI=openmpi', `OUT=${this.folder}`, this.path('poisson_a')]
    execFileSync('make', words, { stdio: 'ignore' })
  }

  path = (name: string) => join(this.folder, name)

  /** Runs whyperf to its end. */
  say(words: string[]): string {
    return execFileSync(whyperf, words, { cwd: this.folder, env: this.environment, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  }

  /** Four ranks on two processors, so that they wait for each other on any machine. */
  poisson = (grid: number, iterations: number) =>
    ['--', 'taskset', '-c', '0,1', 'mpirun.openmpi', '--oversubscribe', '-n', '4', this.path('poisson_a'), String(grid), String(iterations)]

  /** Starts whyperf in a process group of its own; answers when a line that it prints holds the address of a page. */
  start(words: string[]): Promise<{ url: string; interrupt(): void; ended: Promise<number | null> }> {
    const child = spawn(whyperf, words, { cwd: this.folder, env: this.environment, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    this.started.push(child)
    const ended = new Promise<number | null>((done) => child.on('exit', (status) => done(status)))
    return new Promise((done, failed) => {
      let said = ''
      const look = (text: Buffer) => {
        said += text.toString()
        const url = /http:\/\/\S+\/\?token=[0-9a-f]{32}/.exec(said)?.[0]
        if (url) done({ url, interrupt: () => process.kill(-child.pid!, 'SIGINT'), ended })
      }
      child.stdout.on('data', look)
      child.stderr.on('data', look)
      void ended.then((status) => failed(new Error(`whyperf ended with ${status} and printed no address: ${said}`)))
    })
  }

  /** Ends what still runs, and removes all. */
  clear() {
    for (const child of this.started) {
      try {
        if (child.exitCode === null) process.kill(-child.pid!, 'SIGKILL')
      } catch {
        // It ended meanwhile.
      }
    }
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** A proxy that serves the page of another address below a path, as those of clusters do. */
export async function proxied(address: string, path: string): Promise<{ url: string; close(): void }> {
  const target = new URL(address)
  const proxy = createServer((request, answer) => {
    if (!request.url?.startsWith(path)) return void answer.writeHead(404).end()
    const passed = http.request(
      { host: target.hostname, port: target.port, method: request.method, path: request.url.slice(path.length - 1), headers: request.headers },
      (answered) => {
        answer.writeHead(answered.statusCode ?? 502, answered.headers)
        answered.pipe(answer)
      },
    )
    passed.on('error', () => answer.destroy())
    request.pipe(passed)
  })
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
  const { port } = proxy.address() as AddressInfo
  return { url: `http://proxy.localhost:${port}${path}${target.search}`, close: () => proxy.close() }
}

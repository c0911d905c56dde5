// Series for a view: fetched when it needs them, and again while the run goes on.

import { useEffect, useState } from 'preact/hooks'
import type { Series } from '../data/documents'
import { useShared } from './linked'
import type { ShownRun } from './shown_run'

/** Each of these pairs over time; undefined until the first answer is there, null where it is not known. */
export function useSeries(shown: ShownRun, pairs: [string, string][]): (Series | null | undefined)[] {
  const changes = useShared(shown.changes)
  const [, drawn] = useState(0)
  const key = pairs.map((pair) => pair.join(' ')).join('\n')
  useEffect(() => {
    let isWanted = true
    void Promise.allSettled(pairs.map(([metric, focus]) => shown.fetch(metric, focus))).then(() => {
      if (isWanted) drawn((count) => count + 1)
    })
    return () => {
      isWanted = false
    }
  }, [shown, key, changes])
  return pairs.map(([metric, focus]) => shown.known(metric, focus))
}

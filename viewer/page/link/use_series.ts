// Series for a view: fetched when it needs them, and again while the run goes on.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Series } from '../data/documents'
import { useShared } from './linked'
import type { ShownRun } from './shown_run'

type Known = (Series | null | undefined)[]

/** Each of these pairs over time; undefined until the first answer is there, null where it is not known. What it answers with stays the same while nothing new came. */
export function useSeries(shown: ShownRun, pairs: [string, string][]): Known {
  const changes = useShared(shown.changes)
  const [answers, setAnswers] = useState(0)
  // A thousand pairs that stay the same are not written down with each frame.
  const key = useMemo(() => pairs.map((pair) => pair.join(' ')).join('\n'), [pairs])
  useEffect(() => {
    let isWanted = true
    void Promise.allSettled(pairs.map(([metric, focus]) => shown.fetch(metric, focus))).then(() => {
      if (isWanted) setAnswers((count) => count + 1)
    })
    return () => {
      isWanted = false
    }
  }, [shown, key, changes])
  const held = useRef<Known>([])
  const known = useMemo(() => pairs.map(([metric, focus]) => shown.known(metric, focus)), [shown, key, answers])
  if (known.length !== held.current.length || known.some((one, at) => one !== held.current[at])) held.current = known
  return held.current
}

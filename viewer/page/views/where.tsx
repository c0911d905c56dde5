// The view over places: resources, callpaths, regions, messages between ranks, how each process spent its time, and because of whom.

import { useMemo } from 'preact/hooks'
import { tree } from '../data/resources'
import { linked, useShared } from '../link/linked'
import type { ShownRun } from '../link/shown_run'
import { Causes } from './causes'
import { Flame } from './flame'
import { Messages } from './messages'
import { Regions } from './regions'
import { Resources } from './resources'
import { Uses } from './uses'

export function Where({ shown }: { shown: ShownRun }) {
  useShared(shown.changes)
  useShared(linked)
  const graph = shown.graph(0)
  // Of questions there come more, and what they are asked about stays.
  const roots = useMemo(() => tree(shown.run.resources, [...graph.byNumber.values()].map(({ focus }) => focus), shown.profile), [shown.run.resources, graph.byNumber.size, shown.profile])
  return (
    <section data-view="where" class="where" aria-label="Where">
      <Resources shown={shown} roots={roots} />
      <div class="pictures">
        <Uses shown={shown} />
        <Causes shown={shown} />
        <Flame shown={shown} />
        <Regions shown={shown} roots={roots} />
        <Messages shown={shown} />
      </div>
    </section>
  )
}

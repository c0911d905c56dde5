// The view over places: resources, callpaths, regions, messages between ranks, how each process spent its time, and because of whom.

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
  return (
    <section data-view="where" class="where" aria-label="Where">
      <Resources shown={shown} />
      <div class="pictures">
        <Uses shown={shown} />
        <Causes shown={shown} />
        <Flame shown={shown} />
        <Regions shown={shown} />
        <Messages shown={shown} />
      </div>
    </section>
  )
}

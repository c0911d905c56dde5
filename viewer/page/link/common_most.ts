// The end of an axis of values that pictures of several runs have in common: what is as high in one is as much in the other.

import { useLayoutEffect, useRef, useState } from 'preact/hooks'

interface Member {
  most: number
  redraw(): void
}

/** Pictures by what they show; those that show the same, of several runs, reach as far. */
export class CommonMost {
  private readonly members = new Map<string, Map<object, Member>>()

  /** The most that others show. */
  besides(shows: string, self: object): number {
    let most = 0
    this.members.get(shows)?.forEach((one, of) => (most = of === self ? most : Math.max(most, one.most)))
    return most
  }

  /** The most that any shows. */
  of = (shows: string) => this.besides(shows, {})

  /** What a picture shows at most by now; the others are drawn anew where that is another end of their axis. */
  tell(shows: string, self: object, member: Member) {
    const all = this.members.get(shows) ?? new Map<object, Member>()
    this.members.set(shows, all)
    const before = this.of(shows)
    all.set(self, member)
    if (this.of(shows) !== before) this.redraw(all, self)
  }

  leave(shows: string, self: object) {
    const all = this.members.get(shows)
    if (!all?.delete(self)) return
    if (all.size === 0) this.members.delete(shows)
    else this.redraw(all, self)
  }

  private redraw(all: Map<object, Member>, self: object) {
    all.forEach((one, of) => of !== self && one.redraw())
  }
}

const pictures = new CommonMost()

/** The most that all pictures of this show, of which one shows so much itself; of a picture that shares nothing its own. */
export function useCommonMost(shows: string | undefined, own: number): number {
  const self = useRef({}).current
  const [, count] = useState(0)
  useLayoutEffect(() => (shows === undefined ? undefined : () => pictures.leave(shows, self)), [shows])
  useLayoutEffect(() => void (shows !== undefined && pictures.tell(shows, self, { most: own, redraw: () => count((before) => before + 1) })), [shows, own])
  return shows === undefined ? own : Math.max(own, pictures.besides(shows, self))
}

/** The same for what is drawn once, to be saved. */
export const commonMost = (shows: string | undefined) => (shows === undefined ? 0 : pictures.of(shows))

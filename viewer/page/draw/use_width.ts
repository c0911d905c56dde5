// How wide an element is: drawings are made for that width, so that their words have the size of all others.

import { useLayoutEffect, useRef, useState } from 'preact/hooks'

export function useWidth<T extends HTMLElement>(): [{ current: T | null }, number] {
  const frame = useRef<T>(null)
  const [width, setWidth] = useState(700)
  useLayoutEffect(() => {
    const element = frame.current
    if (!element) return
    const measure = () => setWidth(Math.max(Math.floor(element.clientWidth), 200))
    measure()
    const watched = new ResizeObserver(measure)
    watched.observe(element)
    return () => watched.disconnect()
  }, [])
  return [frame, width]
}

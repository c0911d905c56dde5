// A canvas that is empty and of a size: its memory is taken anew only where the size is another one, for zooming draws with each frame.

export function cleared(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const ratio = devicePixelRatio
  const [wide, high] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))]
  const context = canvas.getContext('2d')!
  if (canvas.width !== wide || canvas.height !== high) Object.assign(canvas, { width: wide, height: high })
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.clearRect(0, 0, wide / ratio, high / ratio)
  return context
}

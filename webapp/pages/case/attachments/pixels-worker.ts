import { comparePixels, type Pixels } from './compare-pixels.ts'

// A thread that fetches two pictures, compares them, sends the result back, and ends. Only scripts of this page can send to it.

const pixelsOf = async (address: string): Promise<Pixels> => {
  const response = await fetch(address)
  if (!response.ok) throw new Error(`${address}: ${response.status}`)
  const bitmap = await createImageBitmap(await response.blob(), {
    premultiplyAlpha: 'none',
    colorSpaceConversion: 'none',
  })
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d', { willReadFrequently: true })
  if (!context) throw new Error('no canvas')
  context.drawImage(bitmap, 0, 0)
  return context.getImageData(0, 0, bitmap.width, bitmap.height)
}

addEventListener('message', ({ data: [base, head] }: MessageEvent<readonly [string, string]>) => {
  void Promise.all([pixelsOf(base), pixelsOf(head)])
    .then(([a, b]) => postMessage(comparePixels(a, b)))
    .catch((error: unknown) => postMessage({ failed: String(error) }))
})

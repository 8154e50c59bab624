import type { Page } from 'playwright-core'

/** Scrolls by some pixels a frame, the page or the element of a selector. Returns the lengths of the frames, in milliseconds. */
export const scrollFrames = (
  page: Page,
  pixels: number,
  { frames, within = ':root' }: { readonly frames: number; readonly within?: string },
): Promise<number[]> =>
  page.evaluate<number[]>(`new Promise((done) => {
    const scrolled = document.querySelector(${JSON.stringify(within)})
    const frames = []
    let last = performance.now()
    const step = (now) => {
      frames.push(now - last)
      last = now
      if (frames.length > ${frames}) return done(frames.slice(1))
      scrolled.scrollTop += ${pixels}
      requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  })`)

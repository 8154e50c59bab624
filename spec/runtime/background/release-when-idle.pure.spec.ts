import { expect, it } from 'vitest'
import { releaseWhenIdle } from '../../../runtime/background/release-when-idle.ts'

/** Starts a release whose load and time the spec decides. */
const aRelease = () => {
  let released = 0
  let load = 0
  let work: (() => void) | null = null
  const cancel = releaseWhenIdle(() => released++, {
    readLoad: () => load,
    repeat: (_, asked) => {
      work = asked
      return () => (work = null)
    },
  })
  return {
    cancel,
    isWaiting: () => work !== null,
    released: () => released,
    check: (nextLoad: number): void => {
      load = nextLoad
      work?.()
    },
  }
}

it('waits as long as the thread works, and releases once', () => {
  const release = aRelease()
  release.check(0.9)
  release.check(0.2)
  expect([release.released(), release.isWaiting()]).toEqual([0, true])
  release.check(0.05)
  release.check(0)
  expect([release.released(), release.isWaiting()]).toEqual([1, false])
})

it('does nothing after it was cancelled', () => {
  const release = aRelease()
  release.cancel()
  release.check(0)
  expect(release.released()).toBe(0)
})

it('measures the load of this thread, and ends by itself', async () => {
  await new Promise<void>((resolve) =>
    releaseWhenIdle(resolve, {
      repeat: (_, work) => {
        const timer = setInterval(work, 1)
        return () => clearInterval(timer)
      },
    }),
  )
})

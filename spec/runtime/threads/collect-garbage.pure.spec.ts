import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { collectGarbage } from '../../../runtime/threads/collect-garbage.ts'

it('collects what nothing refers to, and leaves no function behind', async () => {
  const isCollected = new WeakRef({ name: 'unused' })
  // A reference keeps its object until the end of the turn in which it was made.
  await setImmediate()
  collectGarbage()
  expect(isCollected.deref()).toBeUndefined()
  collectGarbage()
  expect('gc' in globalThis).toBe(false)
})

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { toast, useToasts } from '../../../webapp/composables/use-toasts.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('a toast disappears after some seconds unless it is held', () => {
  const { toasts, hold, release } = useToasts()
  toast('Pinned')
  toast('Deleted', { kind: 'failed' })
  expect(toasts.value.map(({ text, kind }) => [text, kind])).toEqual([
    ['Pinned', 'done'],
    ['Deleted', 'failed'],
  ])
  const [first] = toasts.value
  hold(first?.id ?? 0)
  vi.advanceTimersByTime(8_000)
  expect(toasts.value.map(({ text }) => text)).toEqual(['Pinned'])
  release(first?.id ?? 0)
  vi.advanceTimersByTime(8_000)
  expect(toasts.value).toEqual([])
})

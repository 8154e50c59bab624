import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openOutbox, UNDO_MS, type Sent, type Waiting } from '../../../webapp/labelling/outbox.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 })
  localStorage.clear()
})
afterEach(() => {
  vi.useRealTimers()
})

const aLabel = (n: number, changes: Partial<Waiting> = {}): Waiting => ({
  ...{ label_id: `label-${n}`, item: `queue.${n}`, queue_id: 'queue', decides: false, answers: { right: 'pass' } },
  ...{ seconds: 4, recognised: false, revises: null, at: Date.now(), ...changes },
})
/** An outbox whose server answers as `answer` says. */
const opened = (user_id = 'ann') => {
  const sent: Waiting[] = []
  const settled: string[] = []
  const server: { answer: Sent } = { answer: 'done' }
  const outbox = openOutbox({
    storage: localStorage,
    user_id,
    send: (label) => {
      sent.push(label)
      return Promise.resolve(server.answer)
    },
    changed: (label) => label && settled.push(label.label_id),
  })
  return { outbox, sent, settled, server, ids: () => sent.map(({ label_id }) => label_id) }
}

it('sends a label once it can no longer be undone, and keeps nothing of it', async () => {
  const { outbox, ids, settled } = opened()
  outbox.add(aLabel(1))
  await vi.advanceTimersByTimeAsync(UNDO_MS - 1)
  expect(ids()).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect([ids(), settled, outbox.list(), localStorage.length]).toEqual([['label-1'], ['label-1'], [], 0])
  expect(outbox.undo()).toBeNull()
})

it('takes back the newest label first', async () => {
  const { outbox, ids } = opened()
  outbox.add(aLabel(1))
  await vi.advanceTimersByTimeAsync(1_000)
  outbox.add(aLabel(2))
  expect(outbox.undo()?.label_id).toBe('label-2')
  expect(outbox.undo()?.label_id).toBe('label-1')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(ids()).toEqual([])
})

it('keeps what cannot be sent, in order, and says what the server refused', async () => {
  const { outbox, ids, server } = opened()
  server.answer = 'offline'
  for (const n of [1, 2, 3]) {
    outbox.add(aLabel(n))
    await vi.advanceTimersByTimeAsync(10)
  }
  await vi.advanceTimersByTimeAsync(30_000)
  expect([outbox.isOffline(), outbox.list().length, new Set(ids())]).toEqual([true, 3, new Set(['label-1'])])
  const before = ids().length
  server.answer = { refused: 'this item has its 2 labels' }
  await vi.advanceTimersByTimeAsync(5_000)
  expect(ids().slice(before)).toEqual(['label-1', 'label-2', 'label-3'])
  expect(outbox.refused().map(({ label }) => label.label_id)).toEqual(['label-1', 'label-2', 'label-3'])
  outbox.forget()
  expect(outbox.refused()[0]?.label.label_id).toBe('label-2')
  expect([outbox.isOffline(), localStorage.length]).toEqual([false, 0])
})

it('is found again by the same account alone, also if the window was left', async () => {
  const before = opened()
  before.outbox.add(aLabel(1))
  expect(before.outbox.leave().map(({ label_id }) => label_id)).toEqual(['label-1'])
  const other = opened('ben')
  await vi.advanceTimersByTimeAsync(60_000)
  expect([before.ids(), other.ids(), other.outbox.list()]).toEqual([[], [], []])
  const after = opened()
  // It may be on its way, so it is not undone.
  expect(after.outbox.undo()).toBeNull()
  await vi.advanceTimersByTimeAsync(0)
  expect(after.ids()).toEqual(['label-1'])
})

it('replaces a label that still waits, and revises one that is on its way', async () => {
  const { outbox, sent, server } = opened()
  outbox.add(aLabel(1, { revises: 'earlier' }))
  outbox.add(aLabel(2, { item: 'queue.1', answers: { right: 'fail' } }))
  expect(outbox.list()).toMatchObject([{ label_id: 'label-2', revises: 'earlier' }])
  server.answer = 'offline'
  outbox.leave()
  outbox.add(aLabel(3, { item: 'queue.1' }))
  expect(outbox.list()).toMatchObject([{ label_id: 'label-2' }, { label_id: 'label-3', revises: 'label-2' }])
  await vi.advanceTimersByTimeAsync(UNDO_MS)
  expect(sent[0]?.label_id).toBe('label-2')
})

it('is full at twenty labels', () => {
  const { outbox } = opened()
  for (let n = 0; n < 19; n++) outbox.add(aLabel(n))
  expect(outbox.isFull()).toBe(false)
  outbox.add(aLabel(19))
  expect(outbox.isFull()).toBe(true)
})

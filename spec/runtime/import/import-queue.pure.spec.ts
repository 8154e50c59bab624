import { expect, it } from 'vitest'
import { importQueue } from '../../../runtime/import/import-queue.ts'
import { Busy } from '../../../storage/errors.ts'

it('an import whose client has left gives up its place, and never starts', async () => {
  const { run } = importQueue()
  const never = new AbortController()
  let finish = (): void => {}
  const first = run('a', () => new Promise<string>((resolve) => (finish = () => resolve('first'))), never.signal)
  const started: string[] = []
  const start = (name: string) => async (): Promise<string> => {
    started.push(name)
    return name
  }
  const left = new AbortController()
  const second = run('b', start('second'), left.signal)
  const third = run('c', start('third'), never.signal)
  await expect(run('d', start('refused'), never.signal)).rejects.toThrow(Busy)

  left.abort(new Error('left'))
  await expect(second).rejects.toThrow('left')
  const fourth = run('e', start('fourth'), never.signal)
  finish()
  expect(await Promise.all([first, third, fourth])).toEqual(['first', 'third', 'fourth'])
  expect(started).toEqual(['third', 'fourth'])
})

it('one import of an account waits: the second is refused, until the first has started or has left', async () => {
  const { run } = importQueue()
  const { signal } = new AbortController()
  const finish: Array<() => void> = []
  const work = () => new Promise<void>((resolve) => void finish.push(resolve))
  const running = run('a', work, signal)
  const waiting = run('a', work, signal)
  await expect(run('a', work, signal)).rejects.toThrow('an import of this account is waiting already')
  const other = run('b', work, signal)
  finish[0]!()
  await running
  // The one that waited runs now, so another may wait.
  const next = run('a', work, signal)
  finish[1]!()
  await waiting
  await expect(run('a', work, signal)).rejects.toThrow(Busy)
  finish[2]!()
  await other
  finish[3]!()
  await next
})

import { expect, it } from 'vitest'
import { importQueue } from '../../../runtime/import/import-queue.ts'
import { Busy } from '../../../storage/errors.ts'

it('an import whose client has left gives up its place, and never starts', async () => {
  const { run } = importQueue()
  const never = new AbortController()
  let finish = (): void => {}
  const first = run(() => new Promise<string>((resolve) => (finish = () => resolve('first'))), never.signal)
  const started: string[] = []
  const start = (name: string) => async (): Promise<string> => {
    started.push(name)
    return name
  }
  const left = new AbortController()
  const second = run(start('second'), left.signal)
  const third = run(start('third'), never.signal)
  await expect(run(start('refused'), never.signal)).rejects.toThrow(Busy)

  left.abort(new Error('left'))
  await expect(second).rejects.toThrow('left')
  const fourth = run(start('fourth'), never.signal)
  finish()
  expect(await Promise.all([first, third, fourth])).toEqual(['first', 'third', 'fourth'])
  expect(started).toEqual(['third', 'fourth'])
})

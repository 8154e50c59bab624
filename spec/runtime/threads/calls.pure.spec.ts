import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { Refused } from '../../../commands/refused.ts'
import { callsTo } from '../../../runtime/threads/calls.ts'
import { Busy, Unavailable } from '../../../storage/errors.ts'

/** A thread that throws the error that a call names. */
const THROWING = `
  const { parentPort, workerData } = require('node:worker_threads')
  Promise.all(workerData.map((url) => import(url))).then(([{ answerCalls }, ...modules]) => {
    const errors = Object.assign({}, ...modules)
    answerCalls(parentPort, { fail: (name) => { throw new errors[name]('why') } })
  })`

it('an error has the class on the other side of a call that its answer needs', async () => {
  const worker = new Worker(THROWING, {
    eval: true,
    workerData: ['runtime/threads/calls.ts', 'storage/errors.ts', 'queries/bad-parameter.ts'].map(
      (file) => new URL(`../../../${file}`, import.meta.url).href,
    ),
  })
  const { calls } = callsTo<{ fail: (name: string) => void }>(worker, { onMessage: () => {}, onExit: () => {} })
  await expect(calls.fail('Busy')).rejects.toSatisfy((error) => error instanceof Busy && error.message === 'why')
  await expect(calls.fail('Unavailable')).rejects.toSatisfy(
    (error) => error instanceof Unavailable && !(error instanceof Busy) && error.message === 'why',
  )
  await expect(calls.fail('BadParameter')).rejects.toSatisfy(
    (error) => error instanceof Refused && error.reason === 'bad_request' && error.message === 'why',
  )
  await worker.terminate()
})

it('a call to a thread that ends, or has ended, rejects', async () => {
  const worker = new Worker("require('node:worker_threads').parentPort.once('message', () => process.exit(3))", {
    eval: true,
  })
  const codes: number[] = []
  const { calls, pendingCalls } = callsTo<{ end: () => void }>(worker, {
    onMessage: () => {},
    onExit: (_error, code) => void codes.push(code),
  })
  const exited = once(worker, 'exit')
  await expect(calls.end()).rejects.toBeInstanceOf(Unavailable)
  await exited
  await expect(calls.end()).rejects.toBeInstanceOf(Unavailable)
  expect([codes, pendingCalls()]).toEqual([[3], 0])
})

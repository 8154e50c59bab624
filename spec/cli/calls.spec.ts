import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { callsTo } from '../../cli/calls.ts'
import { Unavailable } from '../../storage/storage.ts'

it('a call to a thread that ends, or has ended, is refused and never left open', async () => {
  const worker = new Worker("require('node:worker_threads').parentPort.once('message', () => process.exit(3))", { eval: true })
  const codes: number[] = []
  const { call, open } = callsTo(worker, { onTold: () => {}, onExit: (_error, code) => void codes.push(code) })
  const gone = once(worker, 'exit')
  await expect(call('end')).rejects.toBeInstanceOf(Unavailable)
  await gone
  await expect(call('again')).rejects.toBeInstanceOf(Unavailable)
  expect([codes, open()]).toEqual([[3], 0])
})

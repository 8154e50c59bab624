import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { nextFreePort } from './next-free-port.ts'

it('gives each server another port, below those that the system gives, and none that is in use', async () => {
  const first = await nextFreePort()
  const server = createServer().listen(first + 1, '127.0.0.1')
  await once(server, 'listening')
  const second = await nextFreePort()
  server.close()
  await once(server, 'close')
  expect([first, first + 1]).not.toContain(second)
  expect([first, second].every((port) => port >= 20_000 && port < 32_768)).toBe(true)
})

import { once } from 'node:events'
import { mkdtempSync, readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { nextFreePort } from './next-free-port.ts'

const isListening = async (port: number): Promise<boolean> => {
  const server = createServer().listen(port, '127.0.0.1')
  const started = await once(server, 'listening').then(
    () => true,
    () => false,
  )
  if (started) {
    server.close()
    await once(server, 'close')
  }
  return started
}

it('gives each process of a run another port, below those that the system gives', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ports-'))
  const ports = [await nextFreePort(folder), await nextFreePort(folder), await nextFreePort(folder)]
  expect(new Set(ports).size).toBe(3)
  expect(ports.every((port) => port >= 20_000 && port < 32_000)).toBe(true)
  // What another process finds.
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(ports.map((port) => `port-${port}`)))
  expect(await isListening(ports[0] ?? 0)).toBe(true)
})

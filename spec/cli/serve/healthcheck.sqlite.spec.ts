import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { whyUnhealthy } from '../../../cli/serve/healthcheck.ts'
import { startServer } from '../../support/servers/server.ts'

describe('whyUnhealthy', () => {
  it('returns null for a running service, and the reason after it stops', async () => {
    const server = await startServer()
    expect(await whyUnhealthy(server.url, 60_000)).toBeNull()
    expect(await whyUnhealthy(`${server.url}/`, 60_000)).toBeNull()
    await server.stop()
    expect(await whyUnhealthy(server.url, 60_000)).toContain('cannot be reached')
  })

  it('rejects a web page', async () => {
    const site = createHttpServer((_, response) => void response.end('<html>')).listen(0, '127.0.0.1')
    await once(site, 'listening')
    expect(await whyUnhealthy(`http://127.0.0.1:${(site.address() as AddressInfo).port}`, 3000)).toContain(
      'does not answer like',
    )
    site.close()
  })

  it('times out', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    expect(await whyUnhealthy(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`, 50)).toContain(
      'does not answer within 0.05 s',
    )
    silent.close()
  })
})

import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { whyUnhealthy } from '../../../cli/serve/healthcheck.ts'
import { startServer } from '../../support/servers/server.ts'

describe('the health check', () => {
  it('finds nothing wrong with a running service, with or without a slash at the end, and tells when it is gone', async () => {
    const server = await startServer()
    expect(await whyUnhealthy(server.url, 3000)).toBeNull()
    expect(await whyUnhealthy(`${server.url}/`, 3000)).toBeNull()
    await server.stop()
    expect(await whyUnhealthy(server.url, 3000)).toContain('cannot be reached')
  })

  it('takes no web page for an answer', async () => {
    const site = createHttpServer((_, response) => void response.end('<html>')).listen(0, '127.0.0.1')
    await once(site, 'listening')
    expect(await whyUnhealthy(`http://127.0.0.1:${(site.address() as AddressInfo).port}`, 3000)).toContain(
      'does not answer like',
    )
    site.close()
  })

  it('does not wait for one that never answers', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    expect(await whyUnhealthy(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`, 50)).toContain(
      'does not answer within 0.05 s',
    )
    silent.close()
  })
})

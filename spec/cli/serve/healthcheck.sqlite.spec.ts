import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { whyUnhealthy } from '../../../cli/serve/healthcheck.ts'
import { runErs } from '../../support/servers/run-ers.ts'
import { startServer } from '../../support/servers/server.ts'

describe('ers healthcheck', () => {
  it('asks the service on the port of the platform, which the service takes too', async () => {
    const server = await startServer()
    const env = { PORT: new URL(server.url).port }
    expect(await runErs(['healthcheck'], { env })).toMatchObject({ code: 0, stdout: 'ok\n' })
    const second = await runErs(['serve', '--data-dir', server.dataDir], { env: { PORT: 'x' } })
    expect(second).toMatchObject({ code: 2, stderr: 'misconfigured: PORT: must be a port from 0 to 65535\n' })
    await server.stop()
    expect(await runErs(['healthcheck'], { env })).toMatchObject({ code: 1 })
  })
})

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

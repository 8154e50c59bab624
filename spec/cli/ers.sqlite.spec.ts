import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { bareEnvironment } from '../support/bare-environment.ts'
import { PROGRAM, SOURCES } from '../support/servers/program.ts'
import { startServer } from '../support/servers/server.ts'

const SAMPLE = fileURLToPath(new URL('../data/inspect/images/log_images_tc.json.gz', import.meta.url))

// Other specs run only the build.
describe.each([
  ['the sources of a checkout', SOURCES],
  ['the build', PROGRAM],
])('%s', (_, program) => {
  it('serves, with writer and reader threads, and imports', async () => {
    const server = await startServer({ program })
    try {
      const env = { ...bareEnvironment(), SERVICE_SERVER_URL: server.url, SERVICE_TOKEN: server.token }
      const { stdout } = await promisify(execFile)(process.execPath, [program, 'import', '--json', SAMPLE], { env })
      expect(JSON.parse(stdout)).toMatchObject({ imported: 1, refused: 0, failed: 0 })
      const runs = await fetch(`${server.url}/api/v1/runs`, { headers: { authorization: `Bearer ${server.token}` } })
      expect(await runs.json()).toMatchObject({ runs: [{ project: 'inspect' }] })
      const found = await fetch(`${server.url}/api/v1/search?q=image`, {
        headers: { authorization: `Bearer ${server.token}` },
      })
      expect(found.status).toBe(200)
      expect((await fetch(server.url)).headers.get('content-type')).toMatch(/^text\/html/)
    } finally {
      expect(await server.stop()).toBe(0)
    }
  })
})

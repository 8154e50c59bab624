import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const demo = fileURLToPath(new URL('../support/sso/demo.ts', import.meta.url))

/** The exit code of the demonstration, and what it prints. */
const run = async (...args: readonly string[]): Promise<{ readonly code: unknown; readonly printed: string }> => {
  const child = execFile(process.execPath, [demo, ...args])
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text: string) => (printed += text))
  const [code] = (await once(child, 'close')) as unknown[]
  return { code, printed }
}

describe('the demonstration of single sign-on', () => {
  it.each([
    ['a word as the port', ['--port', 'eighty'], '--port must be a number from 1 to 65535\n'],
    ['a port that is too high', ['--port', '65536'], '--port must be a number from 1 to 65535\n'],
    ['no port', ['--port'], '--port must be a number from 1 to 65535\n'],
    ['another option', ['--prot', '9000'], 'usage: npm run sso:demo -- --port 9000\n'],
  ])('ends with one line for %s', async (_, args, printed) => expect(await run(...args)).toEqual({ code: 1, printed }))

  it('ends with one line for a port that is in use', async () => {
    const server = createServer().listen(0)
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    expect(await run('--port', String(port))).toEqual({
      code: 1,
      printed: `port ${port} cannot be used (EADDRINUSE); choose another: npm run sso:demo -- --port 9000\n`,
    })
    server.close()
  })
})

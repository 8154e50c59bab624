import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { bareEnvironment } from '../../support/bare-environment.ts'
import { PROGRAM } from '../../support/servers/program.ts'

const folder = mkdtempSync(join(tmpdir(), 'ers-quiet-'))
afterAll(() => rmSync(folder, { recursive: true }))

it.each([
  ['ers serve', [], 1],
  ['ers serve --quiet-requests', ['--quiet-requests'], 0],
] as const)(
  '%s says that it is ready after its last line, and logs requests only if asked',
  async (_, options, logged) => {
    const child = spawn(process.execPath, [PROGRAM, 'serve', '--port', '0', '--data-dir', folder, ...options], {
      env: bareEnvironment(),
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    let log = ''
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (log += text))
    const closed = once(child, 'close')
    expect(await once(child, 'message')).toEqual(['ready', undefined])
    // The message and the log come by different ways.
    while (!log.includes('"listening"}\n')) await once(child.stderr!, 'data')
    const last = JSON.parse(log.trimEnd().split('\n').at(-1)!) as { msg: string; port: number }
    expect(last.msg).toBe('listening')
    expect((await fetch(`http://127.0.0.1:${last.port}/api/v1/health`)).status).toBe(200)
    child.kill('SIGTERM')
    await closed
    expect(log.split('"msg":"response"').length - 1).toBe(logged)
  },
)

import { spawnSync } from 'node:child_process'
import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { WEBHOOK_EVENTS } from '../../domain/webhooks/event-types.ts'
import { aDocument } from '../support/documents/documents.ts'
import { sendingAppOpener } from '../support/webhooks/sending-app.ts'
import { blocksOf } from './read-page.ts'

const PAGE = readFileSync(fileURLToPath(new URL('../../docs/webhooks.md', import.meta.url)), 'utf8')
const fileOf = (name: string): string => blocksOf(PAGE).find(({ file }) => file === name)?.text ?? ''
const hasPython = spawnSync('python3', ['--version']).status === 0

const open = sendingAppOpener()

describe('the page about webhooks', () => {
  const message = async () => {
    const { spec, create, send, receiver, ask, ada } = await open()
    const { id, secret } = await create({ events: ['run.ingested'] })
    await ask('POST', `/webhooks/${id}/secret`, { token: ada.token })
    await spec.ingest(aDocument({ run_id: 'ü ☃' }))
    await send()
    const { headers, body } = receiver.received[0]!
    // The former secret, whose signature is the second one.
    return { secret, headers: headers as Record<string, string>, body }
  }

  it('checks a signature in TypeScript', async () => {
    const { secret, headers, body } = await message()
    using folder = mkdtempDisposableSync(join(tmpdir(), 'ers-webhooks-'))
    const file = join(folder.path, 'verify.ts')
    writeFileSync(file, fileOf('verify.ts'))
    const { isSigned } = (await import(pathToFileURL(file).href)) as {
      isSigned: (secret: string, headers: object, body: string) => boolean
    }
    expect(isSigned(secret, headers, body)).toBe(true)
    expect(isSigned(secret, headers, `${body} `)).toBe(false)
    expect(isSigned(secret, { ...headers, 'webhook-timestamp': '1700000000' }, body)).toBe(false)
    expect(isSigned('whsec_AAAA', headers, body)).toBe(false)
  })

  it.runIf(hasPython)('checks a signature in Python', async () => {
    const sent = await message()
    using folder = mkdtempDisposableSync(join(tmpdir(), 'ers-webhooks-'))
    writeFileSync(join(folder.path, 'verify.py'), fileOf('verify.py'))
    writeFileSync(
      join(folder.path, 'run.py'),
      `import json, sys
from verify import is_signed
sent = json.load(sys.stdin)
secret, headers, body = sent["secret"], sent["headers"], sent["body"].encode()
old = dict(headers, **{"webhook-timestamp": "1700000000"})
print(is_signed(secret, headers, body), is_signed(secret, headers, body + b" "), is_signed(secret, old, body), is_signed("whsec_AAAA", headers, body))
`,
    )
    const run = spawnSync('python3', ['run.py'], { cwd: folder.path, input: JSON.stringify(sent), encoding: 'utf8' })
    expect([run.stdout.trim(), run.stderr]).toEqual(['True False False False', ''])
  })

  it('names every event', () => {
    for (const event of WEBHOOK_EVENTS) expect(PAGE).toContain(`\`${event}\``)
  })
})

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkReceipt } from '../../../domain/proof/check.ts'
import { parseVkey } from '../../../domain/proof/keys.ts'
import { nodeCrypto } from '../../../storage/log/proof-crypto.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { exampleKey } from '../../support/proof/opened-signer.ts'
import { runErs } from '../../support/servers/run-ers.ts'
import { startServer } from '../../support/servers/server.ts'
import { privateKeyText } from '../../../runtime/proof/keys.ts'

const UPLOADER = 'spec-write-token'
const KEY = exampleKey()
let folder: string
afterAll(async () => void (await server.stop()))
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ers-receipt-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const ers = (args: readonly string[], { token = UPLOADER, url = server.url } = {}) =>
  runErs(args, { env: { SERVICE_SERVER_URL: url, SERVICE_TOKEN: token } })

const put = (run_id: string): { readonly path: string; readonly text: string } => {
  const path = join(folder, 'in', `${encodeURIComponent(run_id)}.json`)
  const text = JSON.stringify(aDocument({ run_id }))
  mkdirSync(join(folder, 'in'), { recursive: true })
  writeFileSync(path, text)
  return { path, text }
}

const expectProof = async (receipt: string, text: string): Promise<void> => {
  const keys = [await parseVkey(KEY.vkey, nodeCrypto)]
  const document = { bytes: Buffer.byteLength(text), sha256: hash('sha256', text) }
  expect(await checkReceipt(receipt, { keys, policy: null, document }, nodeCrypto)).toMatchObject({
    document: 'matches',
  })
}
const server = await startServer({
  env: { SERVICE_CHECKPOINT_KEY: privateKeyText('results.example/log', new Uint8Array(32).fill(1)) },
})

describe('ers import --receipts', () => {
  it('saves a receipt for each run, also for those that were there', async () => {
    const [one, two] = [put('one'), put('a/two')]
    const out = join(folder, 'receipts')
    expect(await ers(['import', one.path])).toMatchObject({ code: 0 })
    const imported = await ers(['import', join(folder, 'in'), '--receipts', out])
    expect(imported, imported.stderr).toMatchObject({ code: 0, stderr: '' })
    expect(imported.stdout).toContain('imported 1, already there 1,')
    expect(readdirSync(out).sort()).toEqual(['a%2Ftwo.tlog-proof', 'one.tlog-proof'])
    await expectProof(readFileSync(join(out, 'one.tlog-proof'), 'utf8'), one.text)
    await expectProof(readFileSync(join(out, 'a%2Ftwo.tlog-proof'), 'utf8'), two.text)
  })

  it('reports a document that is stored, but whose receipt another may have', async () => {
    const { path } = put('of another')
    expect(await ers(['import', path], { token: server.token })).toMatchObject({ code: 0 })
    const { code, stderr } = await ers(['import', path, '--receipts', join(folder, 'receipts')])
    expect(code).toBe(1)
    expect(stderr).toContain('403 stored, but without a receipt: only who uploaded this run')
  })

  it('is not for an import into a store', async () => {
    const { path } = put('stored')
    const { code, stderr } = await ers(['import', path, '--receipts', folder, '--data-dir', join(folder, 'data')])
    expect(code).toBe(2)
    expect(stderr).toContain("option '--receipts <folder>' cannot be used with option '--data-dir <folder>'")
  })
})

describe('ers receipt', () => {
  it('prints one receipt', async () => {
    const { path, text } = put('printed')
    await ers(['import', path])
    const { code, stdout, stderr } = await ers(['receipt', 'printed'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    await expectProof(stdout, text)
  })

  it('writes several into a folder, keeps files that are there, and goes on after a failure', async () => {
    for (const id of ['kept', 'new']) await ers(['import', put(id).path])
    const out = join(folder, 'out')
    mkdirSync(out)
    writeFileSync(join(out, 'kept.tlog-proof'), 'mine')
    const { code, stderr } = await ers(['receipt', 'kept', 'none', '..', 'new', '--out', out])
    expect(code).toBe(1)
    expect(stderr.split('\n')).toEqual([
      `kept: ${join(out, 'kept.tlog-proof')} exists and is kept; move it away to download another`,
      'none: run not found',
      '..: a run with this id cannot be requested over HTTP',
      join(out, 'new.tlog-proof'),
      '',
    ])
    expect(readFileSync(join(out, 'kept.tlog-proof'), 'utf8')).toBe('mine')
    expect(readdirSync(out).sort()).toEqual(['kept.tlog-proof', 'new.tlog-proof'])
  })

  it('says in its help that a receipt holds the network address of the uploader', async () => {
    const { stdout } = await ers(['receipt', '--help'])
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('the network address of the uploader')
  })

  it('says why it cannot start', async () => {
    expect(await ers(['receipt', 'a', 'b'])).toMatchObject({ code: 2, stderr: 'several runs need --out\n' })
    expect(await ers(['receipt', 'a'], { token: 'wrong' })).toMatchObject({
      code: 2,
      stderr: `${server.url} rejects the request: 401 authentication required (check SERVICE_TOKEN)\n`,
    })
  })
})

describe('ers receipt from a server that is not honest', () => {
  const answers = (answer: (path: string) => readonly [status: number, body: string]) =>
    new Promise<{ url: string; close: () => void }>((resolve) => {
      const http = createServer((request, response) => {
        const [status, body] = answer(request.url ?? '')
        response.writeHead(status).end(body)
      }).listen(0, '127.0.0.1', () =>
        resolve({ url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, close: () => http.close() }),
      )
    })
  const ESCAPES = 'no\u001b[2J\u009b31m\u202e\u2066 receipt'

  it('prints no control characters', async () => {
    for (const status of [401, 404]) {
      const stub = await answers(() => [status, JSON.stringify({ error: ESCAPES })])
      const { code, stdout, stderr } = await ers(['receipt', 'a\u202eb'], { url: stub.url })
      stub.close()
      expect([code, stdout]).toEqual([status === 401 ? 2 : 1, ''])
      expect(stderr).toContain(String.raw`no\u001b[2J\u009b31m\u202e\u2066 receipt`)
      expect(stderr).not.toMatch(/[\u001b\u009b\u202e\u2066]/)
    }
  })

  it('refuses what is not a receipt', async () => {
    const stub = await answers(() => [200, '<html>Sign in</html>'])
    const { code, stdout, stderr } = await ers(['receipt', 'a'], { url: stub.url })
    stub.close()
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: 'a: the answer is not a receipt; check the address\n',
    })
  })
})

it('ers log export writes the log of a running service', async () => {
  await ers(['import', put('logged').path])
  await ers(['receipt', 'logged'])
  const store = server.database ? ['--database-url', server.database.appUrl] : ['--data-dir', server.dataDir]
  const { code, stdout, stderr } = await ers(['log', 'export', join(folder, 'log'), '--bodies', ...store])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^exported \d+ records?, \d+ files? written, checkpoint \d+:[0-9a-f]{64}\n$/)
  expect(readdirSync(join(folder, 'log')).sort()).toEqual(['bodies', 'checkpoint', 'tile'])
})

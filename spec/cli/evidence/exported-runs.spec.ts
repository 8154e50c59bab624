import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { digestOf, manifestOf, noise, PIECE } from '../../support/documents/parts.ts'
import { runErs } from '../../support/servers/run-ers.ts'
import { startServer, type RunningServer } from '../../support/servers/server.ts'
import { onPostgres } from '../../support/stores/open-fresh.ts'

// The whole way through the real program, with its threads: parts in, out, and into another server.

const small = Buffer.from('what the judge said')
const large = noise(PIECE + 300_000, 17)
const KEY = aCase().case_key
const first = manifestOf([{ bytes: small, role: 'grading', case_key: KEY, name: 'judge.txt' }])
const second = manifestOf([{ bytes: large, role: 'original', name: 'log.eval' }])
const document = Buffer.from(
  JSON.stringify({ ...aDocument({ run_id: 'a/b', cases: [aCase()] }), evidence_manifest: digestOf(first) }),
)

const folder = mkdtempSync(join(tmpdir(), 'ers-parts-'))
let [source, target]: RunningServer[] = []
beforeAll(async () => {
  ;[source, target] = await Promise.all([startServer(), startServer()])
})
afterAll(async () => {
  await Promise.all([source?.stop(), target?.stop()])
  rmSync(folder, { recursive: true })
})

const api = (server: RunningServer | undefined, path: string, init: RequestInit = {}) =>
  fetch(`${server?.url}/api/v1${path}`, {
    ...init,
    headers: { authorization: `Bearer ${server?.token}`, ...(init.headers as Record<string, string>) },
  })
const put = (bytes: Buffer, range?: string, sha256 = digestOf(bytes)) =>
  api(source, `/parts/${sha256}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream', ...(range !== undefined && { 'content-range': range }) },
    body: new Uint8Array(bytes),
  })
const hasUnzip = spawnSync('unzip', ['-v']).status === 0
const json = { 'content-type': 'application/json' }
const ers = (server: RunningServer | undefined, ...args: readonly string[]) =>
  runErs(args, { env: { SERVICE_SERVER_URL: server?.url ?? '', SERVICE_TOKEN: server?.token ?? '' } })
/** The key that signs the checkpoints of a server. */
const firstKey = (text: string): string => text.split('\n')[0] ?? ''
const exported = join(folder, 'out', 'a%2Fb')

describe('a run that is exported with its parts', () => {
  it('is sent, with a part in pieces', async () => {
    for (const bytes of [small, first, second]) expect((await put(bytes)).status).toBe(200)
    for (const [from, to] of [
      [PIECE, large.length],
      [0, PIECE],
    ] as const) {
      const range = `bytes ${from}-${to - 1}/${large.length}`
      expect((await put(large.subarray(from, to), range, digestOf(large))).status).toBe(200)
    }
    expect((await api(source, '/runs', { method: 'POST', headers: json, body: document })).status).toBe(201)
    const body = JSON.stringify({ manifest: digestOf(second) })
    const attached = await api(source, '/runs/a%2Fb/evidence', { method: 'POST', headers: json, body })
    expect([attached.status, await attached.json()]).toEqual([201, { n: 1 }])
  })

  it('is a folder whose digests sha256sum checks', async () => {
    expect(await ers(source, 'export', 'a/b', '--with-parts')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--with-parts needs --out-dir or --out FILE.zip') as string,
    })
    const { code, stdout, stderr } = await ers(
      source,
      'export',
      'a/b',
      '--with-parts',
      '--out-dir',
      join(folder, 'out'),
    )
    expect([code, stdout]).toEqual([0, expect.stringContaining('exported 1')])
    // A database has no key that signs unless one is configured.
    expect(stderr).toBe(onPostgres ? 'a/b: without receipts: this service signs no checkpoints\n' : '')
    execFileSync('sha256sum', ['--check', '--quiet', 'manifest-sha256.txt'], { cwd: exported })
    expect(readFileSync(join(exported, 'run.json')).equals(document)).toBe(true)
    expect(readFileSync(join(exported, 'manifest-0.json')).equals(first)).toBe(true)
    expect(readFileSync(join(exported, 'manifest-1.json')).equals(second)).toBe(true)
    const sha256 = digestOf(large)
    expect(readFileSync(join(exported, 'parts', sha256.slice(0, 2), sha256)).equals(large)).toBe(true)
    const receipt = join(exported, 'receipts', 'evidence-1.tlog-proof')
    if (!onPostgres) expect(readFileSync(receipt, 'utf8')).toContain('c2sp.org/tlog-proof')
    expect((await ers(source, 'export', 'a/b', '--with-parts', '--out-dir', join(folder, 'out'))).stdout).toContain(
      'skipped 1',
    )
  })

  it.runIf(!onPostgres)('is checked offline with its receipts: the manifest, and every part of it', async () => {
    const check = (...args: readonly string[]) =>
      ers(source, 'check-receipt', join(exported, 'receipts', 'evidence-1.tlog-proof'), ...args)
    const key = ['--key', await (await api(source, '/log/keys')).text().then(firstKey)]
    const [manifest, parts] = [join(exported, 'manifest-1.json'), join(exported, 'parts')]
    const whole = await check(...key, '--manifest', manifest, '--parts', parts)
    expect([whole.code, whole.stdout]).toEqual([0, expect.stringContaining('1 of its 1 part')])
    expect((await check(...key, '--manifest', manifest)).code).toBe(12)
    expect((await check(...key, '--manifest', manifest, '--partial')).code).toBe(0)
    expect((await check(...key, '--manifest', join(exported, 'manifest-0.json'))).code).toBe(10)
    const other = join(exported, 'run.json')
    expect((await check(...key, '--manifest', manifest, '--part', other)).code).toBe(10)
    const upload = join(exported, 'receipts', 'run.tlog-proof')
    const first = ['--manifest', join(exported, 'manifest-0.json'), '--parts', parts]
    expect((await ers(source, 'check-receipt', upload, other, ...key, ...first)).code).toBe(0)
  })

  it('is imported elsewhere with the same id and bytes, and a repetition sends nothing', async () => {
    const imported = await ers(target, 'import', join(folder, 'out'))
    expect([imported.code, imported.stdout, imported.stderr]).toEqual([0, 'a/b: imported, 4 parts sent\n', ''])
    const part = await api(target, `/runs/a%2Fb/parts/${digestOf(large)}`)
    expect(Buffer.from(await part.arrayBuffer()).equals(large)).toBe(true)
    expect(await (await api(target, '/runs/a%2Fb/evidence')).json()).toMatchObject({
      evidence: [{ manifest_sha256: digestOf(first) }, { manifest_sha256: digestOf(second) }],
    })
    expect((await ers(target, 'import', exported)).stdout).toBe('a/b: already there, 0 parts sent\n')
  })

  it('is a zip archive, which unzip and Python open, and which is imported with the same id and bytes', async () => {
    const file = join(folder, 'run.zip')
    const first = await ers(source, 'export', 'a/b', '--with-parts', '--out', file)
    expect([first.code, first.stdout]).toEqual([0, expect.stringContaining('exported 1')])
    expect((await ers(source, 'export', 'a/b', '--with-parts', '-o', file)).stdout).toContain('skipped 1')
    // The folder from which it is made is gone.
    expect(readdirSync(folder).filter((name) => name.includes('run.zip'))).toEqual(['run.zip'])
    const opened = join(folder, 'unzipped')
    execFileSync('python3', [
      '-c',
      'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; z.extractall(sys.argv[2])',
      file,
      opened,
    ])
    execFileSync('sha256sum', ['--check', '--quiet', 'manifest-sha256.txt'], { cwd: opened })
    expect(readFileSync(join(opened, 'run.json')).equals(document)).toBe(true)
    if (hasUnzip) execFileSync('unzip', ['-tq', file])

    const third = await startServer()
    try {
      const imported = await ers(third, 'import', file)
      expect([imported.code, imported.stdout, imported.stderr]).toEqual([0, 'a/b: imported, 4 parts sent\n', ''])
      const part = await api(third, `/runs/a%2Fb/parts/${digestOf(large)}`)
      expect(Buffer.from(await part.arrayBuffer()).equals(large)).toBe(true)
      expect(Buffer.from(await (await api(third, '/runs/a%2Fb/export')).arrayBuffer()).equals(document)).toBe(true)
      expect((await ers(third, 'import', file)).stdout).toBe('a/b: already there, 0 parts sent\n')
      const altered = readFileSync(file)
      altered[altered.indexOf(small)]! ^= 1
      writeFileSync(join(folder, 'altered.zip'), altered)
      expect(await ers(third, 'import', join(folder, 'altered.zip'))).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('does not have the bytes that were exported') as string,
      })
      const packed = join(folder, 'packed.zip')
      execFileSync('python3', [
        '-c',
        'import sys, shutil; shutil.make_archive(sys.argv[1][:-4], "zip", sys.argv[2])',
        packed,
        opened,
      ])
      expect(await ers(third, 'import', packed)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('was packed again: unzip it into a folder') as string,
      })
    } finally {
      await third.stop()
    }
  })

  it('is written again without what an earlier export had and the run does not', async () => {
    const stale = ['manifest-7.json', 'parts/00/other', 'receipts/evidence-7.tlog-proof'].map((name) =>
      join(exported, name),
    )
    mkdirSync(join(exported, 'parts', '00'), { recursive: true })
    mkdirSync(join(exported, 'receipts'), { recursive: true })
    for (const path of stale) writeFileSync(path, second)
    const { code } = await ers(source, 'export', 'a/b', '--with-parts', '--force', '--out-dir', join(folder, 'out'))
    expect([code, stale.filter((path) => existsSync(path))]).toEqual([0, []])
    execFileSync('sha256sum', ['--check', '--quiet', 'manifest-sha256.txt'], { cwd: exported })
    expect((await ers(target, 'import', exported)).stdout).toBe('a/b: already there, 0 parts sent\n')
  })

  it.each([
    ['its document', 'run.json'],
    ['a manifest', 'manifest-1.json'],
    ['a part', `parts/${digestOf(small).slice(0, 2)}/${digestOf(small)}`],
  ])('is refused where its digests do not list %s', async (_, name) => {
    const digests = join(exported, 'manifest-sha256.txt')
    const text = readFileSync(digests, 'utf8')
    const others = text.split('\n').filter((line) => !line.endsWith(`  ${name}`))
    writeFileSync(digests, others.join('\n'))
    const { code, stderr } = await ers(target, 'import', exported)
    writeFileSync(digests, text)
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${name} is not in manifest-sha256.txt`)])
  })

  it('is not sent on after a piece that the server refused', async () => {
    const bytes = Buffer.alloc(12 * PIECE)
    const sha256 = digestOf(bytes)
    const run = join(folder, 'refused')
    const files = {
      'run.json': document,
      'manifest-0.json': manifestOf([{ bytes, role: 'original' }]),
      [`parts/${sha256.slice(0, 2)}/${sha256}`]: bytes,
    }
    mkdirSync(join(run, 'parts', sha256.slice(0, 2)), { recursive: true })
    for (const [name, content] of Object.entries(files)) writeFileSync(join(run, name), content)
    const lines = Object.entries(files).map(([name, content]) => `${digestOf(content)}  ${name}\n`)
    writeFileSync(join(run, 'manifest-sha256.txt'), lines.join(''))
    let pieces = 0
    const refusing = createServer((request, response) => {
      const isPiece = request.method === 'PUT'
      if (isPiece) pieces++
      request.resume().on('end', () => {
        response.writeHead(isPiece ? 409 : 200, { 'content-type': 'application/json' })
        response.end(JSON.stringify(isPiece ? { error: 'no room' } : { missing: [sha256] }))
      })
    }).listen(0, '127.0.0.1')
    await once(refusing, 'listening')
    const url = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}`
    const { code, stderr } = await runErs(['import', run], { env: { SERVICE_SERVER_URL: url, SERVICE_TOKEN: 'x' } })
    refusing.close()
    expect([code, stderr]).toEqual([1, expect.stringContaining('no room')])
    expect(pieces).toBeLessThan(12)
  })

  it('is refused where a file was altered', async () => {
    const sha256 = digestOf(small)
    writeFileSync(join(exported, 'parts', sha256.slice(0, 2), sha256), 'what the judge did not say')
    expect(await ers(target, 'import', exported)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('does not have the bytes that were exported') as string,
    })
  })
})

import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync, appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { publish } from '../../../../cli/proof/monitor.ts'
import { acceptedNotes } from '../../../../cli/proof/monitor/accepted-notes.ts'
import { logClient, LogUnavailable } from '../../../../cli/proof/monitor/log-client.ts'
import { runMonitor, type MonitorOptions } from '../../../../cli/proof/monitor/monitor.ts'
import { consistencyFromTiles, tilePath } from '../../../../cli/proof/monitor/tiles.ts'
import { checkpointText } from '../../../../domain/proof/checkpoint.ts'
import { signedNote } from '../../../../domain/proof/note.ts'
import { parsePolicy } from '../../../../domain/proof/policy.ts'
import { readAnchors } from '../../../../maintenance/verify/anchors.ts'
import { nodeCrypto } from '../../../../storage/log/proof-crypto.ts'
import { bareEnvironment } from '../../../support/bare-environment.ts'
import { logKey, witnessKey, type SpecKey } from '../../../support/proof/keys.ts'
import { leafAt, naiveTree } from '../../../support/proof/tree.ts'
import { PROGRAM } from '../../../support/servers/program.ts'

const ORIGIN = 'results.example/log'
const BASE = 'https://results.example/api/v1/log'
const NOW = 1_777_885_400_000

const honest = naiveTree(Array.from({ length: 70_000 }, (_, n) => leafAt(n)))
/** The same log, but for record 301. */
const forked = naiveTree(Array.from({ length: 2_000 }, (_, n) => leafAt(n === 300 ? -1 : n)))
type Tree = typeof honest

let dir: string
let key: SpecKey
let witness: SpecKey
let now: number
let waits: number[]
let printed: string[]
let warned: string[]
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'ers-monitor-'))
  key = await logKey(ORIGIN, 1)
  witness = await witnessKey('witness.example/w1', 3)
  now = NOW
  waits = []
  printed = []
  warned = []
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const noteAt = (tree: Tree, size: number, { signers = [key], at = NOW / 1000, cosigned = false } = {}): string => {
  const text = checkpointText({ origin: ORIGIN, size, root: tree.rootAt(size) })
  return signedNote(text, [...signers.map(({ sign }) => sign(text)), ...(cosigned ? [witness.sign(text, at)] : [])])
}

/** Serves hash tiles of a tree as `c2sp.org/tlog-tiles` has them, from the definition. */
const tileOf = (tree: Tree, path: string, size: number): Buffer | null => {
  const [, level = '', name = '', width] = /^tile\/(\d+)\/([x\d/]+?)(?:\.p\/(\d+))?$/.exec(path) ?? []
  const n = Number(name.replaceAll(/[x/]/g, ''))
  const below = 256 ** Number(level)
  const count = Number(width ?? 256)
  if ((n * 256 + count) * below > size) return null
  // The root of a full subtree is that of the tree that ends there, less what is before: from the definition.
  return Buffer.concat(
    Array.from({ length: count }, (_, at) => tree.inner((n * 256 + at) * below, (n * 256 + at + 1) * below)),
  )
}

type Server = {
  tree: Tree
  size: number
  note: () => string
  change?: (path: string, bytes: Buffer) => Response | null
}
const serverOf = (tree: Tree, size: number): Server => ({ tree, size, note: () => noteAt(tree, size) })

let requests: string[]
const clientOf = (server: Server) => {
  requests = []
  return logClient(`${BASE}/`, 'secret', {
    send: async (input, init) => {
      const path = new Request(input).url.slice(BASE.length + 1)
      requests.push(path)
      expect(init).toMatchObject({ headers: { authorization: 'Bearer secret' }, redirect: 'manual' })
      const bytes = path.startsWith('checkpoint') ? Buffer.from(server.note()) : tileOf(server.tree, path, server.size)
      const changed = bytes && server.change?.(path, bytes)
      return changed ?? new Response(bytes ? new Uint8Array(bytes) : null, { status: bytes ? 200 : 404 })
    },
    deadline: () => new AbortController().signal,
  })
}

const run = (server: Server, options: Partial<MonitorOptions> = {}): Promise<number> =>
  runMonitor({
    log: clientOf(server),
    trust: { keys: [key.vkey], policy: null },
    notes: acceptedNotes(dir),
    maxAgeMs: 3_600_000,
    intervalMs: 60_000,
    once: true,
    now: () => now,
    wait: async (ms) => {
      waits.push(ms)
      now += ms
    },
    publish: async () => {},
    print: (line) => void printed.push(line),
    warn: (line) => void warned.push(line),
    isStopped: () => false,
    ...options,
  })

const alarm = (): Record<string, unknown> => JSON.parse(printed.at(-1) ?? '{}') as Record<string, unknown>
const kept = (): string => readFileSync(join(dir, 'checkpoints', '2026-05.txt'), 'utf8')

describe('a monitor', () => {
  it('accepts checkpoints that continue each other, and keeps their notes whole', async () => {
    for (const size of [1, 255, 256, 257, 300, 301, 1000, 65_536, 65_537, 70_000])
      expect(await run(serverOf(honest, size))).toBe(0)
    const { anchors } = await readAnchors(dir, { keys: [key.vkey], policy: null }, nodeCrypto)
    expect(anchors.map(({ size }) => size)).toEqual([1, 255, 256, 257, 300, 301, 1000, 65_536, 65_537, 70_000])
    expect(JSON.parse(printed.at(-1) ?? '')).toEqual({
      accepted: { size: 70_000, root: honest.rootAt(70_000).toString('hex') },
    })
  })

  it('computes the consistency proof of the definition from tiles', async () => {
    const log = clientOf(serverOf(honest, 70_000))
    for (const from of [1, 2, 255, 256, 257, 1000, 65_535, 65_536, 65_537, 69_999, 70_000])
      expect(await consistencyFromTiles(log.tile, from, 70_000)).toEqual(honest.consistency(from, 70_000))
    // A partial tile that is gone is replaced by the full one.
    expect(await consistencyFromTiles(log.tile, 3, 1000)).toEqual(honest.consistency(3, 1000))
  })

  it.each([
    [0, 0, 256, 'tile/0/000'],
    [1, 1234067, 256, 'tile/1/x001/x234/067'],
    [0, 273, 112, 'tile/0/273.p/112'],
    [2, 1000, 1, 'tile/2/x001/000.p/1'],
  ])('asks for level %i, tile %i, width %i', (level, n, width, path) => {
    expect(tilePath(level, n, width)).toBe(path)
  })

  it('keeps the same checkpoint once, and again with more trusted signatures', async () => {
    const server = serverOf(honest, 300)
    const trust = { keys: [key.vkey, witness.vkey], policy: null }
    const stranger = await logKey('stranger', 7)
    for (let i = 0; i < 3; i++) expect(await run(server, { trust })).toBe(0)
    expect(printed).toHaveLength(1)
    expect(warned).toEqual(['size 300, unchanged', 'size 300, unchanged'])
    server.note = () => noteAt(honest, 300, { signers: [key, stranger] })
    expect(await run(server, { trust })).toBe(0)
    expect(kept()).toBe(`${noteAt(honest, 300)}\n`)
    server.note = () => noteAt(honest, 300, { cosigned: true })
    for (let i = 0; i < 3; i++) expect(await run(server, { trust })).toBe(0)
    expect(kept()).toBe(`${noteAt(honest, 300)}\n${noteAt(honest, 300, { cosigned: true })}\n`)
  })

  it('continues after a torn write', async () => {
    await run(serverOf(honest, 300))
    appendFileSync(join(dir, 'checkpoints', '2026-05.txt'), noteAt(honest, 400).slice(0, 50))
    expect(await run(serverOf(honest, 500))).toBe(0)
    expect(acceptedNotes(dir).last()).toBe(noteAt(honest, 500))
    expect(await run(serverOf(forked, 600))).toBe(11)
  })

  it('publishes what it accepted', async () => {
    const published: number[] = []
    const publish = async (size: number) => void published.push(size)
    await run(serverOf(honest, 300), { publish })
    await run(serverOf(honest, 300), { publish })
    await run(serverOf(honest, 400), { publish })
    expect(published).toEqual([300, 400])
  })
})

describe('an alarm', () => {
  beforeEach(() => run(serverOf(honest, 1000)))

  it('is raised at once for two roots of one size, with both notes', async () => {
    expect(await run(serverOf(forked, 1000))).toBe(11)
    expect(waits).toEqual([])
    const { evidence, accepted, seen, code } = alarm()
    expect({ code, accepted, seen }).toEqual({
      code: 11,
      accepted: { size: 1000, root: honest.rootAt(1000).toString('hex') },
      seen: { size: 1000, root: forked.rootAt(1000).toString('hex') },
    })
    expect(readFileSync(join(String(evidence), 'accepted.txt'), 'utf8')).toBe(noteAt(honest, 1000))
    expect(readFileSync(join(String(evidence), 'served.txt'), 'utf8')).toBe(noteAt(forked, 1000))
    expect(kept()).toBe(`${noteAt(honest, 1000)}\n`)
  })

  it('is raised for a fork that has grown, with its tiles', async () => {
    expect(await run(serverOf(forked, 1500))).toBe(11)
    expect(waits).toEqual([])
    const files = readdirSync(String(alarm()['evidence']))
    expect(files.some((name) => name.startsWith('tile-'))).toBe(true)
    expect(files).toEqual(expect.arrayContaining(['accepted.txt', 'served.txt']))
  })

  it('is raised for a smaller log, which is asked for three times in 10 seconds', async () => {
    expect(await run(serverOf(honest, 999))).toBe(11)
    expect(requests).toEqual(['checkpoint', 'checkpoint', 'checkpoint'])
    expect(waits).toEqual([5000, 5000])
    const server = serverOf(honest, 999)
    let asked = 0
    server.note = () => noteAt(honest, ++asked < 3 ? 999 : 1000)
    rmSync(join(dir, 'evidence'), { recursive: true })
    expect(await run(server)).toBe(0)
    // What was refused is kept once, although the log took it back.
    const evidence = readdirSync(join(dir, 'evidence'))
    expect(evidence).toHaveLength(1)
    expect(readFileSync(join(dir, 'evidence', evidence[0]!, 'served.txt'), 'utf8')).toBe(noteAt(honest, 999))
  })

  it('keeps all that one poll has shown in one folder, also if it differs', async () => {
    const server = serverOf(honest, 999)
    let asked = 0
    server.note = () => noteAt(honest, 999 - asked++)
    expect(await run(server)).toBe(11)
    const evidence = String(alarm()['evidence'])
    expect(readdirSync(join(dir, 'evidence'))).toHaveLength(1)
    expect(readdirSync(evidence)).toEqual(['accepted.txt', 'served-again-2.txt', 'served-again-3.txt', 'served.txt'])
    expect(readFileSync(join(evidence, 'served-again-3.txt'), 'utf8')).toBe(noteAt(honest, 997))
  })

  it('keeps evidence once if the monitor is started again', async () => {
    for (let i = 0; i < 3; i++) expect(await run(serverOf(forked, 1500))).toBe(11)
    expect(readdirSync(join(dir, 'evidence'))).toHaveLength(1)
    expect(await run(serverOf(forked, 1501))).toBe(11)
    expect(readdirSync(join(dir, 'evidence'))).toHaveLength(2)
  })

  it('is raised for a note that is not UTF-8, which is kept byte for byte', async () => {
    const bytes = Buffer.concat([
      Buffer.from(`${noteAt(honest, 1500)}— `),
      Buffer.of(0xe9),
      Buffer.from('x AAAAAAAAAAA=\n'),
    ])
    const server = serverOf(honest, 1500)
    server.change = () => new Response(new Uint8Array(bytes))
    expect(await run(server)).toBe(20)
    expect(alarm()).toMatchObject({ code: 20, message: 'the note is not UTF-8 text' })
    expect(readFileSync(join(String(alarm()['evidence']), 'served.txt'))).toEqual(bytes)
    expect(kept()).toBe(`${noteAt(honest, 1000)}\n`)
  })

  it('is raised for a fork that is shown once, and taken back', async () => {
    const server = serverOf(forked, 1500)
    let asked = 0
    server.note = () => noteAt(asked++ === 0 ? forked : honest, 1500)
    expect(await run(server)).toBe(11)
    expect(asked).toBe(1)
  })

  it.each([
    [1500, 'the log has two roots for its first 1500 records'],
    [1600, 'the first 1500 records of the log are not those that it had'],
    [1400, 'the log has 1400 records, and had 1500'],
    [1000, 'the log has 1000 records, and had 1500'],
  ])('is raised for a fork without tiles, when the log shows %i other records later', async (size, message) => {
    const silent = serverOf(forked, 1500)
    silent.change = (path) => (path.startsWith('tile/') ? new Response(null, { status: 404 }) : null)
    expect(await run(silent)).toBe(2)
    expect(kept()).toBe(`${noteAt(honest, 1000)}\n`)
    expect(await run(serverOf(honest, size))).toBe(11)
    expect(alarm()).toMatchObject({ message })
    const evidence = String(alarm()['evidence'])
    expect(readFileSync(join(evidence, 'served-before-1.txt'), 'utf8')).toBe(noteAt(forked, 1500))
    expect(readFileSync(join(evidence, 'served.txt'), 'utf8')).toBe(noteAt(honest, size))
  })

  it('is not raised when tiles come later', async () => {
    for (const size of [1400, 1400, 1500]) {
      const silent = serverOf(honest, size)
      silent.change = (path) => (path.startsWith('tile/') ? new Response(null, { status: 404 }) : null)
      expect(await run(silent)).toBe(2)
    }
    expect(acceptedNotes(dir).unproved()).toEqual([noteAt(honest, 1400), noteAt(honest, 1500)])
    expect(await run(serverOf(honest, 1600))).toBe(0)
    expect(acceptedNotes(dir).unproved()).toEqual([])
    expect(acceptedNotes(dir).last()).toBe(noteAt(honest, 1600))
  })

  it('keeps a thousand notes without tiles at most: the first ones and the newest', async () => {
    const notes = Array.from({ length: 1000 }, (_, n) => noteAt(honest, n + 1))
    writeFileSync(join(dir, 'unproved.txt'), notes.map((note) => `${note}\n`).join(''))
    await acceptedNotes(dir).keepUnproved(noteAt(honest, 1500))
    expect(acceptedNotes(dir).unproved()).toEqual([...notes.slice(0, 999), noteAt(honest, 1500)])
    acceptedNotes(dir).dropUnproved()
  })

  it('keeps a megabyte of notes without tiles at most', async () => {
    const long = (n: number): string => `${noteAt(honest, n)}${`— x ${'A'.repeat(200_000)}\n`}`
    for (let n = 1; n <= 10; n++) await acceptedNotes(dir).keepUnproved(long(n))
    expect(acceptedNotes(dir).unproved()).toEqual([1, 2, 3, 4, 10].map(long))
    expect(readFileSync(join(dir, 'unproved.txt')).length).toBeLessThan(1_048_576 + 100)
  })

  it.each([0, 17, 2000])('is raised for a tile with a wrong byte %i', async (at) => {
    const server = serverOf(honest, 1500)
    server.change = (path, bytes) => {
      if (!path.startsWith('tile/0/003')) return null
      const changed = new Uint8Array(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      return new Response(changed)
    }
    expect(await run(server)).toBe(11)
    expect(kept()).toBe(`${noteAt(honest, 1000)}\n`)
  })

  it('is raised for another origin, key or signature', async () => {
    const other = await logKey(ORIGIN, 9)
    const server = serverOf(honest, 1500)
    server.note = () => noteAt(honest, 1500, { signers: [other] })
    expect(await run(server)).toBe(14)
    server.note = () => noteAt(honest, 1500).replace('\n1500\n', '\n1501\n')
    expect(await run(server)).toBe(14)
    server.note = () => 'Not a log'
    expect(await run(server)).toBe(20)
    const elsewhere = await logKey('elsewhere.example', 5)
    const text = checkpointText({ origin: 'elsewhere.example', size: 1500, root: honest.rootAt(1500) })
    server.note = () => signedNote(text, [elsewhere.sign(text)])
    expect(await run(server, { trust: { keys: [key.vkey, elsewhere.vkey], policy: null } })).toBe(11)
  })
})

it('an alarm prints no control characters of a log', async () => {
  const server = serverOf(honest, 300)
  server.note = () => noteAt(honest, 300).replace(ORIGIN, 'a\u202eb\u0085c')
  expect(await run(server)).toBe(14)
  expect(printed.at(-1)).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  expect(alarm()['message']).toContain('a\u202eb')
})

describe('a policy', () => {
  const trust = async () => ({
    keys: [],
    policy: await parsePolicy(`log ${key.vkey.text}\nwitness w ${witness.vkey.text}\nquorum w\n`, nodeCrypto),
  })
  const cosigned = (at: number): Server => ({
    ...serverOf(honest, 300),
    note: () => noteAt(honest, 300, { cosigned: true, at }),
  })

  it('asks for the newest checkpoint with a quorum, and needs it', async () => {
    expect(await run(cosigned(NOW / 1000), { trust: await trust() })).toBe(0)
    expect(requests).toEqual(['checkpoint?cosigned=true'])
    expect(await run(serverOf(honest, 300), { trust: await trust() })).toBe(15)
  })

  it('does not accept a frozen view: cosignatures may not be older than --max-age', async () => {
    expect(await run(cosigned(NOW / 1000 - 3600), { trust: await trust() })).toBe(0)
    now = NOW
    expect(await run(cosigned(NOW / 1000 - 3601), { trust: await trust() })).toBe(15)
    expect(alarm()).toMatchObject({ code: 15, message: expect.stringContaining('--max-age') as string })
  })
})

it('an empty log has the root of the empty tree', async () => {
  const server = serverOf(honest, 0)
  expect(await run(server)).toBe(0)
  rmSync(dir, { recursive: true })
  const text = checkpointText({ origin: ORIGIN, size: 0, root: honest.rootAt(3) })
  server.note = () => signedNote(text, [key.sign(text)])
  expect(await run(server)).toBe(11)
  expect(acceptedNotes(dir).last()).toBeNull()
})

it('a rotation of witnesses needs recent cosignatures by each key of the policy, also of one name', async () => {
  const other = await witnessKey('witness.example/w1', 4)
  const policy = await parsePolicy(
    `log ${key.vkey.text}\nwitness old ${witness.vkey.text}\nwitness new ${other.vkey.text}\ngroup both all old new\nquorum both\n`,
    nodeCrypto,
  )
  const server = serverOf(honest, 300)
  const signedAt = (old: number, recent: number): void => {
    const text = checkpointText({ origin: ORIGIN, size: 300, root: honest.rootAt(300) })
    server.note = () => signedNote(text, [key.sign(text), witness.sign(text, old), other.sign(text, recent)])
  }
  signedAt(NOW / 1000, NOW / 1000)
  expect(await run(server, { trust: { keys: [], policy } })).toBe(0)
  // A new signature of the second key makes a new note, although the first key signed at that time.
  signedAt(NOW / 1000, NOW / 1000 - 1)
  expect(await run(server, { trust: { keys: [], policy } })).toBe(0)
  expect(acceptedNotes(dir).last()).toBe(server.note())
  signedAt(NOW / 1000 - 90_000, NOW / 1000)
  expect(await run(server, { trust: { keys: [], policy } })).toBe(15)
})

describe('an address without a path', () => {
  const SITE = 'https://results.example'
  /** Serves a log at `at`, and something else at all other addresses. */
  const siteOf = (at: string, elsewhere: () => Response, asked: string[] = []) =>
    logClient(`${SITE}/`, null, {
      send: async (input) => {
        const { url } = new Request(input)
        asked.push(url.slice(SITE.length))
        return url.startsWith(`${SITE}${at}/checkpoint`) ? new Response(noteAt(honest, 10)) : elsewhere()
      },
      deadline: () => new AbortController().signal,
    })
  const page = (): Response => new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } })

  it.each([
    ['a page', page],
    ['404', () => new Response(null, { status: 404 })],
  ])('that answers with %s may be the one of a service, whose log is read', async (_, elsewhere) => {
    const asked: string[] = []
    const log = siteOf('/api/v1/log', elsewhere, asked)
    expect((await log.checkpoint(false)).toString()).toBe(noteAt(honest, 10))
    await log.checkpoint(true)
    expect(asked).toEqual(['/checkpoint', '/api/v1/log/checkpoint', '/api/v1/log/checkpoint?cosigned=true'])
  })

  it('may be a log itself', async () => {
    const asked: string[] = []
    await siteOf('', page, asked).checkpoint(false)
    expect(asked).toEqual(['/checkpoint'])
  })

  it('that is neither is named as it was given', async () => {
    await expect(siteOf('/nowhere', page).checkpoint(false)).rejects.toThrow(`${SITE} is not a log`)
    const closed = logClient(SITE, null, {
      send: async (input) => (new Request(input).url.includes('/api/') ? new Response(null, { status: 401 }) : page()),
      deadline: () => new AbortController().signal,
    })
    await expect(closed.checkpoint(false)).rejects.toThrow(`${SITE}/api/v1/log/checkpoint answers with status 401`)
  })
})

describe('an address or a token that is wrong', () => {
  const ANSWERS: ReadonlyArray<readonly [string, string, () => Response]> = [
    [
      'a page',
      `${BASE} is not a log: its address ends in /api/v1/log`,
      () => new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } }),
    ],
    ['a page without type', 'is not a log', () => new Response(Buffer.from('\n <html>'))],
    ['JSON', 'is not a log', () => Response.json({ name: 'another API' })],
    ['a text of type HTML', 'is not a log', () => new Response('Hello', { headers: { 'content-type': 'text/html' } })],
    ['401', 'the token is not valid', () => new Response(null, { status: 401 })],
    [
      '403',
      'only admins may read this log: use the token of an admin, or SERVICE_CHECKPOINT_ACCESS=read or public on the server',
      () => new Response(null, { status: 403 }),
    ],
  ]

  it.each(ANSWERS)('is no alarm, and ends a monitor that has no note yet: %s', async (_, message, answer) => {
    const server = serverOf(honest, 1000)
    server.change = answer
    expect(await run(server, { once: false })).toBe(2)
    expect([printed, waits]).toEqual([[], []])
    expect(warned).toEqual([expect.stringContaining(message)])
    expect(readdirSync(dir)).toEqual(['checkpoints'])
  })

  it('is asked again by a monitor that has a note', async () => {
    expect(await run(serverOf(honest, 1000))).toBe(0)
    const server = serverOf(honest, 1000)
    server.change = () => Response.json({ error: 'away' })
    expect(await run(server, { once: false })).toBe(15)
    expect(alarm()).toMatchObject({ alarm: 'unavailable', code: 15 })
  })

  it('asks for a token where none was given', async () => {
    const log = logClient(BASE, null, {
      send: async () => new Response(null, { status: 401 }),
      deadline: () => new AbortController().signal,
    })
    await expect(log.checkpoint(false)).rejects.toThrow('401: give a token with --token-file')
  })

  it('is not a note, whatever its type is', async () => {
    const server = serverOf(honest, 1000)
    server.change = (_, bytes) =>
      new Response(new Uint8Array(bytes), { headers: { 'content-type': 'application/json' } })
    expect(await run(server)).toBe(0)
  })
})

describe('ers monitor', () => {
  const monitor = (...args: readonly string[]) =>
    spawnSync(process.execPath, [PROGRAM, 'monitor', ...args, '--dir', dir, '--key', key.vkey.text, '--once'], {
      env: bareEnvironment(),
      encoding: 'utf8',
    })

  it('does not print what an address has of a password', () => {
    for (const address of [
      'https://me:secret@results.example/api/v1/log',
      'ftp://me:secret@results.example',
      'secret',
    ]) {
      const { status, stdout, stderr } = monitor(address)
      expect([status, stdout]).toEqual([2, ''])
      expect(stderr).toContain('address')
      expect(stderr).not.toContain('secret')
    }
  })

  it('sends the token of --token-file, else SERVICE_TOKEN, but only to the service that it is for', async () => {
    const tokens: (string | undefined)[] = []
    const http = createServer((request, response) => {
      tokens.push(request.headers.authorization)
      response.end(noteAt(honest, 300))
    })
    await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve))
    const own = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
    writeFileSync(join(dir, 'token'), 'of the file\n')
    const file = ['--token-file', join(dir, 'token')]
    for (const [server, args] of [
      [own, []],
      ['http://127.0.0.1:1', []],
      ['', []],
      [own, file],
      ['http://127.0.0.1:1', file],
    ] as const)
      await promisify(execFile)(
        process.execPath,
        [PROGRAM, 'monitor', `${own}/api/v1/log`, '--dir', dir, '--key', key.vkey.text, '--once', ...args],
        { env: { ...bareEnvironment(), SERVICE_TOKEN: 'of the environment', SERVICE_SERVER_URL: server } },
      )
    http.close()
    expect(tokens).toEqual([
      'Bearer of the environment',
      undefined,
      undefined,
      'Bearer of the file',
      'Bearer of the file',
    ])
  })

  it('says what is kept if a push fails', async () => {
    const git = (...args: readonly string[]) => execFileSync('git', ['-C', dir, ...args], { stdio: 'pipe' })
    git('init', '--quiet')
    for (const [name, value] of [
      ['user.name', 'spec'],
      ['user.email', 'spec@example.org'],
    ] as const)
      git('config', name, value)
    await run(serverOf(honest, 300))
    await publish(dir, 300, (line) => void warned.push(line))
    expect(warned).toEqual([expect.stringMatching(/^kept and committed, not pushed: git push in /)])
    expect(git('log', '--format=%s').toString()).toBe('Checkpoint of 300 records\n')
    await publish(dir, 300, (line) => void warned.push(line))
    expect(warned.at(-1)).toMatch(/^kept, not committed: git commit in /)
  })
})

describe('a log that does not answer', () => {
  const ANSWERS: ReadonlyArray<readonly [string, (bytes: Buffer) => Response]> = [
    ['with an error', () => new Response('no', { status: 503 })],
    ['with a redirect', () => new Response(null, { status: 302, headers: { location: 'https://other.example' } })],
    ['with too few bytes', (bytes) => new Response(new Uint8Array(bytes.subarray(1)))],
    ['with too many bytes', (bytes) => new Response(new Uint8Array(Buffer.concat([bytes, Buffer.alloc(1)])))],
    ['without end', () => new Response(new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(65_536)) }))],
    [
      'with a broken body',
      () => new Response(new ReadableStream({ pull: (to) => to.error(new Error('connection lost')) })),
    ],
  ]

  it.each(ANSWERS)('is not an alarm: tiles %s', async (_, answer) => {
    await run(serverOf(honest, 1000))
    const server = serverOf(honest, 1500)
    server.change = (path, bytes) => (path.startsWith('tile/') ? answer(bytes) : null)
    expect(await run(server)).toBe(2)
    expect(warned).toHaveLength(1)
    expect(kept()).toBe(`${noteAt(honest, 1000)}\n`)
  })

  it('is not an alarm: a checkpoint without end, or too slow', async () => {
    const server = serverOf(honest, 1000)
    server.change = () => new Response(new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(65_536)) }))
    expect(await run(server)).toBe(2)
    const slow = logClient(BASE, null, {
      send: (_, init) =>
        new Promise((_resolve, reject) => {
          const fail = () => reject(new Error('the time is up'))
          if (init?.signal?.aborted) fail()
          else init?.signal?.addEventListener('abort', fail)
        }),
      deadline: () => AbortSignal.abort(),
    })
    await expect(slow.checkpoint(false)).rejects.toBeInstanceOf(LogUnavailable)
  })

  it('is asked again, until it has not answered for --max-age', async () => {
    const server = serverOf(honest, 1000)
    server.change = () => new Response('no', { status: 503 })
    expect(await run(server, { once: false })).toBe(15)
    expect(warned).toHaveLength(62)
    expect(alarm()).toMatchObject({ alarm: 'unavailable', code: 15 })
  })

  it('ends at a stop', async () => {
    let polls = 0
    expect(await run(serverOf(honest, 1000), { once: false, isStopped: () => polls++ === 2 })).toBe(0)
    expect(waits).toEqual([60_000, 60_000])
  })

  it('is not hidden by a changed folder: the accepted note is checked again', async () => {
    await run(serverOf(honest, 1000))
    writeFileSync(
      join(dir, 'checkpoints', '2026-05.txt'),
      `${noteAt(honest, 1000, { signers: [await logKey(ORIGIN, 8)] })}\n`,
    )
    await expect(run(serverOf(honest, 1500))).rejects.toMatchObject({ code: 14 })
  })
})

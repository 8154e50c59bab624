import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkCheckpoint } from '../../../../domain/proof/check.ts'
import { parseVkey } from '../../../../domain/proof/keys.ts'
import { parsePolicy } from '../../../../domain/proof/policy.ts'
import { parseProof } from '../../../../domain/proof/tlog-proof.ts'
import { SYSTEM } from '../../../../queries/access/viewer.ts'
import type { CheckpointList } from '../../../../queries/log/checkpoints.ts'
import type { CosignedCheckpoint } from '../../../../runtime/proof/signer.ts'
import { nodeCrypto } from '../../../../storage/log/proof-crypto.ts'
import { aDocument } from '../../../support/documents/documents.ts'
import { naiveConsistency, naivePath, naiveRoot } from '../../../support/proof/naive-tree.ts'
import { openSigningApp, type SigningApp } from '../../../support/proof/signing-app.ts'
import { openApp } from '../../../support/servers/app.ts'

const NOW = Date.UTC(2026, 4, 5)
const FIRST_SIZE = 300
const SIZE = 700

let app: SigningApp
let clock = NOW
let first: CosignedCheckpoint
let newest: CosignedCheckpoint
/** The leaves of the log, also those that no checkpoint covers. */
let leaves: Buffer[]
beforeAll(async () => {
  app = await openSigningApp({ now: () => clock })
  const { spec } = app
  const growTo = async (size: number): Promise<void> => {
    const missing = size - (await spec.service.head()).size
    const rebuilt = Array.from({ length: missing }, (_, position) => ({ name: 'runs', version: 1, position }))
    await spec.service.commit.recordRebuild(SYSTEM, { instance: 'i', rebuilt })
  }
  await growTo(FIRST_SIZE)
  first = await app.sign()
  clock += 2_000
  await growTo(SIZE)
  newest = await app.sign()
  await app.cosign(first)
  await growTo(SIZE + 100)
  leaves = (await spec.column('SELECT leaf FROM events ORDER BY seq')).map((leaf) => Buffer.from(leaf as Buffer))
  expect([first.size, newest.size, leaves.length]).toEqual([FIRST_SIZE, SIZE, SIZE + 100])
})
afterAll(() => app.spec.close())

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  app.spec.sendAs('admin')('GET', `/log${path}`, { headers })
const refusal = async (path: string): Promise<readonly [number, string]> => {
  const answer = await get(path)
  return [answer.statusCode, answer.json<{ error: string }>().error]
}
const keys = async () => [await parseVkey(app.vkeys.log, nodeCrypto)]

it('GET /log/keys gives the keys that sign, one a line, to everyone', async () => {
  const answer = await app.spec.sendAs(null)('GET', '/log/keys')
  expect([answer.statusCode, answer.body]).toEqual([200, `${app.vkeys.log}\n`])
  expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8')
})

describe('what a checkpoint covers', () => {
  it('is read where the checkpoint is, although other reads use a standby that lacks it', async () => {
    let isLagging = false
    const lagging = await openSigningApp({
      parts: ({ reader }) => ({
        reader: {
          dialect: reader.dialect,
          read: (query) => (isLagging ? Promise.reject(new Error('read from the standby')) : reader.read(query)),
          readAll: (queries) =>
            isLagging ? Promise.reject(new Error('read from the standby')) : reader.readAll(queries),
        },
      }),
    })
    const { size } = await lagging.sign()
    isLagging = true
    const paths = [
      'checkpoint',
      'checkpoints',
      `checkpoints/${size}`,
      `tile/0/000.p/${size}`,
      `tile/entries/000.p/${size}`,
      'proof/0',
      `proof/0?size=${size}`,
      `consistency?from=1&to=${size}`,
    ]
    for (const path of paths) {
      const { statusCode, body } = await lagging.spec.sendAs('admin')('GET', `/log/${path}`)
      expect([path, statusCode], body).toEqual([path, 200])
    }
    isLagging = false
    await lagging.spec.close()
  })

  it('is no bundle of entries if one is missing', async () => {
    const damaged = await openSigningApp()
    const { size } = await damaged.sign()
    for (const table of ['event_bodies', 'events']) {
      const trigger = table === 'events' ? 'events_no_delete' : 'event_bodies_erased_only'
      await damaged.spec.execute(`DROP TRIGGER ${trigger}`)
      await damaged.spec.execute(`DELETE FROM ${table} WHERE seq = 2`)
    }
    const { statusCode, headers } = await damaged.spec.sendAs('admin')('GET', `/log/tile/entries/000.p/${size}`)
    expect([statusCode, headers['cache-control']]).toEqual([500, 'private, no-cache'])
    await damaged.spec.close()
  })
})

it('a log that is not what was signed has no checkpoints, proofs and receipts any more, and everything else', async () => {
  const own = await openSigningApp()
  const { size, note } = await own.sign()
  const other = note.replace(/\n[^\n]{44}\n/, `\n${Buffer.alloc(32, 7).toString('base64')}\n`)
  await own.spec.execute(`UPDATE checkpoints SET note = '${other}'`)
  await own.spec.ingest(aDocument({ run_id: 'later' }))
  const send = own.spec.sendAs('admin')
  for (const path of [
    '/runs/later/receipt',
    '/log/checkpoint',
    '/log/proof/0',
    '/log/tile/0/000.p/1',
    `/log/consistency?from=1&to=${size}`,
  ]) {
    const { statusCode, headers } = await send('GET', path)
    expect([path, statusCode, headers['retry-after']]).toEqual([path, 503, '1'])
  }
  expect((await send('GET', '/runs/later')).statusCode).toBe(200)
  await own.spec.close()
})

describe('GET /log/checkpoint', () => {
  it('gives the newest, signed', async () => {
    const answer = await get('/checkpoint')
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8')
    const checked = await checkCheckpoint(answer.body, { keys: await keys(), policy: null }, nodeCrypto)
    expect(checked).toMatchObject({ size: SIZE, witnesses: [] })
    expect(Buffer.from(checked.root)).toEqual(naiveRoot(leaves.slice(0, SIZE)))
  })

  it('gives the newest that meets the policy, if asked', async () => {
    const policy = await parsePolicy(app.policy, nodeCrypto)
    const answer = await get('/checkpoint?cosigned=true')
    expect(await checkCheckpoint(answer.body, { keys: await keys(), policy }, nodeCrypto)).toMatchObject({
      size: FIRST_SIZE,
      witnesses: [{ name: 'witness.example/w1' }],
    })
  })

  it('is 404 if there is none yet', async () => {
    const young = await openSigningApp()
    const none = await young.spec.sendAs('admin')('GET', '/log/checkpoint?cosigned=true')
    expect([none.statusCode, none.json()]).toEqual([404, { error: 'no checkpoint has enough cosignatures yet' }])
    await young.spec.close()
  })
})

describe('GET /log/checkpoints', () => {
  it('lists the largest first, with witnesses, page by page', async () => {
    const list = (await get('/checkpoints')).json<{ checkpoints: Array<Record<string, unknown>> }>()
    expect(list.checkpoints.slice(0, 2)).toEqual([
      {
        size: SIZE,
        root: naiveRoot(leaves.slice(0, SIZE)).toString('base64'),
        signed_at: '2026-05-05T00:00:02+00:00',
        note: newest.note,
        cosigned_by: [],
      },
      {
        size: FIRST_SIZE,
        root: naiveRoot(leaves.slice(0, FIRST_SIZE)).toString('base64'),
        signed_at: '2026-05-05T00:00:00+00:00',
        note: first.note,
        cosigned_by: [{ name: 'witness.example/w1', at: '2026-05-04T09:01:40+00:00' }],
      },
    ])
    const page = (await get('/checkpoints?limit=1')).json<{ next_cursor: string }>()
    const rest = (await get(`/checkpoints?limit=1&cursor=${page.next_cursor}`)).json<{ checkpoints: object[] }>()
    expect(rest.checkpoints).toEqual([list.checkpoints[1]])
    expect((await get('/checkpoints?cursor=nonsense')).json()).toEqual(list)
  })

  it('lists whatever time a witness has signed', async () => {
    const young = await openSigningApp()
    const checkpoint = await young.sign()
    const witness = async () => {
      const { checkpoints } = (await young.spec.sendAs('admin')('GET', '/log/checkpoints')).json<CheckpointList>()
      return checkpoints[0]!.cosigned_by
    }
    const wrong = (at: number) => ({
      size: checkpoint.size,
      key_name: `w${at}`,
      key_id: '00000000',
      line: '— w AAAAAAAA',
      at,
    })
    const { size } = checkpoint
    await young.spec.service.commit.keepCosignatures(SYSTEM, {
      size,
      cosignatures: [0, 2 ** 50, 253_402_300_800].map(wrong),
    })
    expect(await witness()).toEqual([])
    await young.cosign(checkpoint)
    expect(await witness()).toMatchObject([{ name: 'witness.example/w1' }])
    // Only witnesses of the policy are written behind the note.
    for (const path of [`/log/checkpoints/${size}`, '/log/checkpoint', `/log/proof/0?size=${size}`])
      expect((await young.spec.sendAs('admin')('GET', path)).body.match(/^— w/gm)).toHaveLength(1)
    await young.spec.close()
  })

  it('gives the one of a size with its cosignatures', async () => {
    expect((await get(`/checkpoints/${FIRST_SIZE}`)).body).toBe((await get('/checkpoint?cosigned=true')).body)
    for (const size of ['0', '299', 'x', '0300', '99999999999999999999'])
      expect(await refusal(`/checkpoints/${size}`)).toEqual([404, 'checkpoint not found'])
  })
})

describe('GET /log/tile', () => {
  it('gives the hashes of full and partial tiles up to the newest checkpoint', async () => {
    const of = (from: number, to: number): Buffer => Buffer.concat(leaves.slice(from, to))
    for (const [path, bytes] of [
      ['0/000', of(0, 256)],
      ['0/001', of(256, 512)],
      ['0/002.p/188', of(512, 700)],
      ['0/002.p/1', of(512, 513)],
      ['0/000.p/255', of(0, 255)],
      ['1/000.p/2', Buffer.concat([naiveRoot(leaves.slice(0, 256)), naiveRoot(leaves.slice(256, 512))])],
    ] as const) {
      const answer = await get(`/tile/${path}`)
      expect([answer.statusCode, answer.headers['content-type']], path).toEqual([200, 'application/octet-stream'])
      expect(answer.rawPayload.equals(bytes), path).toBe(true)
    }
  })

  it.each(['0/002', '0/002.p/189', '0/003', '1/000', '1/000.p/3', '2/000.p/1', '63/000', '0/x999/x999/999'])(
    'is 404 beyond the newest checkpoint: %s',
    async (path) => {
      expect(await refusal(`/tile/${path}`)).toEqual([404, 'tile not found'])
    },
  )

  it.each([
    '0/0',
    '0/0000',
    '0/x000/000',
    '0/001/000',
    '0/x01/000',
    '0/000.p/0',
    '0/000.p/01',
    '0/000.p/256',
    '0/000.p/999',
    '0/000.p/',
    '0/000/',
    '0/000.p',
    '0/-01',
    'entries/0',
    'entries/000.p/256',
    `0/${'x999/'.repeat(6)}999`,
  ])('is 400 for a malformed number: %s', async (path) => {
    expect(await refusal(`/tile/${path}`)).toEqual([400, expect.stringContaining('x001/x234/067')])
  })

  it.each(['64', '00', '-1', 'x', '1e1', '100'])('is 400 for the level %s', async (level) =>
    expect(await refusal(`/tile/${level}/000`)).toEqual([400, 'the level of a tile must be a number from 0 to 63']),
  )

  it('gives entries that hash to the leaves, each after its length', async () => {
    const entriesOf = (bytes: Buffer): Buffer[] => {
      const entries: Buffer[] = []
      for (let at = 0; at < bytes.length;) {
        const end = at + 2 + bytes.readUInt16BE(at)
        entries.push(bytes.subarray(at + 2, end))
        at = end
      }
      return entries
    }
    for (const [path, from, to] of [
      ['000', 0, 256],
      ['002.p/188', 512, 700],
    ] as const) {
      const entries = entriesOf((await get(`/tile/entries/${path}`)).rawPayload)
      const hashes = entries.map((entry) => createHash('sha256').update(Uint8Array.of(0)).update(entry).digest())
      expect(Buffer.concat(hashes).equals(Buffer.concat(leaves.slice(from, to)))).toBe(true)
      expect(Object.keys(JSON.parse(String(entries[0])) as object)).toEqual(['commitment', 'recorded_at', 'type'])
    }
    expect(await refusal('/tile/entries/002.p/189')).toEqual([404, 'tile not found'])
  })
})

it('an entry bundle is compressed for who accepts it', async () => {
  for (const path of ['/tile/entries/000', '/tile/entries/002.p/188']) {
    const plain = await get(path)
    expect([plain.headers['content-encoding'], plain.headers['vary']]).toEqual([
      undefined,
      expect.stringContaining('Accept-Encoding'),
    ])
    const zipped = await get(path, { 'accept-encoding': 'br, gzip' })
    expect([zipped.statusCode, zipped.headers['content-encoding']]).toEqual([200, 'gzip'])
    expect(zipped.headers['content-type']).toBe('application/octet-stream')
    expect(zipped.headers['cache-control']).toBe(plain.headers['cache-control'])
    expect(zipped.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2)
    expect(gunzipSync(zipped.rawPayload).equals(plain.rawPayload)).toBe(true)
    const { etag } = zipped.headers
    expect(etag).not.toBe(plain.headers['etag'])
    const held = await get(path, { 'accept-encoding': 'gzip', 'if-none-match': String(etag) })
    expect([held.statusCode, held.body]).toEqual([304, ''])
    expect((await get(path, { 'accept-encoding': 'gzip;q=0' })).rawPayload.equals(plain.rawPayload)).toBe(true)
  }
})

it.each(['0/000%2Ep/1', '0/000.p%2F1', '0/%3000', '%30/000', 'entries/000%2Ep/1', '%65ntries/000'])(
  'a tile has one address, which is not %s',
  async (path) => {
    expect(await refusal(`/tile/${path}`)).toEqual([404, 'tile not found'])
  },
)

it('an empty number of a tile is no route', async () => {
  for (const path of ['/tile/0/', '/tile/entries/', '/tile/0'])
    expect(await refusal(path), path).toEqual([404, 'route not found'])
})

describe('GET /log/proof/{index}', () => {
  it('proves the record of an index under the newest checkpoint, or a kept one', async () => {
    for (const [index, query, { size, note }] of [
      [0, '', newest],
      [511, '', newest],
      [699, '', newest],
      [299, `?size=${FIRST_SIZE}`, first],
    ] as const) {
      const { extra, index: proven, path, checkpoint } = parseProof((await get(`/proof/${index}${query}`)).body)
      expect([extra, proven]).toEqual([null, index])
      expect(path.map((hash) => Buffer.from(hash))).toEqual(naivePath(index, leaves.slice(0, size)))
      expect(checkpoint.startsWith(note)).toBe(true)
    }
  })

  it('is also JSON', async () => {
    const proof = (await get('/proof/299?size=300', { accept: 'text/html, application/json;q=0.9' })).json<object>()
    expect(proof).toEqual({
      index: 299,
      size: FIRST_SIZE,
      root: naiveRoot(leaves.slice(0, FIRST_SIZE)).toString('base64'),
      leaf: leaves[299]?.toString('base64'),
      proof: naivePath(299, leaves.slice(0, FIRST_SIZE)).map((hash) => hash.toString('base64')),
      checkpoint: (await get(`/checkpoints/${FIRST_SIZE}`)).body,
    })
  })

  it('is 404 for a record that the checkpoint does not cover, and for a checkpoint that is not kept', async () => {
    for (const path of ['700', '300?size=300', 'x', '01', '-1', '99999999999999999999'])
      expect(await refusal(`/proof/${path}`), path).toEqual([404, 'record not found'])
    for (const size of ['299', '0', '999999'])
      expect(await refusal(`/proof/0?size=${size}`)).toEqual([404, 'checkpoint not found'])
    for (const size of ['x', '-1', '01', '1.0', ''])
      expect(await refusal(`/proof/0?size=${size}`)).toEqual([400, 'size: must be a number of records'])
  })
})

describe('GET /log/consistency', () => {
  it('proves that one log begins another', async () => {
    for (const [from, to] of [
      [1, 1],
      [1, 700],
      [256, 512],
      [300, 700],
      [700, 700],
    ] as const)
      expect((await get(`/consistency?from=${from}&to=${to}`)).json()).toEqual({
        from,
        to,
        from_root: naiveRoot(leaves.slice(0, from)).toString('base64'),
        to_root: naiveRoot(leaves.slice(0, to)).toString('base64'),
        proof: naiveConsistency(from, leaves.slice(0, to)).map((hash) => hash.toString('base64')),
      })
  })

  it.each([
    ['from=0&to=1', 'from: must be 1 or more'],
    ['from=2&to=1', 'to: must not be less than from'],
    ['from=1&to=701', 'to: must be at most 700, the size of the newest checkpoint'],
    ['from=x&to=1', 'from: must be a number of records'],
    ['from=01&to=1', 'from: must be a number of records'],
    ['from=1&to=', 'to: must be a number of records'],
  ])('is 400 for %s', async (query, error) => {
    expect(await refusal(`/consistency?${query}`)).toEqual([400, error])
  })

  it('is 400 without both sizes', async () => {
    for (const query of ['', '?from=1', '?to=1', '?from=1&from=1&to=1'])
      expect((await get(`/consistency${query}`)).statusCode).toBe(400)
  })
})

/** Every read of the log that is not about single records. */
const HASHES = [
  '/log/checkpoint',
  '/log/checkpoints',
  `/log/checkpoints/${FIRST_SIZE}`,
  '/log/tile/0/000',
  '/log/tile/0/002.p/188',
  '/log/proof/0',
  '/log/consistency?from=1&to=2',
]
const RECORDS = ['/log/tile/entries/000', '/log/tile/entries/002.p/188', '/log/records/1/receipt']

describe('answers of the log', () => {
  const IMMUTABLE = 'max-age=31536000, immutable'
  it('say how long they may be kept', async () => {
    const rules = async (path: string) => {
      const { 'cache-control': control, vary, etag } = (await get(path.slice('/log'.length))).headers
      return [control, vary, typeof etag]
    }
    const vary = 'Authorization, Cookie, Accept-Encoding'
    for (const path of ['/log/tile/0/000', '/log/tile/entries/000'])
      expect(await rules(path), path).toEqual([`private, ${IMMUTABLE}`, vary, 'string'])
    for (const path of [...HASHES.filter((path) => !/\/000$|proof/.test(path)), '/log/tile/entries/002.p/188'])
      expect(await rules(path), path).toEqual(['private, no-cache', vary, 'string'])
    expect(await rules('/log/proof/0')).toEqual(['private, no-cache', `${vary}, Accept`, 'string'])
    expect(await rules('/log/tile/0/009')).toEqual(['private, no-cache', vary, 'undefined'])
  })

  it('are 304 for who has them', async () => {
    for (const path of ['/checkpoint', '/tile/0/000', '/tile/entries/000', '/proof/0']) {
      const { etag } = (await get(path)).headers
      expect((await get(path, { 'if-none-match': String(etag) })).statusCode, path).toBe(304)
    }
  })

  it('may be kept by shared caches where they are public, but never entries', async () => {
    const open = await openSigningApp({ proof: { checkpointAccess: 'public', receipts: 'uploader' } })
    await open.sign()
    const { size } = await open.spec.service.head()
    const rules = async (path: string) => {
      const { statusCode, headers } = await open.spec.sendAs('admin')('GET', `/log${path}`)
      expect(statusCode, path).toBe(200)
      return [headers['cache-control'], headers['vary']]
    }
    for (const path of ['/checkpoint', `/tile/0/000.p/${size}`, '/checkpoints', '/consistency?from=1&to=1'])
      expect(await rules(path), path).toEqual(['public, max-age=5', 'Accept-Encoding'])
    expect(await rules('/proof/0')).toEqual(['public, max-age=5', 'Accept-Encoding, Accept'])
    for (const path of [`/tile/entries/000.p/${size}`])
      expect(await rules(path), path).toEqual(['private, no-cache', 'Authorization, Cookie, Accept-Encoding'])
    await open.spec.close()
  })
})

describe('access to the log', () => {
  const MODES = ['open', 'protect-writes', 'closed'] as const
  const FOR_ADMINS = 'insufficient scope: this read is for admins'

  it.each(MODES)('is as SERVICE_CHECKPOINT_ACCESS says in %s mode', async (mode) => {
    for (const checkpointAccess of ['admin', 'read', 'public'] as const) {
      const { spec, sign } = await openSigningApp({ mode, proof: { checkpointAccess, receipts: 'uploader' } })
      await sign()
      const viewer = await spec.addUser('viewer', 'viewer')
      const admin = await spec.addUser('admin', 'admin')
      const statuses = async (path: string) => {
        const callers = [spec.sendAs(null), viewer.send, spec.sendAs('write'), admin.send, spec.sendAs('admin')]
        return Promise.all(callers.map(async (send) => (await send('GET', path)).statusCode))
      }
      const refused = mode === 'closed' || mode === 'protect-writes' ? 401 : 403
      const forAdmins = [refused, 403, 403, 200, 200]
      const anonymous = checkpointAccess === 'public' || mode !== 'closed' ? 200 : 401
      const expected = checkpointAccess === 'admin' ? forAdmins : [anonymous, 200, 200, 200, 200]
      for (const path of [
        '/log/checkpoint',
        '/log/checkpoints',
        '/log/tile/0/000.p/1',
        '/log/proof/0',
        '/log/consistency?from=1&to=1',
      ])
        expect(await statuses(path), `${path} with ${checkpointAccess}`).toEqual(expected)
      for (const path of ['/log/tile/entries/000.p/1', '/log/records/1/receipt'])
        expect(await statuses(path), `${path} with ${checkpointAccess}`).toEqual(forAdmins)
      if (mode === 'open') {
        const answer = await spec.sendAs('write')('GET', '/log/tile/entries/000.p/1')
        expect(answer.json()).toEqual({ error: FOR_ADMINS })
      }
      await spec.close()
    }
  })

  it('is checked before a number is', async () => {
    for (const path of [...HASHES, ...RECORDS, '/log/tile/64/000', '/log/tile/0/0', '/log/consistency?from=0&to=1'])
      expect((await app.spec.sendAs('write')('GET', path)).statusCode, path).toBe(403)
  })
})

it('a service without a key has no log to read, and no receipts', async () => {
  const spec = await openApp()
  for (const path of ['/log/keys', ...HASHES, ...RECORDS]) {
    const answer = await spec.sendAs('admin')('GET', path)
    expect([answer.statusCode, answer.json()], path).toEqual([404, { error: 'this service signs no checkpoints' }])
  }
  await spec.close()
})

it('while an upgrade fills the tree proofs, tiles and receipts have to wait', async () => {
  const { spec, sign } = await openSigningApp({
    beforeStart: (app) => app.execute("DELETE FROM projections WHERE name = 'tree'"),
  })
  for (const path of ['checkpoint', 'proof/0', 'consistency?from=1&to=1', 'tile/0/000.p/1', 'records/1/receipt']) {
    const { statusCode, headers } = await spec.sendAs('admin')('GET', `/log/${path}`)
    expect([path, statusCode, headers['retry-after']]).toEqual([path, 503, '1'])
  }
  await spec.execute("INSERT INTO projections (name, version, position) VALUES ('tree', 1, 0)")
  const { size } = await sign()
  expect((await spec.sendAs('admin')('GET', `/log/proof/${size - 1}`)).statusCode).toBe(200)
  await spec.close()
})

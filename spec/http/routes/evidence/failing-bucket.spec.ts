import type { AddressInfo } from 'node:net'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { Unavailable } from '../../../../storage/errors.ts'
import { aDocument } from '../../../support/documents/documents.ts'
import { attach, digestOf, manifestOf, noise, putPart } from '../../../support/documents/parts.ts'
import { rawRequest } from '../../../support/http/raw-request.ts'
import { bucketOf, settingsOf } from '../../../support/s3/buckets.ts'
import { KEYS, startS3Server, type Fault, type Seen } from '../../../support/s3/stand-in.ts'
import { openApp, TOKENS } from '../../../support/servers/app.ts'
import { verifyStore } from '../../../support/stores/verified.ts'

for (const [name, value] of Object.entries(KEYS)) vi.stubEnv(name, value)
const s3 = await startS3Server()
let clock = Date.UTC(2026, 4, 4, 8)
/** Of more bytes than one read of a store fetches. */
const [part, long] = [noise(270_000, 1), noise(2_300_000, 2)]
const HOUR_MS = 3_600_000
const MAX_TRIES = 20

/** An app with a bucket that waits for so long, and a run `r` that has both parts. */
const openFailing = async (prefix: string, timeoutMs: number) => {
  const url = s3.storeUrl(prefix)
  const spec = await openApp({ now: () => clock++, bucket: settingsOf(url, { timeoutMs }) })
  const [write, read] = [spec.sendAs('write'), spec.sendAs('read')]
  const comeBack = async (): Promise<void> => {
    s3.state.fault = () => null
    await bucketOf(url, { health: spec.services.partStore.bucket?.health.buffer }).probe()
  }
  /** A bucket that waits for a moment may miss an answer without a fault too: what is late is tried again, some times. */
  const inTime = async (work: () => Promise<'done' | 'late'>): Promise<void> => {
    for (let tries = 1; ; tries++) {
      await comeBack()
      if ((await work()) === 'done') return
      if (tries >= MAX_TRIES) throw new Error(`it was late ${tries} times`)
    }
  }
  const put = (bytes: Buffer): Promise<void> =>
    inTime(async () => {
      const { statusCode, body } = await putPart(write, bytes)
      if (statusCode === 503) return 'late'
      expect([statusCode, JSON.parse(body)]).toMatchObject([200, { complete: true }])
      return 'done'
    })
  /** What was sent may arrive for an hour. */
  const removeDropped = (): Promise<void> => {
    clock += HOUR_MS
    return inTime(async () => {
      try {
        await spec.services.partStore.removeDropped()
        return 'done'
      } catch (error) {
        if (error instanceof Unavailable) return 'late'
        throw error
      }
    })
  }
  /** Stores parts and adds them to the run. */
  const add = async (added: readonly Buffer[]): Promise<void> => {
    const manifest = manifestOf(added.map((bytes) => ({ bytes, role: 'original' })))
    for (const bytes of [...added, manifest]) await put(bytes)
    expect((await attach(write, 'r', digestOf(manifest))).statusCode).toBe(201)
  }
  const objects = () => [...s3.objects.keys()].filter((key) => key.startsWith(`${prefix}/objects/`))
  await spec.ingest(aDocument({ run_id: 'r' }))
  await add([part, long])
  return { ...spec, url, write, read, comeBack, removeDropped, add, objects }
}
// What lasts as long as the bucket waits. All else must not meet its end on a machine that is busy.
const LASTING: ReadonlySet<unknown> = new Set<Fault>(['nothing', 'slow'])
const [patient, hasty] = [await openFailing('patient', 60_000), await openFailing('hasty', 250)]
const appFor = (fault: Fault) => (LASTING.has(fault) ? hasty : patient)
afterAll(async () => {
  await Promise.all([patient.close(), hasty.close()])
  await s3[Symbol.asyncDispose]()
  vi.unstubAllEnvs()
})
beforeEach(async () => {
  await Promise.all([patient.comeBack(), hasty.comeBack()])
})

const isObject = (method: string) => (seen: Seen) => seen.method === method && /^\w+\/objects\//.test(seen.key)
const meet = (fault: Fault, method: string): void => {
  s3.state.fault = (seen) => (isObject(method)(seen) ? fault : null)
}
const pathOf = (bytes: Buffer) => `/runs/r/parts/${digestOf(bytes)}`

const ANSWERED: ReadonlyArray<readonly [string, Fault]> = [
  ['500', { status: 500, code: 'InternalError' }],
  ['SlowDown', { status: 503, code: 'SlowDown' }],
  ['403', { status: 403, code: 'AccessDenied' }],
  ['409', { status: 409, code: 'ConditionalRequestConflict' }],
  ['nothing', 'nothing'],
]

describe('a read of a part whose bucket', () => {
  it.each([...ANSWERED, ['half of its bytes', 'half'] as const, ['its bytes one by one', 'slow'] as const])(
    'answers with %s is a 503',
    async (_, fault) => {
      meet(fault, 'GET')
      const { statusCode, headers, body } = await appFor(fault).read('GET', pathOf(part))
      expect([statusCode, headers['retry-after']]).toEqual([503, '5'])
      expect(JSON.parse(body)).toEqual({ error: 'the store of large parts is unavailable; try again' })
    },
  )

  it('fails after the reply was begun is a reply that is cut', async () => {
    const isFirst = (): boolean => s3.headers.at(-1)?.range?.startsWith('bytes=0-') === true
    s3.state.fault = (seen) => (isObject('GET')(seen) && !isFirst() ? 'half' : null)
    const head = `host: x\r\nconnection: close\r\nauthorization: Bearer ${TOKENS.read}\r\n`
    await patient.app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = patient.app.server.address() as AddressInfo
    const answer = await rawRequest(port, `GET /api/v1${pathOf(long)} HTTP/1.1\r\n${head}\r\n`)
    const bytes = Buffer.from(answer.slice(answer.indexOf('\r\n\r\n') + 4), 'latin1')
    expect([answer.slice(9, 12), bytes.length < long.length]).toEqual(['200', true])
    expect(bytes.equals(long.subarray(0, bytes.length))).toBe(true)
    expect(bytes.length).toBeGreaterThan(0)
  })
})

describe('an upload of a part whose bucket', () => {
  it.each(
    [
      ...ANSWERED.map(([name, fault]) => [name, fault, 503] as const),
      ['success, and does not store it', 'not stored', 503] as const,
      ['no more than a closed connection', 'cut', 503] as const,
      // Of a new random name: what is there is not ours.
      ['412', { status: 412, code: 'PreconditionFailed' }, 500] as const,
    ].map(([name, fault, status], i) => [name, fault, status, noise(270_000, 10 + i)] as const),
  )('answers with %s records nothing, leaves nothing, and works afterwards', async (_, fault, status, bytes) => {
    const { write, removeDropped, add, objects, rows } = appFor(fault)
    await removeDropped()
    const before = objects()
    meet(fault, 'PUT')
    expect((await putPart(write, bytes)).statusCode).toBe(status)
    expect((await write('GET', `/parts/${digestOf(bytes)}/upload`)).statusCode).toBe(404)
    await removeDropped()
    expect([objects(), await rows("SELECT * FROM objects WHERE state <> 'stored'")]).toEqual([before, []])
    await add([bytes])
  })

  it.each([
    ['at once', patient],
    ['late', hasty],
  ] as const)('has failed %s has all that was acknowledged', async (_, { removeDropped, url, ...spec }) => {
    await removeDropped()
    expect(await verifyStore(spec, { parts: 'all', bucket: bucketOf(url) })).toMatchObject({ finding: null, notes: [] })
  })
})

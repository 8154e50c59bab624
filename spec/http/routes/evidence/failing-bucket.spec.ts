import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { aDocument } from '../../../support/documents/documents.ts'
import { attach, digestOf, manifestOf, noise, putPart } from '../../../support/documents/parts.ts'
import { rawRequest } from '../../../support/http/raw-request.ts'
import { bucketOf, settingsOf } from '../../../support/s3/buckets.ts'
import { KEYS, startS3Server, type Fault, type Seen } from '../../../support/s3/stand-in.ts'
import { openApp, TOKENS } from '../../../support/servers/app.ts'
import { verifyStore } from '../../../support/stores/verified.ts'

for (const [name, value] of Object.entries(KEYS)) vi.stubEnv(name, value)
const s3 = await startS3Server()
const url = s3.storeUrl('failing')
let clock = Date.UTC(2026, 4, 4, 8)
// Short, because some faults last as long. A request that meets none may be late too, and is sent again.
const spec = await openApp({ now: () => clock++, bucket: settingsOf(url, { timeoutMs: 250 }) })
afterAll(async () => {
  await spec.close()
  await s3[Symbol.asyncDispose]()
  vi.unstubAllEnvs()
})
const [write, read] = [spec.sendAs('write'), spec.sendAs('read')]
/** Of more bytes than one read of a store fetches. */
const [part, long] = [noise(270_000, 1), noise(2_300_000, 2)]
const HOUR_MS = 3_600_000

const comeBack = async (): Promise<void> => {
  s3.state.fault = () => null
  await bucketOf(url, { health: spec.services.partStore.bucket?.health.buffer }).probe()
}
const isObject = (method: string) => (seen: Seen) => seen.method === method && seen.key.startsWith('failing/objects/')
const meet = (fault: Fault, method: string): void => {
  s3.state.fault = (seen) => (isObject(method)(seen) ? fault : null)
}
const objects = () => [...s3.objects.keys()].filter((key) => key.startsWith('failing/objects/'))
const pathOf = (bytes: Buffer) => `/runs/r/parts/${digestOf(bytes)}`
const putInTime = async (bytes: Buffer): Promise<void> => {
  do await comeBack()
  while ((await putPart(write, bytes)).statusCode !== 200)
}
let port = 0
beforeAll(async () => {
  await spec.app.listen({ host: '127.0.0.1', port: 0 })
  port = (spec.app.server.address() as AddressInfo).port
  await spec.ingest(aDocument({ run_id: 'r' }))
  const manifest = manifestOf([part, long].map((bytes) => ({ bytes, role: 'original' })))
  for (const bytes of [part, long, manifest]) await putInTime(bytes)
  expect((await attach(write, 'r', digestOf(manifest))).statusCode).toBe(201)
})
beforeEach(comeBack)

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
      const { statusCode, headers, body } = await read('GET', pathOf(part))
      expect([statusCode, headers['retry-after']]).toEqual([503, '5'])
      expect(JSON.parse(body)).toEqual({ error: 'the store of large parts is unavailable; try again' })
    },
  )

  it('fails after the reply was begun is a reply that is cut', async () => {
    const isFirst = (): boolean => s3.headers.at(-1)?.range?.startsWith('bytes=0-') === true
    s3.state.fault = (seen) => (isObject('GET')(seen) && !isFirst() ? 'half' : null)
    const head = `host: x\r\nconnection: close\r\nauthorization: Bearer ${TOKENS.read}\r\n`
    const answer = await rawRequest(port, `GET /api/v1${pathOf(long)} HTTP/1.1\r\n${head}\r\n`)
    const bytes = Buffer.from(answer.slice(answer.indexOf('\r\n\r\n') + 4), 'latin1')
    expect([answer.slice(9, 12), bytes.length < long.length]).toEqual(['200', true])
    expect(bytes.equals(long.subarray(0, bytes.length))).toBe(true)
    expect(bytes.length).toBeGreaterThan(0)
  })
})

describe('an upload of a part whose bucket', () => {
  const acknowledged: Buffer[] = []
  it.each([
    ...ANSWERED.map(([name, fault]) => [name, fault, 503] as const),
    ['success, and does not store it', 'not stored', 503],
    ['no more than a closed connection', 'cut', 503],
    // Of a new random name: what is there is not ours.
    ['412', { status: 412, code: 'PreconditionFailed' }, 500],
  ] as const)('answers with %s records nothing, leaves nothing, and works afterwards', async (_, fault, status) => {
    const before = objects()
    const bytes = noise(270_000, 10 + acknowledged.length)
    meet(fault, 'PUT')
    expect((await putPart(write, bytes)).statusCode).toBe(status)
    expect((await write('GET', `/parts/${digestOf(bytes)}/upload`)).statusCode).toBe(404)
    await comeBack()
    // What was sent may arrive until then.
    clock += HOUR_MS
    const left = async () => {
      await spec.services.partStore.removeDropped().catch(() => {})
      return [objects(), await spec.rows("SELECT * FROM objects WHERE state <> 'stored'")]
    }
    await expect.poll(left).toEqual([before, []])
    await putInTime(bytes)
    acknowledged.push(bytes)
  })

  it('has failed before has all that was acknowledged', async () => {
    expect(acknowledged.length).toBeGreaterThan(5)
    const manifest = manifestOf(acknowledged.map((bytes) => ({ bytes, role: 'original' })))
    await putInTime(manifest)
    expect((await attach(write, 'r', digestOf(manifest))).statusCode).toBe(201)
    expect(await verifyStore(spec, { parts: 'all', bucket: bucketOf(url) })).toMatchObject({ finding: null, notes: [] })
  })
})

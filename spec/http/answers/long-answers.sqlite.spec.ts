import { connect, type AddressInfo } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import type { OpenService } from '../../../runtime/services.ts'
import type { Services } from '../../../http/services.ts'
import { caseKey } from '../../../domain/run/case-key.ts'
import { byCodePoint } from '../../../domain/text/code-point-order.ts'
import type { Comparison } from '../../../domain/statistics/comparison.ts'
import { startComparison, continueComparison } from '../../../queries/runs/compare.ts'
import { startMatrix, continueMatrix } from '../../../queries/cases/matrix.ts'
import type { LongReadAnswer, LongReads } from '../../../queries/long-reads.ts'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import { openApp, TOKENS } from '../../support/servers/app.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { rawAnswer } from '../../support/http/raw-http.ts'
import { member } from '../../support/access/viewers.ts'
import { wrapCalls } from '../../support/wrap-calls.ts'

const TESTS = 60
const COLUMNS = 150
const MIB = 1024 * 1024

/**
 * Cases that are not sorted by their keys. `seed` determines which cases pass, and how many of the first cases are left
 * out. So some cases exist in only one of two runs with different seeds.
 */
const casesOf = (seed: number) =>
  Array.from({ length: TESTS * COLUMNS - seed }, (_, i) => {
    const n = i + seed
    const cell = {
      provider_id: `model-${n % COLUMNS}`,
      prompt_id: null,
      test_id: `test-${Math.floor(n / COLUMNS)}`,
      repeat: 0,
    }
    const passes = (n * 7 + seed) % 5 > 0
    return {
      cell,
      case_key: caseKey(cell),
      status: passes ? ('pass' as const) : ('fail' as const),
      score: passes ? 1 : 0,
      latency_ms: n,
      asserts: [],
      output: `answer ${(n * seed) % 3}`,
    }
  })
/** How many steps of jobs have run. */
let steps = 0
/** Called before each step after the first. */
let beforeStep = async (): Promise<void> => {}
/** Called before each read by a route. */
let beforeRead = async (): Promise<void> => {}
const withHooks = ({ longReads, reader }: OpenService): Partial<Services> => {
  const count = (answer: LongReadAnswer | null): LongReadAnswer | null => {
    steps++
    const rest = answer?.rest
    return rest
      ? { ...answer, rest: { ...rest, next: async () => beforeStep().then(async () => count(await rest.next())) } }
      : answer
  }
  const read: typeof reader.read = async (query) => {
    await beforeRead()
    return reader.read(query)
  }
  return {
    longReads: wrapCalls<LongReads, LongReadAnswer | null>(longReads, async ({ run }) => count(await run())),
    reader: { ...reader, read },
  }
}
afterAll(() => spec.close())

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  spec.sendAs('read')('GET', path, { headers })
const COMPARISON = '/runs/base/compare/head'
const MATRIX = '/runs/base/matrix?limit=500'
const spec = await openApp({ parts: withHooks })
for (const [run_id, seed] of [
  ['base', 1],
  ['head', 2],
] as const)
  expect((await spec.ingest(aDocument({ run_id, project: 'large', cases: casesOf(seed) }))).statusCode).toBe(201)

describe('a response of more than a mebibyte', () => {
  it('is a comparison of every case in key order, with the total counts first', async () => {
    steps = 0
    const { headers, body, json } = await get(COMPARISON)
    expect(body.length).toBeGreaterThan(MIB)
    expect(headers['content-length']).toBeUndefined()
    expect(steps).toBeGreaterThan(1)
    const comparison = json<Comparison>()
    expect(Object.keys(comparison)).toEqual(['base', 'head', 'summary', 'cases', 'stats', 'totals', 'config'])
    const [base, head] = [1, 2].map((seed) => new Map(casesOf(seed).map((specCase) => [specCase.case_key, specCase])))
    const keys = [...new Set([...base!.keys(), ...head!.keys()])].sort(byCodePoint)
    expect(
      comparison.cases.map(({ case_key, base_status, head_status, base_score, head_score, output_changed }) => [
        case_key,
        base_status,
        head_status,
        base_score,
        head_score,
        output_changed,
      ]),
    ).toEqual(
      keys.map((key) => {
        const [before, after] = [base!.get(key), head!.get(key)]
        return [
          key,
          before?.status ?? null,
          after?.status ?? null,
          before?.score ?? null,
          after?.score ?? null,
          before !== undefined && after !== undefined && before.output !== after.output,
        ]
      }),
    )
    const count = (delta: string): number => comparison.cases.filter((row) => row.delta === delta).length
    expect(comparison.summary).toEqual({
      newly_failing: count('newly_failing'),
      newly_passing: count('newly_passing'),
      still_failing: count('still_failing'),
      added: count('added'),
      removed: 1,
      output_changed: comparison.cases.filter((row) => row.output_changed).length,
    })
    expect(comparison.stats.mcnemar.regressions).toBe(comparison.summary.newly_failing)
  })

  it('is a page of a matrix with the same rows as shorter pages', async () => {
    steps = 0
    const { body, json } = await get(MATRIX)
    expect(body.length).toBeGreaterThan(MIB)
    expect(steps).toBeGreaterThan(1)
    const whole = json<{ rows: unknown[]; columns: unknown[]; next_cursor: string | null }>()
    const rows: unknown[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: typeof whole = (await get(`/runs/base/matrix?limit=7&cursor=${cursor}`)).json()
      expect({ ...page, rows: [], next_cursor: null }).toEqual({ ...whole, rows: [] })
      rows.push(...page.rows)
      cursor = page.next_cursor
    }
    expect(whole.rows).toEqual(rows)
    expect((await get('/runs/base/matrix?limit=55')).json<typeof whole>()).toMatchObject({
      rows: rows.slice(0, 55),
      next_cursor: expect.any(String) as string,
    })
  })

  it('has a strong ETag, and a 304 runs no step', async () => {
    for (const [path, otherPaths] of [
      [COMPARISON, ['/runs/head/compare/base', '/runs/base/compare/base']],
      [MATRIX, ['/runs/head/matrix?limit=500', '/runs/base/matrix?limit=59']],
    ] as const) {
      const etag = String((await get(path)).headers['etag'])
      expect(etag).toMatch(/^"[\w-]{43}"$/)
      expect((await get(`${path}${path.includes('?') ? '' : '?'}&`)).headers['etag']).toBe(etag)
      for (const other of otherPaths) expect((await get(other)).headers['etag'], other).not.toBe(etag)
      steps = 0
      for (const ifNoneMatch of [etag, `"x", W/${etag}`]) {
        const { statusCode, headers, body } = await get(path, { 'if-none-match': ifNoneMatch })
        expect([statusCode, headers['etag'], headers['cache-control'], headers['content-type'], body]).toEqual([
          304,
          etag,
          'private, no-cache',
          undefined,
          '',
        ])
      }
      expect(steps).toBe(0)
      // Another tag, or an invalid tag that contains the ETag, does not match: the whole response is sent.
      for (const other of ['"x"', `"x${etag}`]) {
        const { statusCode, body } = await get(path, { 'if-none-match': other })
        expect([statusCode, body.length > MIB], other).toEqual([200, true])
      }
    }
  })

  it('is started but not continued by HEAD', async () => {
    const { headers } = await get(COMPARISON)
    steps = 0
    const head = await spec.sendAs('read')('HEAD', COMPARISON)
    expect([head.statusCode, head.headers['etag'], head.body, steps]).toEqual([200, headers['etag'], '', 1])
  })

  it('has an ETag that does not depend on other stored or hidden data', async () => {
    const { etag } = (await get(COMPARISON)).headers
    await spec.ingest(aDocument({ run_id: 'another', project: 'secret' }))
    await spec.restrict('secret')
    await spec.ingest(aDocument({ run_id: 'one more', project: 'secret' }), { caller: 'admin' })
    expect((await get(COMPARISON)).headers['etag']).toBe(etag)
    expect((await spec.sendAs('admin')('GET', COMPARISON)).headers['etag']).toBe(etag)
    await spec.lift('secret')
  })

  it('is not sent to viewers without access, and stops if access ends while it is sent', async () => {
    const { reader } = spec.service
    const { etag } = (await get(COMPARISON)).headers
    const runIds = { base: 'base', head: 'head' }
    const comparison = await startComparison(reader, member, runIds)
    const matrix = await startMatrix(reader, member, { run_id: 'base', limit: 500 })
    if (!comparison || !matrix) throw new Error('the comparison or the matrix was not found')
    const nextParts = async () => [
      await continueComparison(reader, member, runIds, comparison.from),
      await continueMatrix(reader, member, { run_id: 'base', limit: 500 }, matrix.from),
    ]
    expect((await nextParts()).map((part) => part?.next !== null)).toEqual([true, true])
    await spec.restrict('large')
    expect(await nextParts()).toEqual([null, null])
    for (const headers of [{}, { 'if-none-match': String(etag) }])
      expect(await get(COMPARISON, headers)).toMatchObject({ statusCode: 404 })
    await spec.lift('large')
  })

  it('ends when its viewer is no longer an admin or the credential is revoked', async () => {
    const openComparison = async (name: string) => {
      const { viewer, user_id } = await spec.addUser(name, 'admin')
      const first = await spec.service.longReads.compare(viewer, { base: 'base', head: 'head' })
      const second = await first?.rest?.next()
      return { viewer, user_id, next: async () => second?.rest?.next() }
    }
    const unchanged = { role: null, disabled: null, password_hash: null }
    const [demoted, disabled, signedOut, other] = [
      await openComparison('demoted'),
      await openComparison('disabled'),
      await openComparison('signed out'),
      await openComparison('other'),
    ]
    await spec.service.commit.changeUser(SYSTEM, { ...unchanged, user_id: demoted.user_id, role: 'member' })
    await spec.service.commit.changeUser(SYSTEM, { ...unchanged, user_id: disabled.user_id, disabled: true })
    await spec.service.commit.signOut(signedOut.viewer, {})
    expect([await demoted.next(), await disabled.next(), await signedOut.next()]).toEqual([null, null, null])
    expect((await other.next())?.body.length).toBeGreaterThan(0)
  })

  it.each(['1.0', '1.1'])('is recognisable as incomplete when it ends early, over HTTP/%s', async (version) => {
    await spec.app.listen({ port: 0, host: '127.0.0.1' }).catch(() => {})
    const { port } = spec.app.server.address() as AddressInfo
    beforeStep = () => spec.restrict('large')
    const received = await new Promise<{ readonly text: string; readonly isReset: boolean }>((resolve) => {
      let text = ''
      let isReset = false
      const socket = connect(port, '127.0.0.1', () =>
        socket.write(
          `GET /api/v1${COMPARISON} HTTP/${version}\r\nhost: x\r\nauthorization: Bearer ${TOKENS.read}\r\n\r\n`,
        ),
      )
      socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
      socket.once('error', () => (isReset = true)).once('close', () => resolve({ text, isReset }))
    })
    beforeStep = async () => {}
    await spec.lift('large')
    expect(received.text).toMatch(/^HTTP\/1\.1 200 /)
    expect(received.isReset || (version === '1.1' && !received.text.endsWith('0\r\n\r\n'))).toBe(true)
  })

  it('is an export that ends when the run is hidden from its viewer', async () => {
    await spec.app.listen({ port: 0, host: '127.0.0.1' }).catch(() => {})
    const { port } = spec.app.server.address() as AddressInfo
    const exportRequest = { path: '/api/v1/runs/base/export', headers: { authorization: `Bearer ${TOKENS.read}` } }
    let reads = 0
    // Reads 1 and 2 are the run and the first frames.
    beforeRead = async () => (++reads === 3 ? spec.restrict('large') : undefined)
    await expect(rawAnswer(port, exportRequest)).rejects.toThrow('no whole answer')
    beforeRead = async () => {}
    await spec.lift('large')
    expect(await rawAnswer(port, exportRequest)).toMatch(/^HTTP\/1\.1 200 /)
  })

  it('has another ETag when its run is replaced, and ends when its run is deleted', async () => {
    const { reader } = spec.service
    const { etag } = (await get(COMPARISON)).headers
    const runIds = { base: 'base', head: 'head' }
    const comparison = await startComparison(reader, member, runIds)
    await spec.sendAs('admin')('DELETE', '/runs/head')
    expect(comparison && (await continueComparison(reader, member, runIds, comparison.from))).toBeNull()
    expect((await get(COMPARISON)).statusCode).toBe(404)
    await spec.ingest(aDocument({ run_id: 'head', project: 'large', cases: casesOf(3) }))
    expect(comparison && (await continueComparison(reader, member, runIds, comparison.from))).toBeNull()
    const again = await get(COMPARISON, { 'if-none-match': String(etag) })
    expect([again.statusCode, again.headers['etag'] === etag]).toEqual([200, false])
    // The other tests compare with the first run of this id.
    await spec.sendAs('admin')('DELETE', '/runs/head')
    await spec.ingest(aDocument({ run_id: 'head', project: 'large', cases: casesOf(2) }))
  })
})

import { connect, type AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EXPORT_FORMAT_NAMES, EXPORT_FORMATS } from '../../../../domain/report/export-formats.ts'
import type { LongReadAnswer, LongReads } from '../../../../queries/long-reads.ts'
import { aCase, aDocument } from '../../../support/documents/documents.ts'
import { exported } from '../../../support/documents/exported.ts'
import { unzipped } from '../../../support/documents/unzipped.ts'
import { openApp, TOKENS } from '../../../support/servers/app.ts'
import { wrapCalls } from '../../../support/wrap-calls.ts'

const SMALL = aDocument({
  run_id: 'small/1',
  cases: [
    aCase({ output: '=1+1', tags: ['x'] }),
    aCase({ cell: { repeat: 1 }, status: 'fail' }),
    aCase({ cell: { provider_id: 'other' }, output: { a: 1 } }),
  ],
})
/** More than a mebibyte: it is exported in parts. Its test `t0` has trials that disagree. */
const LARGE = aDocument({
  run_id: 'large',
  project: 'big',
  cases: Array.from({ length: 1_500 }, (_, n) =>
    aCase({
      cell: { test_id: `t${n >> 1}`, repeat: n & 1, provider_id: `model-${(n >> 1) % 3}`, prompt_id: null },
      status: n === 1 ? 'fail' : 'pass',
      output: `answer ${n} ${'lorem ipsum '.repeat(80)}`,
      asserts: [{ kind: 'contains', status: 'pass', score: 1, weight: 1, reason: '', criteria: { name: `n${n % 5}` } }],
    }),
  ),
})

/** Two results for one cell: the second is hidden. Its run has more cases than one query lists. */
const HIDING = aDocument({
  run_id: 'hiding',
  project: 'hiding',
  cases: Array.from({ length: 700 }, (_, n) =>
    aCase({ cell: { test_id: n === 1 || n === 650 || n === 699 ? 'twice' : `t${n}` }, name: `case ${n}` }),
  ),
})
/** Runs before each further step of a read. */
let beforeStep = async (): Promise<void> => {}
let steps = 0
const withSteps = (answer: LongReadAnswer | null): LongReadAnswer | null => {
  steps++
  const rest = answer?.rest
  return rest
    ? { ...answer, rest: { ...rest, next: async () => beforeStep().then(async () => withSteps(await rest.next())) } }
    : answer
}
afterAll(() => spec.close())

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  spec.sendAs('read')('GET', path, { headers })
const spec = await openApp({
  parts: ({ longReads }) => ({
    longReads: wrapCalls<LongReads, LongReadAnswer | null>(longReads, async ({ run }) => withSteps(await run())),
  }),
})
for (const document of [SMALL, LARGE]) expect((await spec.ingest(document)).statusCode).toBe(201)

describe('GET /runs/{id}/export/{format}', () => {
  it.each(EXPORT_FORMAT_NAMES)('returns a short run as %s, in one piece', async (format) => {
    const answer = await get(`/runs/small%2F1/export/${format}`)
    expect(answer.statusCode).toBe(200)
    expect(answer.headers).toMatchObject({
      'content-type': EXPORT_FORMATS[format].contentType,
      'content-disposition': `attachment; filename="small-1${EXPORT_FORMATS[format].ending}"`,
      'content-length': String(answer.rawPayload.length),
    })
    expect(answer.rawPayload).toEqual(exported(format, SMALL, { batch: 10, flaky: new Uint8Array([0b11]) }))
  })

  it.each(['jsonl', 'csv', 'junit', 'ctrf', 'every-eval-ever'] as const)(
    'returns a long run as %s in parts, equal to the whole',
    async (format) => {
      steps = 0
      const answer = await get(`/runs/large/export/${format}`)
      expect(steps).toBeGreaterThan(2)
      expect(answer.headers['content-length']).toBeUndefined()
      expect(answer.rawPayload.equals(exported(format, LARGE, { batch: 10_000, flaky: new Uint8Array([0b11]) }))).toBe(
        true,
      )
    },
  )

  it('returns a long run as Parquet in parts', async () => {
    steps = 0
    const { rawPayload } = await get('/runs/large/export/parquet')
    expect(steps).toBeGreaterThan(1)
    const rows = await parquetReadObjects({ file: new Uint8Array(rawPayload).buffer })
    expect(rows.map((row): unknown[] => [row['test'], row['repeat'], row['output']])).toEqual(
      LARGE.cases.map(({ cell, output }) => [cell.test_id, BigInt(cell.repeat), output]),
    )
  })

  it('ends no part of a Parquet file within a row group', async () => {
    const cases = Array.from({ length: 20 }, (_, repeat) =>
      aCase({ cell: { repeat }, output: 'lorem ipsum '.repeat(25_000) }),
    )
    await spec.ingest(aDocument({ run_id: 'long-outputs', cases }))
    steps = 0
    const { rawPayload } = await get('/runs/long-outputs/export/parquet')
    const file = new Uint8Array(rawPayload).buffer
    expect(parquetMetadata(file).row_groups.map((group) => Number(group.num_rows))).toEqual([14, 6])
    // All parts of 2 MiB of the document would be seven: the cases are read twice.
    expect(steps).toBe(5)
    expect((await parquetReadObjects({ file })).map((row): unknown => row['repeat'])).toEqual(
      cases.map(({ cell }) => BigInt(cell.repeat)),
    )
  })

  it('has the samples of each provider together', async () =>
    expect(unzipped((await get('/runs/large/export/every-eval-ever')).rawPayload).size).toBe(6))

  it('has every case of a run whose places are listed in several queries', async () => {
    const cases = Array.from({ length: 8_300 }, (_, n) =>
      aCase({ cell: { test_id: `t${n}`, provider_id: `model-${n % 3}`, prompt_id: null }, output: n, asserts: [] }),
    )
    const document = aDocument({ run_id: 'many-cases', cases })
    await spec.ingest(document)
    const { rawPayload } = await get('/runs/many-cases/export/every-eval-ever')
    expect(rawPayload.equals(exported('every-eval-ever', document, { batch: 10_000 }))).toBe(true)
  })

  it('is compressed if the client asks, except Parquet', async () => {
    for (const id of ['small%2F1', 'large']) {
      const plain = await get(`/runs/${id}/export/jsonl`)
      const answer = await get(`/runs/${id}/export/jsonl`, { 'accept-encoding': 'gzip' })
      expect(answer.headers).toMatchObject({
        'content-encoding': 'gzip',
        vary: expect.stringContaining('Accept-Encoding') as string,
      })
      expect(gunzipSync(answer.rawPayload).equals(plain.rawPayload)).toBe(true)
      expect(answer.headers['etag']).not.toBe(plain.headers['etag'])
    }
    expect(
      (await get('/runs/large/export/parquet', { 'accept-encoding': 'gzip' })).headers['content-encoding'],
    ).toBeUndefined()
  })

  it('answers 304 to the ETag of the same document, format and options, and makes no export', async () => {
    const tags = new Set<unknown>()
    for (const path of ['csv', 'csv?bom=true', 'csv?raw=true', 'jsonl', 'junit']) {
      const { etag } = (await get(`/runs/large/export/${path}`)).headers
      tags.add(etag)
      steps = 0
      const again = await get(`/runs/large/export/${path}`, { 'if-none-match': String(etag) })
      expect([
        again.statusCode,
        again.body,
        again.headers['content-type'],
        again.headers['content-disposition'],
        steps,
      ]).toEqual([304, '', undefined, undefined, 0])
      const zipped = await get(`/runs/large/export/${path}`, {
        'if-none-match': String(etag),
        'accept-encoding': 'gzip',
      })
      expect(zipped.statusCode).toBe(200)
    }
    expect(tags.size).toBe(5)
  })

  it('has another ETag when the run is replaced', async () => {
    const run_id = 'replaced'
    await spec.ingest(aDocument({ run_id }))
    const { etag } = (await get(`/runs/${run_id}/export/csv`)).headers
    await spec.sendAs('admin')('DELETE', `/runs/${run_id}`)
    expect((await get(`/runs/${run_id}/export/csv`, { 'if-none-match': String(etag) })).statusCode).toBe(404)
    await spec.ingest(aDocument({ run_id, cases: [aCase({ output: 'new' })] }))
    expect((await get(`/runs/${run_id}/export/csv`, { 'if-none-match': String(etag) })).statusCode).toBe(200)
  })

  it('has a byte order mark, and no apostrophes, if asked', async () => {
    expect((await get('/runs/small%2F1/export/csv')).body).toContain(",'=1+1,")
    expect((await get('/runs/small%2F1/export/csv?raw=true')).body).toContain(',=1+1,')
    expect((await get('/runs/small%2F1/export/csv?bom=true')).rawPayload.subarray(0, 3).toString('hex')).toBe('efbbbf')
  })

  it('rejects unknown formats, options of another format, and other parameters with 400', async () => {
    expect((await get('/runs/large/export/pdf')).json()).toEqual({ error: expect.stringContaining('format') as string })
    for (const path of [
      'large/export/pdf',
      'none/export/pdf',
      'large/export/jsonl?bom=true',
      'large/export/csv?bom=1',
      'large/export/csv?x=1',
    ])
      expect((await get(`/runs/${path}`)).statusCode, path).toBe(400)
  })

  it('has no body for HEAD', async () => {
    steps = 0
    const answer = await spec.sendAs('read')('HEAD', '/runs/large/export/csv')
    expect([answer.statusCode, answer.body, answer.headers['content-type'], steps]).toEqual([
      200,
      '',
      'text/csv; charset=utf-8',
      0,
    ])
  })

  it('has cases that repeat a key, which no other read shows', async () => {
    const cases = [aCase({ output: 'first' }), aCase({ cell: { repeat: 1 } }), aCase({ output: 'again' })]
    await spec.ingest(aDocument({ run_id: 'twice', cases }))
    await spec.ingest(aDocument({ run_id: 'single', cases: [aCase({ output: 'first' }), aCase({ output: 'again' })] }))
    expect((await get('/runs/twice/export/jsonl')).body.trimEnd().split('\n')).toHaveLength(4)
    expect((await get('/runs/single/export/jsonl')).body.trimEnd().split('\n')).toHaveLength(3)
    await spec.ingest(aDocument({ run_id: 'empty', cases: [] }))
    expect((await get('/runs/empty/export/jsonl')).body.trimEnd().split('\n')).toHaveLength(1)
  })
})

/** Sends a request on a connection of its own. Returns what arrived, and whether the connection was reset. */
const received = (path: string, version: string, gzip = false) => {
  const { port } = spec.app.server.address() as AddressInfo
  return new Promise<{ readonly text: string; readonly isReset: boolean }>((resolve) => {
    let text = ''
    let isReset = false
    const encoding = gzip ? 'accept-encoding: gzip\r\n' : ''
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(
        `GET /api/v1${path} HTTP/${version}\r\nhost: x\r\n${encoding}connection: close\r\nauthorization: Bearer ${TOKENS.read}\r\n\r\n`,
      ),
    )
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
    socket.once('error', () => (isReset = true)).once('close', () => resolve({ text, isReset }))
  })
}

beforeAll(() => spec.app.listen({ port: 0, host: '127.0.0.1' }))

describe('an export that ends early', () => {
  const isWhole = ({ text, isReset }: Awaited<ReturnType<typeof received>>, version: string): boolean =>
    !isReset && (version === '1.0' || text.endsWith('0\r\n\r\n'))

  it.each([
    ['1.0', false],
    ['1.1', false],
    ['1.1', true],
  ] as const)('is visibly incomplete when the run is hidden meanwhile, by HTTP/%s, gzip %s', async (version, gzip) => {
    expect(isWhole(await received('/runs/large/export/csv', version, gzip), version)).toBe(true)
    beforeStep = () => spec.restrict('big')
    const answer = await received('/runs/large/export/csv', version, gzip)
    beforeStep = async () => {}
    await spec.lift('big')
    // Nothing of a compressed answer may have been sent yet: then it is an error.
    const isError = gzip && answer.text.startsWith('HTTP/1.1 503 ')
    if (isError) expect(answer.text).not.toMatch(/content-encoding|etag|content-disposition/i)
    expect(isError || (answer.text.startsWith('HTTP/1.1 200 ') && !isWhole(answer, version))).toBe(true)
  })

  it('is visibly incomplete when the run is deleted meanwhile', async () => {
    await spec.ingest({ ...LARGE, run_id: 'deleted' })
    beforeStep = async () => void (await spec.sendAs('admin')('DELETE', '/runs/deleted'))
    const answer = await received('/runs/deleted/export/jsonl', '1.1')
    beforeStep = async () => {}
    expect(isWhole(answer, '1.1')).toBe(false)
  })
})

describe('an export of a damaged document', () => {
  /** Puts the frames of one document in place of those of another, as a damaged disk would not, but a person could. */
  const alter = async (run_id: string, other: string): Promise<void> => {
    const run = `(SELECT run_no FROM runs WHERE id = '${run_id}')`
    const source = `(SELECT run_no FROM runs WHERE id = '${other}')`
    await spec.execute(`DELETE FROM document_frames WHERE run_no = ${run}`)
    await spec.execute(
      `INSERT INTO document_frames (run_no, n, raw_length, bytes) SELECT ${run}, n, raw_length, bytes FROM document_frames WHERE run_no = ${source}`,
    )
  }

  it('is a 500, or visibly incomplete once it has begun', async () => {
    const altered = (document: typeof LARGE, run_id: string) =>
      aDocument({
        ...document,
        run_id,
        cases: document.cases.map((item, n) => (n === 0 ? { ...item, latency_ms: 11 } : item)),
      })
    await spec.ingest({ ...SMALL, run_id: 'damaged-1' })
    await spec.ingest(altered(SMALL, 'altered-1'))
    await alter('damaged-1', 'altered-1')
    const small = await get('/runs/damaged-1/export/csv')
    expect([small.statusCode, small.headers['etag'], small.headers['content-disposition']]).toEqual([
      500,
      undefined,
      undefined,
    ])
    await spec.ingest({ ...LARGE, run_id: 'damaged-2' })
    await spec.ingest(altered(LARGE, 'altered-2'))
    await alter('damaged-2', 'altered-2')
    const answer = await received('/runs/damaged-2/export/csv', '1.1')
    expect(answer.text).toMatch(/^HTTP\/1\.1 200 /)
    expect(answer.isReset || !answer.text.endsWith('0\r\n\r\n')).toBe(true)
  })
})

describe('a run with several cases of one key', () => {
  it('of an earlier version is exported as it was shown', async () => {
    await spec.ingest({ ...HIDING, run_id: 'before' })
    const etag = async () => (await get('/runs/before/export/jsonl')).headers.etag
    const known = await etag()
    await spec.execute(
      "DELETE FROM hidden_cases WHERE run_no = (SELECT run_no FROM runs WHERE id = 'before'); UPDATE runs SET hidden_cases = NULL WHERE id = 'before'",
    )
    const { body } = await get('/runs/before/export/jsonl')
    expect(body.trimEnd().split('\n')).toHaveLength(1 + 698)
    expect(body).not.toContain('hidden')
    expect(await etag()).not.toBe(known)
    expect((await spec.sendAs('admin')('DELETE', '/runs/before')).statusCode).toBe(204)
  })

  beforeAll(() => spec.ingest({ ...HIDING, run_id: 'exported' }))

  const detail = async () => (await get('/runs/hiding')).json<{ case_count: number; hidden_cases?: number }>()

  it('says how many no list shows, when it is uploaded and on its page', async () => {
    const created = await spec.ingest(HIDING)
    expect([created.statusCode, created.json()]).toMatchObject([201, { id: 'hiding', hidden_cases: 2 }])
    const again = await spec.ingest(HIDING)
    expect([again.statusCode, again.json()]).toEqual([200, { id: 'hiding', url: expect.any(String) as string }])
    expect(await detail()).toMatchObject({ case_count: 700, hidden_cases: 2 })
    const ordinary = await spec.ingest(aDocument({ run_id: 'ordinary' }))
    expect(Object.keys(ordinary.json<object>())).toEqual(['id', 'url'])
    expect(Object.keys((await get('/runs/ordinary')).json<object>())).not.toContain('hidden_cases')
  })

  it.each(EXPORT_FORMAT_NAMES)('has all of them in an export as %s', async (format) => {
    const answer = await get(`/runs/exported/export/${format}`)
    expect(answer.statusCode).toBe(200)
    const body = answer.rawPayload
    expect(
      body.equals(exported(format, { ...HIDING, run_id: 'exported' }, { batch: 500, flaky: new Uint8Array() })),
    ).toBe(true)
  })

  it('leaves no hidden cases when it is deleted', async () => {
    await spec.ingest({ ...HIDING, run_id: 'leaving' })
    const [run_no] = await spec.column("SELECT run_no FROM runs WHERE id = 'leaving'")
    const hidden = `SELECT n FROM hidden_cases WHERE run_no = ${String(run_no)} ORDER BY n`
    expect(await spec.column(hidden)).toEqual([650, 699])
    expect((await spec.sendAs('admin')('DELETE', '/runs/leaving')).statusCode).toBe(204)
    expect(await spec.column(hidden)).toEqual([])
  })
})

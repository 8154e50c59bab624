import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OUTLINE_VERSION } from '../../../../domain/transcript/outline.ts'
import { MAX_LINE_BYTES } from '../../../../domain/transcript/event.ts'
import type { TranscriptEvents } from '../../../../queries/transcripts/list-events.ts'
import type { TranscriptMatches } from '../../../../queries/transcripts/find.ts'
import type { TranscriptOutline } from '../../../../queries/transcripts/list-outline.ts'
import type { TranscriptSummary } from '../../../../queries/transcripts/summary.ts'
import { unlessDeleted } from '../../../../queries/transcripts/transcript.ts'
import { SYSTEM } from '../../../../queries/access/viewer.ts'
import { ObjectDamaged } from '../../../../storage/objects/seal.ts'
import { aCase, aDocument } from '../../../support/documents/documents.ts'
import { attach, digestOf, noise, sendEvidence } from '../../../support/documents/parts.ts'
import { openApp } from '../../../support/servers/app.ts'
import { addTranscript, transcriptOf } from '../../../support/transcripts/transcripts.ts'

const spec = await openApp()
afterAll(() => spec.close())
const [write, read] = [spec.sendAs('write'), spec.sendAs('read')]
const KEY = aCase().case_key

const START = Date.parse('2026-11-27T14:02:00Z')
const at = (seconds: number): string => new Date(START + seconds * 1000).toISOString()

/** Of 3,402 events: an agent, turns of a message, a call of the model and one of a tool in it, and a score. */
const TURNS = 1133
const events = [
  { type: 'span', id: 'main', kind: 'agent', name: 'main', at: at(0) },
  { type: 'span', id: 'sub', parent: 'main', kind: 'agent', name: 'explorer', at: at(1) },
  ...Array.from({ length: TURNS }, (_, i) => [
    { type: 'message', parent: 'main', role: 'user', content: `turn ${i}`, at: at(3 * i) },
    {
      type: 'model',
      parent: 'main',
      model: 'm',
      input: [[0, i]],
      usage: { input_tokens: 2, output_tokens: 1 },
      at: at(3 * i + 1),
    },
    {
      type: 'tool',
      parent: i < 10 ? 'sub' : 'main',
      name: 'bash',
      arguments: { n: i },
      ...(i % 500 === 7 && { error: { message: 'exit 1' } }),
    },
  ]).flat(),
  { type: 'score', name: 'match', value: 1, passed: true },
]
const bytes = transcriptOf(events)
const sha256 = digestOf(bytes)
const path = `/runs/r/transcripts/${sha256}`
const pathOf = (digest: string): string => `/runs/r/transcripts/${digest}`
const get = <T>(rest: string, base = path): Promise<T> => spec.getJson<T>(`${base}${rest}`)

/** Waits until the outline of a transcript is whole. */
const whole = (base = path) => expect.poll(async () => (await get<TranscriptSummary>('', base)).complete).toBe(true)

beforeAll(async () => {
  await spec.ingest(aDocument({ run_id: 'r', cases: [aCase()] }))
  await addTranscript(write, { run_id: 'r', case_key: KEY }, bytes)
})

describe('a transcript of a run', () => {
  it('has its totals, its spans and its events over time', async () => {
    await whole()
    const { spans, bins, ...totals } = await get<TranscriptSummary>('')
    expect(totals).toEqual({
      sha256,
      bytes: bytes.length,
      outlined: bytes.length,
      complete: true,
      source: { format: 'spec', version: '1' },
      agent: { name: 'solver' },
      events: events.length,
      messages: TURNS,
      types: { span: 2, message: TURNS, model: TURNS, tool: TURNS, score: 1 },
      errors: 3,
      skipped: 0,
      missing_parents: 0,
      more_spans: 0,
      input_tokens: 2 * TURNS,
      output_tokens: TURNS,
      cost_usd: null,
      first_at: START,
      last_at: START + (3 * (TURNS - 1) + 1) * 1000,
    })
    expect(spans).toMatchObject([
      { n: 1, parent: 0, depth: 0, name: 'main', events: events.length - 2, errors: 3 },
      { n: 2, parent: 1, depth: 1, name: 'explorer', events: 10, errors: 1 },
    ])
    expect(bins?.lanes.map(({ lane }) => lane)).toEqual([0, 1, 2])
  })

  it('is listed in a line for each event, by type and by span', async () => {
    await whole()
    const first = await get<TranscriptOutline>('/outline?limit=3')
    expect(first).toMatchObject({ next: 4, complete: true })
    expect(first.events.map(({ n, type, span, label, message }) => [n, type, span, label, message])).toEqual([
      [1, 'span', 0, '', null],
      [2, 'span', 1, '', null],
      [3, 'message', 1, 'turn 0', 0],
    ])
    const all: number[] = []
    for (let next: number | null = 1; next !== null;) {
      const page: TranscriptOutline = await get(`/outline?from=${next}&limit=1999`)
      all.push(...page.events.map(({ n }) => n))
      next = page.next
    }
    expect(all).toEqual(events.map((_, i) => i + 1))
    const errors = await get<TranscriptOutline>('/outline?types=error')
    expect(errors.events.map(({ n, error }) => [n, error])).toEqual([7, 507, 1007].map((i) => [5 + 3 * i, true]))
    const inSub = await get<TranscriptOutline>('/outline?span=2&types=tool')
    expect(inSub.events.map(({ n }) => n)).toEqual(Array.from({ length: 10 }, (_, i) => 5 + 3 * i))
    expect((await get<TranscriptOutline>('/outline?span=1')).events[0]?.n).toBe(1)
    expect((await get<TranscriptOutline>(`/outline?from=${events.length}`)).events).toMatchObject([{ type: 'score' }])
    expect(await get(`/outline?from=${events.length + 1}`)).toEqual({ events: [], next: null, complete: true })
  })

  it('has its events as their lines have them', async () => {
    await whole()
    const { events: page, next } = await get<TranscriptEvents>('/events?from=1500&limit=200')
    expect(page).toEqual(Array.from({ length: 200 }, (_, i) => ({ n: 1500 + i, event: events[1499 + i] })))
    expect(next).toBe(1700)
    const ofMessage = await get<TranscriptEvents>('/events?message=1000&limit=1&types=message')
    expect(ofMessage.events).toMatchObject([{ event: { content: 'turn 1000' } }])
    expect((await get<TranscriptEvents>(`/events?message=${TURNS - 1}&limit=1`)).events[0]?.n).toBe(3 + 3 * (TURNS - 1))
    expect((await get<TranscriptEvents>(`/events?message=${TURNS}`)).events).toEqual([])
    const event = await read('GET', `${path}/events/2500`)
    expect([event.statusCode, event.headers['content-type'], event.json()]).toEqual([
      200,
      'application/json',
      events[2499],
    ])
    expect(event.headers['content-security-policy']).toContain("default-src 'none'")
    const range = await read('GET', `${path}/events/2500`, { headers: { range: 'bytes=0-6' } })
    expect([range.statusCode, range.body]).toEqual([206, '{"type"'])
    for (const n of ['0', '-1', 'x', '1.5', String(events.length + 1)])
      expect((await read('GET', `${path}/events/${n}`)).statusCode).toBe(404)
  })

  it('is searched', async () => {
    await whole()
    expect(await get('/find?q=TURN%20112')).toEqual({
      events: [112, 1120, 1121, 1122, 1123, 1124, 1125, 1126, 1127, 1128, 1129].map((i) => 3 + 3 * i),
      next: null,
      upto: events.length,
      complete: true,
    })
    const some = await get<TranscriptMatches>('/find?q=turn&limit=2&from=4')
    expect(some).toMatchObject({ events: [6, 9], next: 12, upto: 11 })
    expect(await get<TranscriptMatches>(`/find?q=turn&limit=2&from=${some.next}`)).toMatchObject({ events: [12, 15] })
    expect(await get('/find?q=absent')).toMatchObject({ events: [], next: null, upto: events.length })
    expect(await get('/find?q=spec')).toMatchObject({ events: [] })
    expect(await get('/find')).toMatchObject({ events: [], next: null })
    expect(await get('/find?q=turn&from=999999')).toMatchObject({ events: [], next: null })
  })

  it('shows lines of any kind', async () => {
    const large = {
      type: 'tool',
      name: 'cat',
      result: 'é'.repeat(80_000),
      arguments: { list: Array.from({ length: 300 }, (_, i) => i) },
    }
    const odd = transcriptOf([
      { type: 'log', content: 'a' },
      'no JSON <script>',
      '',
      large,
      ' '.repeat(MAX_LINE_BYTES + 1),
      `x${'y'.repeat(70_000)}`,
      { type: 'log', content: 'last' },
    ])
    const base = pathOf(await addTranscript(write, { run_id: 'r', case_key: KEY }, odd))
    await whole(base)
    const { events: shown } = await get<TranscriptEvents>('/events', base)
    expect(shown.map(({ n, text, cut }) => [n, text?.slice(0, 20), cut])).toEqual([
      [1, undefined, undefined],
      [2, 'no JSON <script>', undefined],
      [3, undefined, true],
      [4, 'This line is too lon', true],
      [5, `x${'y'.repeat(19)}`, true],
      [6, undefined, undefined],
    ])
    const cut = shown[2]?.event as { readonly result: string; readonly arguments: { readonly list: unknown[] } }
    expect([cut.result.length, cut.arguments.list.length]).toEqual([8193, 201])
    expect((await read('GET', `${base}/events/3`)).json()).toEqual(large)
    expect((await read('GET', `${base}/events/2`)).headers['content-type']).toBe('application/octet-stream')
    expect(await get('/find?q=last', base)).toMatchObject({ events: [6] })
    expect(await get<TranscriptSummary>('', base)).toMatchObject({
      events: 6,
      skipped: 1,
      types: { text: 3, log: 2, tool: 1 },
    })
  })

  it('is outlined once, on from where an earlier process stopped, and shown as far as it is', async () => {
    const line = JSON.stringify({ type: 'message', role: 'user', content: noise(45_000, 3).toString('base64') })
    const long = transcriptOf(
      Array.from({ length: 1050 }, (_, i) => line.replace('message', i === 1049 ? 'score' : 'message')),
    )
    const base = pathOf(await addTranscript(write, { run_id: 'r', case_key: KEY }, long))
    const first = await get<TranscriptSummary>('', base)
    expect(first.events).toBeGreaterThan(0)
    expect((await get<TranscriptEvents>('/events?limit=1', base)).events).toHaveLength(1)
    await whole(base)
    expect(await get<TranscriptSummary>('', base)).toMatchObject({ events: 1050, types: { message: 1049, score: 1 } })
    const outline = `part_no = (SELECT max(part_no) FROM outlines) AND version = ${OUTLINE_VERSION}`
    expect(await spec.rows(`SELECT n FROM outlines WHERE ${outline} ORDER BY n`)).toMatchObject(
      [-2, -1, 0].map((n) => ({ n })),
    )
    expect((await get<TranscriptOutline>('/outline?types=score', base)).events).toMatchObject([{ n: 1050 }])
    expect((await get<TranscriptEvents>('/events', base)).next).toBeGreaterThan(10)
  })

  it('has an outline that is sealed: under another key, or in the place of another row, it is an error', async () => {
    const lines = transcriptOf([{ type: 'message', role: 'user', content: 'of a sealed outline' }])
    const base = pathOf(await addTranscript(write, { run_id: 'r', case_key: KEY }, lines))
    await whole(base)
    await whole()
    const numberOf = async (digest: string) =>
      Number((await spec.column('SELECT part_no FROM parts WHERE sha256 = $1', [digest]))[0])
    const [own, other] = [await numberOf(digestOf(lines)), await numberOf(sha256)]
    const rowAt = async (n: number) => {
      const [stored] = await spec.column(`SELECT bytes FROM outlines WHERE part_no = ${own} AND n = ${n}`)
      return Buffer.from(stored as Uint8Array)
    }
    // What begins data of zstd.
    const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
    for (const n of [-1, -2]) expect((await rowAt(n)).includes(MAGIC)).toBe(false)
    const swap = async (table: string, column: string, a: string, b: string) => {
      const to = (place: string) => `SELECT ${column} FROM ${table} WHERE ${place}`
      await spec.execute(
        `CREATE TABLE swapped AS SELECT (${to(a)}) AS a, (${to(b)}) AS b;
         UPDATE ${table} SET ${column} = (SELECT b FROM swapped) WHERE ${a};
         UPDATE ${table} SET ${column} = (SELECT a FROM swapped) WHERE ${b};
         DROP TABLE swapped;`,
      )
    }
    const statusNow = async () => (await read('GET', `${path}/outline?from=1&limit=1`)).statusCode
    for (const [table, column, a, b] of [
      ['outline_keys', 'key', `part_no = ${own}`, `part_no = ${other}`],
      // Two blocks of events, which are sealed under the same key.
      ['outlines', 'bytes', `part_no = ${other} AND n = 0`, `part_no = ${other} AND n = 1`],
    ] as const) {
      await swap(table, column, a, b)
      expect(await statusNow()).toBe(500)
      await swap(table, column, a, b)
      expect(await statusNow()).toBe(200)
    }
  })

  it('leaves no outline, and no key of one, when its run is deleted', async () => {
    await spec.ingest(aDocument({ run_id: 'goes', cases: [aCase()] }))
    const digest = await addTranscript(
      write,
      { run_id: 'goes', case_key: KEY },
      transcriptOf([{ type: 'log', content: 'to be deleted' }]),
    )
    expect((await spec.getJson<TranscriptSummary>(`/runs/goes/transcripts/${digest}`)).events).toBe(1)
    const part = await spec.column(`SELECT part_no FROM parts WHERE sha256 = '${digest}'`)
    const rowsOf = () => spec.rows(`SELECT n FROM outlines WHERE part_no = ${String(part[0])}`)
    const keysOf = () => spec.rows(`SELECT part_no FROM outline_keys WHERE part_no = ${String(part[0])}`)
    expect([await rowsOf(), await keysOf()].map(({ length }) => length)).toEqual([2, 1])
    await spec.sendAs('admin')('DELETE', '/runs/goes')
    expect([await rowsOf(), await keysOf()]).toEqual([[], []])
    expect((await read('GET', `/runs/goes/transcripts/${digest}`)).statusCode).toBe(404)
    // A step that was made before stores nothing any more.
    const late = { part_no: Number(part[0]), version: OUTLINE_VERSION, secret: Buffer.alloc(32), outlined: 9, rows: [] }
    expect(await spec.service.commit.storeOutline(SYSTEM, late)).toEqual({ isStored: false })
    expect(await keysOf()).toEqual([])
  })

  it('is absent by another run, by a part that is no transcript, and by a digest of none', async () => {
    const other = Buffer.from('no transcript')
    await attach(write, 'r', await sendEvidence(write, [{ bytes: other, role: 'other', case_key: KEY }]))
    await spec.ingest(aDocument({ run_id: 'other', cases: [aCase()] }))
    const absent = await read('GET', `/runs/unknown/transcripts/${sha256}`)
    expect(absent.statusCode).toBe(404)
    for (const url of [
      pathOf(digestOf(other)),
      pathOf('x'),
      `/runs/other/transcripts/${sha256}`,
      ...['/outline', '/events', '/events/1', '/find?q=a'].map((rest) => `/runs/other/transcripts/${sha256}${rest}`),
    ]) {
      const { statusCode, body } = await read('GET', url)
      expect([url, statusCode, body]).toEqual([url, 404, absent.body])
    }
  })

  it('is hidden with its run, byte for byte', async () => {
    const viewer = await spec.addUser('viewer', 'viewer')
    await spec.ingest(aDocument({ run_id: 'hidden', project: 'secret', suite: 's', cases: [aCase()] }))
    const digest = await addTranscript(write, { run_id: 'hidden', case_key: KEY }, bytes)
    await spec.restrict('secret')
    for (const rest of ['', '/outline', '/events', '/events/1', '/find?q=turn']) {
      const hidden = await viewer.send('GET', `/runs/hidden/transcripts/${digest}${rest}`)
      const unknown = await viewer.send('GET', `/runs/unknown/transcripts/${digest}${rest}`)
      const { 'x-request-id': _a, date: _b, ...headers } = hidden.headers
      const { 'x-request-id': _c, date: _d, ...wanted } = unknown.headers
      expect([hidden.statusCode, hidden.body, headers]).toEqual([404, unknown.body, wanted])
    }
    await spec.grant('viewer', 'view', 'secret')
    expect((await viewer.send('GET', `/runs/hidden/transcripts/${digest}`)).statusCode).toBe(200)
  })

  it('refuses filters that are none', async () => {
    for (const query of ['types=', 'types=what', 'types=tool,', 'span=x', 'from=x', 'message=', 'limit=x'])
      expect([query, (await read('GET', `${path}/events?${query}`)).statusCode]).toEqual([query, 400])
  })

  it('is absent if its run is deleted while it is read, and damaged if the run is there', async () => {
    await spec.ingest(aDocument({ run_id: 'gone', cases: [aCase()] }))
    const digest = await addTranscript(write, { run_id: 'gone', case_key: KEY }, bytes)
    const reading = (run_id: string, work: () => Promise<unknown>) =>
      unlessDeleted(spec.service, SYSTEM, { run_id, sha256: digest }, async () => {
        await work()
        throw new ObjectDamaged('missing bytes')
      })
    await expect(reading('gone', async () => {})).rejects.toThrow('missing bytes')
    expect(await reading('gone', () => spec.sendAs('admin')('DELETE', '/runs/gone'))).toBeNull()
  })
})

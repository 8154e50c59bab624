import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { waitingEvidence } from '../../../../http/routes/imports/keep-evidence.ts'
import { recordFile } from '../../../../http/routes/imports/record-file.ts'
import { ImportQuery } from '../../../../http/routes/imports/import-query.ts'
import { SYSTEM } from '../../../../queries/access/viewer.ts'
import type { ImportResult } from '../../../../queries/imports/import-result.ts'
import { aDocument } from '../../../support/documents/documents.ts'
import { digestOf } from '../../../support/documents/parts.ts'
import { SAMPLES } from '../../../support/interchange/import-files.ts'
import type { Caller, SpecApp } from '../../../support/servers/app.ts'
import { appOpener } from '../../../support/servers/opening-apps.ts'
import { wrapCalls } from '../../../support/wrap-calls.ts'

const open = appOpener()
const CAPITALS = readFileSync(join(SAMPLES, 'promptfoo', 'v3-capitals.json'))

type Asked = { readonly type?: string; readonly headers?: Record<string, string>; readonly caller?: Caller }

const post = async (
  spec: SpecApp,
  query: string,
  body: Buffer | string,
  { type = 'application/octet-stream', headers = {}, caller = 'write' }: Asked = {},
) => {
  const answer = await spec.sendAs(caller)('POST', `/import${query}`, {
    body,
    headers: { 'content-type': type, ...headers },
  })
  return { status: answer.statusCode, body: answer.json<ImportResult & { error?: string }>() }
}

const form = async (parts: Readonly<Record<string, string | File>>) => {
  const data = new FormData()
  for (const [name, value] of Object.entries(parts)) data.set(name, value)
  const response = new Response(data)
  return { type: response.headers.get('content-type') ?? '', body: Buffer.from(await response.arrayBuffer()) }
}

describe('an import over HTTP', () => {
  it('stores the runs of a file once, and lists what was lost', async () => {
    const spec = await open()
    const first = await post(spec, '', CAPITALS)
    expect(first).toMatchObject({
      status: 200,
      body: {
        format: 'promptfoo',
        runs: [{ outcome: 'imported', project: 'promptfoo', cases: 48, statuses: { pass: 24, fail: 16, error: 8 } }],
        refused: [],
      },
    })
    const [run] = first.body.runs
    expect(run?.url).toMatch(new RegExp(`/runs/${run?.id}$`))
    expect(await spec.column('SELECT id FROM runs')).toEqual([run?.id])
    const second = await post(spec, '?name=other.json', gzipSync(CAPITALS), { headers: { 'content-encoding': 'gzip' } })
    expect(second.body.runs).toMatchObject([{ id: run?.id, outcome: 'already_there', cases: 48 }])
    expect(await spec.column('SELECT count(*) FROM runs')).toEqual([1])
  })

  it('keeps the file and what it has besides as evidence, also of runs that are there without', async () => {
    const spec = await open()
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith('ers-posted-'))
    const log = readFileSync(join(SAMPLES, 'inspect', '2025-05-12T20-27-36-04-00_browser.json'))
    const evidenceOf = async (id = '') => {
      const { evidence, originals } = (await spec.sendAs('read')('GET', `/runs/${id}/evidence`)).json<{
        evidence: Array<{ part_count: number }>
        originals: Array<{ sha256: string; name: string }>
      }>()
      return { evidence, originals }
    }
    const bare = await post(spec, '?name=log.json&evidence=none', log)
    expect(bare.body.losses).toContainEqual(expect.objectContaining({ kind: 'left_out', path: 'samples.*.events' }))
    const id = bare.body.runs[0]?.id
    expect((await evidenceOf(id)).evidence).toEqual([])
    const dry = await post(spec, '?name=log.json&dry_run=true', log)
    expect(dry.body.runs).toMatchObject([{ id, outcome: 'evidence_added' }])
    expect(dry.body.losses.filter(({ kind }) => kind === 'left_out')).toEqual([])
    expect((await evidenceOf(id)).evidence).toEqual([])
    const added = await post(spec, '?name=log.json', log)
    expect(added.body.runs).toMatchObject([{ id, outcome: 'evidence_added' }])
    const { evidence, originals } = await evidenceOf(id)
    expect(evidence).toHaveLength(1)
    expect(originals).toMatchObject([{ name: 'log.json', sha256: digestOf(log) }])
    const part = await spec.sendAs('read')('GET', `/runs/${id}/parts/${digestOf(log)}`)
    expect(part.rawPayload.equals(log)).toBe(true)
    expect((await post(spec, '?name=log.json', log)).body.runs).toMatchObject([{ outcome: 'already_there' }])

    const transcripts = await post(spec, '?name=log.json&evidence=transcripts&suite=other', log)
    expect(transcripts.body.runs).toMatchObject([{ outcome: 'already_there' }])
    const fresh = await post(
      spec,
      '?name=..%2F..%2Flog.eval',
      readFileSync(join(SAMPLES, 'inspect', 'log_streaming.eval')),
    )
    expect(fresh.body.runs).toMatchObject([{ outcome: 'imported' }])
    expect((await evidenceOf(fresh.body.runs[0]?.id)).originals).toHaveLength(1)
    // Nothing is left in the folder for temporary files.
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('ers-posted-'))).toEqual(before)
  })

  it('takes a file whose name is too long for a file system', async () => {
    const spec = await open()
    const name = `${'語'.repeat(99)}.json`
    const { status, body } = await post(spec, `?name=${encodeURIComponent(name)}`, CAPITALS)
    expect([status, body.runs[0]?.outcome]).toEqual([200, 'imported'])
    const answer = await spec.sendAs('read')('GET', `/runs/${body.runs[0]?.id}/evidence`)
    expect(answer.json<{ originals: unknown }>().originals).toMatchObject([{ name }])
  })

  it('names no place of the server', async () => {
    await using waiting = await waitingEvidence({ name: 'a', bytes: CAPITALS, map: null }, 'all', 1000)
    const { withoutPlace, originalPath } = waiting
    expect(withoutPlace(`ENOSPC: no space left on device, open '${originalPath}'`)).toBe(
      "ENOSPC: no space left on device, open '(temporary folder)/source/upload'",
    )
  })

  it('stores no part for whom may not upload into the set', async () => {
    const spec = await open()
    const answer = await spec.sendAs('admin')('PUT', '/sets/promptfoo/suites/capitals/restriction')
    expect(answer.statusCode).toBeLessThan(300)
    const refused = await post(spec, '?suite=capitals', CAPITALS)
    expect(refused).toMatchObject({ status: 422 })
    expect(await spec.column('SELECT count(*) FROM staged_parts')).toEqual([0])
  })

  it('stores nothing in a dry run', async () => {
    const spec = await open()
    const { body } = await post(spec, '?dry_run=true&project=mine&suite=other', CAPITALS)
    expect(body.runs).toMatchObject([{ outcome: 'new', project: 'mine', suite: 'other', cases: 48 }])
    expect(await spec.column('SELECT count(*) FROM runs')).toEqual([0])
  })

  it('reports a run that is stored with other content, and changes nothing', async () => {
    const spec = await open()
    await post(spec, '', CAPITALS)
    const text = CAPITALS.toString().replace('Paris is the capital of France.', 'Paris, of course.')
    expect((await post(spec, '', text)).body.runs).toMatchObject([{ outcome: 'changed' }])
    expect(await spec.column('SELECT count(*) FROM runs')).toEqual([1])
  })

  it('refuses a restricted suite without a grant, and an id that a hidden run has', async () => {
    const spec = await open()
    await spec.restrict('promptfoo')
    const refused = await post(spec, '', CAPITALS)
    expect((await post(spec, '?dry_run=true', CAPITALS)).body.refused).toEqual(refused.body.refused)
    expect(refused).toMatchObject({
      status: 422,
      body: { error: 'this run set is restricted; you need an upload grant on it', refused: [{ part: null }] },
    })
    await post(spec, '', CAPITALS, { caller: 'admin' })
    expect((await post(spec, '?project=open', CAPITALS)).body.error).toBe(
      'another run exists under this id with different content',
    )
  })

  it('takes a form with the file', async () => {
    const spec = await open()
    const { type, body } = await form({ file: new File([new Uint8Array(CAPITALS)], 'capitals.json') })
    expect((await post(spec, '', body, { type })).body.runs).toMatchObject([{ outcome: 'imported', cases: 48 }])
    const empty = await form({ map: 'format: csv' })
    expect(await post(spec, '', empty.body, { type: empty.type })).toMatchObject({
      status: 400,
      body: { error: 'the form has no file in its part "file"' },
    })
    expect((await post(spec, '', 'x', { type: 'multipart/form-data; boundary=y' })).status).toBe(400)
  })

  it('reads a table by the map of the form, without the name of the format', async () => {
    const spec = await open()
    const map = 'format: csv\ncase: { test: { column: a } }\nstatus: { column: b, pass: [x], fail: [y] }\n'
    const { type, body } = await form({ file: new File(['a,b\none,x\ntwo,y\n'], 'table.csv'), map })
    expect((await post(spec, '?created_at=2026-01-02T03:04:05Z', body, { type })).body).toMatchObject({
      format: 'table',
      runs: [{ outcome: 'imported', cases: 2, statuses: { pass: 1, fail: 1 } }],
    })
  })

  it('lists the scores that have no result, asks what they need, and follows what it is given', async () => {
    const spec = await open()
    const data = [5, 1, 4].map((grade, n) => [`q${n}`, 'a', grade, n / 10, n > 0])
    const columns = ['inputs', 'outputs', 'grade/score', 'toxicity/score', 'helpful/score']
    const table = JSON.stringify({ columns, data })
    const time = 'created_at=2026-01-02T03:04:05Z'
    const ask = async (query: string) => (await post(spec, `?dry_run=true&${time}&${query}`, table)).body
    expect(await ask('')).toMatchObject({
      runs: [{ statuses: { pass: 2, fail: 1 } }],
      scores: [
        {
          name: 'grade/score',
          values: 3,
          min: 1,
          max: 5,
          range: null,
          decides: false,
          passes_from: null,
          asks: 'range',
        },
        { name: 'toxicity/score', min: 0, max: 0.2, decides: false, asks: 'direction' },
        { name: 'helpful/score', decides: true, passes_from: 0.5, asks: null },
      ],
    })
    const words = 'score=grade%3D1..5&pass_threshold=grade%3D4&pass_threshold=toxicity%3D0.1&lower_is_better=toxicity'
    expect(await ask(`${words}&scorer=grade&scorer=toxicity`)).toMatchObject({
      runs: [{ statuses: { pass: 1, fail: 2 } }],
      scores: [
        { name: 'grade/score', range: [1, 5], decides: true, passes_from: 4, asks: null },
        { name: 'toxicity/score', lower_is_better: true, decides: true, passes_from: 0.1, asks: null },
        { name: 'helpful/score', decides: false, asks: null },
      ],
    })
    expect((await post(spec, `?${time}`, table)).body).toMatchObject({ runs: [{ outcome: 'imported' }] })
    expect((await post(spec, `?${time}`, table)).body).toMatchObject({ runs: [{ outcome: 'already_there' }] })
    expect((await post(spec, `?${time}&${words}`, table)).body).toMatchObject({ runs: [{ outcome: 'changed' }] })
  })

  it('takes run documents of this service as well', async () => {
    const spec = await open()
    const lines = ['a', 'b'].map((run_id) => JSON.stringify(aDocument({ run_id }))).join('\n')
    expect((await post(spec, '', lines)).body).toMatchObject({
      format: 'ers',
      runs: [
        { id: 'a', outcome: 'imported', part: '1' },
        { id: 'b', outcome: 'imported', part: '2' },
      ],
    })
  })

  it.each([
    ['another type', '', { type: 'application/json' }, '{}', 400, 'is not application/octet-stream'],
    ['an unknown parameter', '?nope=1', {}, '{}', 400, 'nope'],
    ['an unknown format', '?format=nope', {}, '{}', 400, 'format'],
    ['a threshold that is no number', '?pass_threshold=high', {}, '{}', 400, 'pass_threshold'],
    ['a range that is none', '?score=judge%3D5..1', {}, '{}', 400, 'NAME=MIN..MAX'],
    ['an unknown zone', '?time_zone=Mars/Olympus', {}, '{}', 400, 'time_zone'],
    ['a time that is none', '?created_at=yesterday', {}, '{}', 400, 'created_at'],
    ['a time after all times', '?created_at=9999999999999999', {}, '{}', 400, 'created_at'],
    ['a database', '', {}, 'SQLite format 3\0…', 415, 'ers import'],
    ['an unknown file', '', {}, '{"a":1}', 422, 'with the keys a'],
    ['an empty file', '', {}, '', 422, 'the file is empty'],
    ['a file of another format', '?format=promptfoo', {}, '{"a":1}', 422, 'is not a file of promptfoo'],
    ['an unknown scorer', '?scorer=nope', {}, CAPITALS, 422, 'no assertion is named nope'],
    ['a read token', '', { caller: 'read' as const }, CAPITALS, 403, 'insufficient scope'],
  ] as const)('refuses %s', async (_, query, asked, body, status, text) => {
    const spec = await open()
    const answer = await post(spec, query, body, asked)
    expect(answer.status).toBe(status)
    expect(answer.body.error).toContain(text)
    expect(await spec.column('SELECT count(*) FROM runs')).toEqual([0])
  })

  it('ends at its deadline, and says what to do', async () => {
    const spec = await open()
    const viewer = { ...SYSTEM, actor: { ...SYSTEM.actor, kind: 'cli' as const } }
    const file = { name: 'a.json', bytes: CAPITALS, map: null }
    const asked = {
      query: ImportQuery.parse({}),
      signal: new AbortController().signal,
      deadline: AbortSignal.abort(new Error('the deadline')),
      urlOf: (id: string) => id,
    }
    expect(await recordFile(spec.services, viewer, file, asked)).toMatchObject({
      runs: [],
      refused: [{ part: null, reason: 'takes more than 120 s to be read: use the command ers import' }],
    })
    // A client that has left is no deadline.
    const left = recordFile(spec.services, viewer, file, { ...asked, signal: AbortSignal.abort(new Error('left')) })
    await expect(left).rejects.toThrow()
  })

  it('ends at its deadline between run documents of this service, and keeps those that are recorded', async () => {
    const spec = await open()
    const viewer = { ...SYSTEM, actor: { ...SYSTEM.actor, kind: 'cli' as const } }
    const lines = ['first', 'second', 'third'].map((run_id) => JSON.stringify(aDocument({ run_id })))
    const deadline = new AbortController()
    const { reader, documents, commit, config, partStore } = spec.services
    const slow = wrapCalls(commit, async ({ run }) => {
      const recorded = await run()
      deadline.abort()
      return recorded
    })
    const result = await recordFile(
      { reader, documents, commit: slow, config, partStore },
      viewer,
      { name: 'runs.jsonl', bytes: Buffer.from(lines.join('\n')), map: null },
      {
        query: ImportQuery.parse({}),
        signal: new AbortController().signal,
        deadline: deadline.signal,
        urlOf: (id: string) => id,
      },
    )
    expect(result).toMatchObject({
      runs: [{ id: 'first', outcome: 'imported' }],
      refused: [{ part: '2', reason: 'takes more than 120 s to be read: use the command ers import' }],
    })
  })
})

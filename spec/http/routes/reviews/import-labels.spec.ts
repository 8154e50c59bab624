import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { SYSTEM } from '../../../../queries/access/viewer.ts'
import type { ReviewItemList } from '../../../../queries/reviews/queue-items.ts'
import type { ReviewQueue } from '../../../../queries/reviews/queues.ts'
import { caseKey } from '../../../../domain/run/case-key.ts'
import { json, statusAndBody } from '../../../support/access/access-requests.ts'
import { judgedRun, PLANTED } from '../../../support/documents/queues.ts'
import { postRubric, RUBRIC_FIELDS } from '../../../support/documents/rubrics.ts'
import { openSigningApp } from '../../../support/proof/signing-app.ts'
import type { Send } from '../../../support/servers/app.ts'
import { databaseStore } from '../../../support/stores/database.ts'
import { differencesIn } from '../../../support/stores/deep-comparison.ts'
import { verifyStore } from '../../../support/stores/verified.ts'

let clock = Date.UTC(2026, 4, 4, 8)
const { spec } = await openSigningApp({ now: () => clock })
afterAll(() => spec.close())
const [write, admin] = [spec.sendAs('write'), spec.sendAs('admin')]
const SET = { project: 'chat', suite: 'review' } as const
const max = await spec.addUser('max')
let [run_id, rubric_id, runs] = ['', '', 0]

const QUESTIONS = [...RUBRIC_FIELDS.questions, { key: 'why', kind: 'comment', label: 'Why?' }]

beforeEach(async () => {
  clock += 60_000
  run_id = `${PLANTED.run}-${++runs}`
  const run = judgedRun(run_id, 6, 4)
  const cases = run.cases.map((each, n) => ({
    ...each,
    raw: { traceId: `trace-${n}`, trace_id: `00000000-0000-0000-0000-00000000000${n + 1}` },
  }))
  expect((await spec.ingest({ ...run, cases })).statusCode).toBe(201)
  rubric_id = await postRubric(write, { ...SET, ...RUBRIC_FIELDS, questions: QUESTIONS })
})

const SAMPLES = fileURLToPath(new URL('../../../interchange/labels/samples/', import.meta.url))
const sample = (name: string) => readFileSync(join(SAMPLES, name))
type Imported = {
  readonly queue: ReviewQueue | null
  readonly labels: number
  readonly repeated: number
  readonly left_out: readonly unknown[]
}
type Parameters = Readonly<Record<string, string | readonly string[]>>

const importAs = async (send: Send, body: string | Buffer, more: Parameters): Promise<[number, Imported]> => {
  const query = new URLSearchParams()
  const given = { rubric_id, run_id, target: 'metric', metric: 'llm-rubric', match: 'test_id', ...more }
  for (const [name, value] of Object.entries(given)) for (const each of [value].flat()) query.append(name, each)
  return statusAndBody(
    await send('POST', `/review-queues/import?${query.toString()}`, {
      headers: { 'content-type': 'application/octet-stream' },
      body,
    }),
  ) as [number, Imported]
}
const importFile = (body: string | Buffer, more: Parameters) => importAs(max.send, body, more)
const importCsv = (rows: string, more: Parameters = {}) =>
  importFile(`case,reviewer,answer\n${rows}`, { from: 'csv', ...more })
const itemsOf = async (queue: ReviewQueue | null): Promise<ReviewItemList['items']> =>
  (await write('GET', `/review-queues/${queue?.id}/items`)).json<ReviewItemList>().items
const MEANINGS = { question: 'correct', pass: 'Good', cannot_tell: 'Unsure' }

describe('labels of another tool', () => {
  it.each([
    ['label-studio', 'label-studio.json', 'test_id', { cancelled: 1, not_by_a_person: 6, other_question: 1 }],
    ['argilla', 'argilla.json', 'test_id', { not_by_a_person: 6, not_submitted: 2, other_question: 6 }],
    ['langfuse', 'langfuse.json', 'traceId', { not_by_a_person: 6, other_question: 1, unmatched: 1 }],
    ['langsmith', 'langsmith.jsonl', 'trace_id', { not_by_a_person: 6, other_question: 1 }],
    ['csv', 'labels.csv', 'test_id', { unmatched: 1 }],
  ])('of %s are a closed queue, and the same file again is nothing', async (from, name, match, left_out) => {
    const [status, first] = await importFile(sample(name), { from, match, ...MEANINGS })
    expect([status, first.labels, first.repeated]).toEqual([201, 12, 0])
    const counts = (first.left_out as Array<{ reason: string; count: number }>).map(({ reason, count }) => [
      reason,
      count,
    ])
    expect(Object.fromEntries(counts)).toEqual(left_out)
    expect(first.queue).toMatchObject({
      ...{ targeted: true, cause: 'request', selection: { kind: 'imported', count: 6, format: from } },
      progress: { given: 12, final: 4, waiting: 2 },
    })
    const items = await itemsOf(first.queue)
    expect(items.map(({ final }) => final)).toEqual(['pass', 'pass', 'fail', null, 'fail', null])
    expect(items.map(({ labels }) => labels?.map(({ answers }) => answers['right']))).toEqual([
      ['pass', 'pass'],
      ['pass', 'pass'],
      ['fail', 'fail'],
      ['pass', 'fail'],
      ['fail', 'fail'],
      [null, 'pass'],
    ])
    const before = await spec.column('SELECT count(*) FROM events')
    expect(await importFile(sample(name), { from, match, ...MEANINGS })).toMatchObject([
      200,
      { queue: null, labels: 0, repeated: 12 },
    ])
    expect(await spec.column('SELECT count(*) FROM events')).toEqual(before)
    expect(await differencesIn(store())).toBeNull()
    expect((await verifyStore(spec)).finding).toBeNull()
  })

  it('are not known to be blind, and their people are letters, with names for those who imported them', async () => {
    const [, { queue }] = await importFile(sample('labels.csv'), { from: 'csv', ...MEANINGS })
    expect(queue?.people).toEqual([
      { letter: 'A', name: 'ann', role: 'reviewer', labelled: 6, declined: 0 },
      { letter: 'B', name: 'ben', role: 'reviewer', labelled: 6, declined: 0 },
    ])
    const viewer = await spec.addUser(`viewer-${runs}`, 'viewer')
    const seen = (await viewer.send('GET', `/review-queues/${queue?.id}`)).json<ReviewQueue>()
    expect(seen.people.map(({ name }) => name)).toEqual([null, null])
    const [item] = await itemsOf(queue)
    expect(item?.labels?.[0]).toEqual({
      ...{
        letter: 'A',
        answers: { right: 'pass' },
        decides: 'pass',
        texts: { why: '=1+1' },
        seconds: 6,
        blind: 'unknown',
      },
      ...{ recognised: false, adjudicates: false, own_run: false },
    })
    const csv = (await write('GET', `/review-queues/${queue?.id}/export/csv`)).body
    expect(csv).toContain(",'=1+1,")
    expect(csv).toContain(',unknown,')
    expect(csv).not.toContain(',ann,')
    expect((await max.send('GET', '/review/queues')).json()).toEqual({ queues: [] })
    const agreement = (await write('GET', `/review-queues/${queue?.id}/agreement`)).json<{ people: unknown[] }>()
    expect(agreement.people).toMatchObject([{ person: 'A', labels: 6 }, { person: 'B' }])
  })

  it('count for a calibration only if the cases were drawn at random, and are as old as the tool says', async () => {
    const state = async () =>
      (await write('GET', `/runs/${run_id}/calibration?target=metric&metric=llm-rubric`)).json<{
        state: string
        given: { labels: number; unknown: number; people: number }
      }>()
    await importFile(sample('labels.csv'), { from: 'csv', ...MEANINGS })
    expect((await state()).state).toBe('none')
    const other = await postRubric(write, { ...SET, ...RUBRIC_FIELDS, questions: QUESTIONS })
    const random = { from: 'csv', ...MEANINGS, random_sample: 'true', rubric_id: other }
    const [, { queue }] = await importFile(sample('labels.csv'), random)
    expect(queue?.targeted).toBe(false)
    expect(await state()).toMatchObject({ given: { labels: 12, unknown: 12, people: 2 } })
    const given = await spec.column(`SELECT given_at FROM labels WHERE queue_id = '${queue?.id}' ORDER BY seq`)
    expect(given[0]).toBe(Date.UTC(2026, 2, 2, 9, 1))
    const late = 'case,reviewer,answer,given_at\ntest-0,cyd,pass,2199-01-01T00:00:00Z\n'
    const [, { queue: later }] = await importFile(late, { from: 'csv' })
    expect(await spec.column(`SELECT given_at FROM labels WHERE queue_id = '${later?.id}'`)).toEqual([clock])
  })

  it('are found by the key of the case or by a variable', async () => {
    const key = caseKey({ provider_id: PLANTED.provider, prompt_id: 'terse', test_id: 'test-4', repeat: 0 })
    const [, byKey] = await importCsv(`${key},ann,pass`, { match: 'case_key' })
    expect(await itemsOf(byKey.queue)).toMatchObject([{ case_key: key, verdict: 'fail', final: 'pass' }])
    const [, byVariable] = await importCsv('Question 2?,ann,fail', { match: 'question' })
    expect(await itemsOf(byVariable.queue)).toMatchObject([{ verdict: 'pass', final: 'fail' }])
  })

  it('of which some are new are imported by whole cases', async () => {
    await importCsv('test-0,ann,pass\ntest-1,ann,fail')
    const [status, more] = await importCsv('test-0,ann,pass\ntest-1,ann,fail\ntest-1,ben,fail\ntest-2,ann,pass')
    expect([status, more.labels, more.repeated, more.queue?.items]).toEqual([201, 3, 1, 2])
    expect(await importCsv('test-2,ann,pass\ntest-0,ann,pass')).toMatchObject([200, { repeated: 2 }])
  })

  it('that one person gave twice count once: the later one', async () => {
    const twice = 'case,reviewer,answer,given_at\ntest-0,ann,fail,2026-03-02\ntest-0,ann,pass,2026-03-01\n'
    const [, { queue }] = await importFile(twice, { from: 'csv' })
    expect(await itemsOf(queue)).toMatchObject([{ final: 'fail', labels: [{ answers: { right: 'fail' } }] }])
    expect(await spec.column(`SELECT standing FROM labels WHERE queue_id = '${queue?.id}' ORDER BY seq`)).toEqual([
      0, 1,
    ])
  })

  it('are decided by the majority, unless all must agree', async () => {
    const rows = 'test-0,ann,pass\ntest-0,ben,pass\ntest-0,cyd,fail\ntest-1,ann,pass'
    const [, majority] = await importCsv(rows)
    expect((await itemsOf(majority.queue)).map(({ final, state }) => [final, state])).toEqual([
      ['pass', 'final'],
      ['pass', 'final'],
    ])
    const other = await postRubric(write, { ...SET, ...RUBRIC_FIELDS, questions: QUESTIONS })
    const [, all] = await importCsv(rows, { resolve: 'adjudicate', rubric_id: other })
    expect((await itemsOf(all.queue)).map(({ state }) => state)).toEqual(['waiting', 'final'])
  })

  it.each([
    [
      'an answer that is none',
      'test-0,ann,maybe',
      {},
      'row 2: "maybe" is neither pass nor fail: say with pass which values pass',
    ],
    [
      'the same person twice',
      'test-0,ann,pass\ntest-0,ann,fail',
      {},
      'row 3: reviewer: "ann" labelled this case in row 2, too',
    ],
    ['a row without a reviewer', 'test-0,,pass', {}, 'file: row 2: reviewer: is empty'],
    ['more fields than columns', 'test-0,ann,pass,why', {}, 'file: row 2: has 4 fields, but the header has 3'],
    [
      'no case of the run',
      'test-9,ann,pass',
      {},
      'file: has no label of a person for a case of this run; unmatched: 1, such as row 2: test_id test-9',
    ],
    ['a long name', `test-0,${'a'.repeat(201)},pass`, {}, 'row 2: reviewer: has more than 200 characters'],
    ['an unknown metric', 'test-0,ann,pass', { metric: 'other' }, 'metric: no judge decided other in this run'],
  ])('are refused with %s, as a whole', async (_, rows, more, problem) => {
    const before = await spec.column('SELECT count(*) FROM events')
    const [status, body] = await importCsv(`${rows}\n`, more)
    expect([status, (body as unknown as { error: string }).error]).toEqual([422, expect.stringContaining(problem)])
    expect(await spec.column('SELECT count(*) FROM events')).toEqual(before)
  })

  it.each([
    [
      'scores of models alone',
      'langfuse',
      '[{"id":"s","source":"EVAL","name":"correct","value":1}]',
      'not_by_a_person: 1, such as record 1 (score s)',
    ],
    [
      'a file that does not say what was submitted',
      'argilla',
      sample('argilla-nested.json'),
      'responses: do not say which were submitted',
    ],
    [
      'another export of the tool',
      'label-studio',
      '[{"id":1,"correct":"Good"}]',
      'record 1 (task 1): annotations: no list',
    ],
    ['a file that is no JSON', 'langsmith', 'nothing', 'not valid JSON'],
    ['a line that is cut off', 'langsmith', '{"id":"a","key":"b"}\n{"id":', 'line 2 is cut off'],
  ])('are refused with %s', async (_, from, body, problem) => {
    const [status, answer] = await importFile(body, { from, ...MEANINGS })
    expect([status, (answer as unknown as { error: string }).error]).toEqual([422, expect.stringContaining(problem)])
  })

  it('need a question that cases of a run can answer', async () => {
    const preference = await postRubric(write, {
      ...{ ...SET, ...RUBRIC_FIELDS },
      questions: [{ key: 'better', kind: 'preference', label: 'Which is better?', deciding: true }],
    })
    expect(await importCsv('test-0,ann,a', { rubric_id: preference })).toEqual([
      422,
      { error: 'rubric_id: labels of pairs are not imported' },
    ])
    await write('POST', `/rubrics/${rubric_id}/retire`, { headers: json, body: '{}' })
    expect(await importCsv('test-0,ann,pass')).toEqual([409, { error: 'the rubric is retired' }])
    expect(await importCsv('test-0,ann,pass', { rubric_id: 'ghost' })).toEqual([404, { error: 'rubric not found' }])
    const other = await postRubric(write, { ...SET, ...RUBRIC_FIELDS, questions: QUESTIONS })
    expect(await importCsv('test-0,ann,pass', { rubric_id: other, run_id: 'ghost' })).toEqual([
      404,
      { error: 'run not found' },
    ])
  })

  it('answer a score in its steps, and a category by the key or the words of an option', async () => {
    const score = { key: 'grade', kind: 'score', label: 'Grade', deciding: true, min: 1, max: 5, step: 1, pass_from: 4 }
    const graded = await postRubric(write, { ...SET, ...RUBRIC_FIELDS, questions: [score] })
    const [, { queue, left_out }] = await importFile(
      'case,reviewer,answer,comment\ntest-0,ann,4,fine\ntest-1,ann,2,\n',
      {
        ...{ from: 'csv', rubric_id: graded },
      },
    )
    expect(left_out).toEqual([{ reason: 'comment', count: 1, first: ['row 2'] }])
    expect((await itemsOf(queue)).map(({ final, final_score }) => [final, final_score])).toEqual([
      ['pass', 4],
      ['fail', 2],
    ])
    expect(await importCsv('test-2,ann,2.5', { rubric_id: graded })).toEqual([
      422,
      { error: 'row 2: "2.5" is no number from 1 to 5 in steps of 1' },
    ])
    const options = [
      { key: 'ok', label: 'All right', pass: true },
      { key: 'bad', label: 'Wrong' },
    ]
    const category = { key: 'kind', kind: 'category', label: 'Kind', deciding: true, options }
    const sorted = await postRubric(write, { ...SET, ...RUBRIC_FIELDS, questions: [category] })
    const [, found] = await importCsv('test-0,ann,All right\ntest-1,ann,bad', { rubric_id: sorted })
    expect((await itemsOf(found.queue)).map(({ final }) => final)).toEqual(['ok', 'bad'])
    expect(await importCsv('test-0,ann,All right', { rubric_id: sorted, pass: 'All right' })).toEqual([
      422,
      { error: 'pass: the rubric says what passes, because its question is of the kind category' },
    ])
  })

  it('are records like others: they have receipts, are held and erased with their run, and leave its sums', async () => {
    const [, { queue }] = await importFile(sample('labels.csv'), { from: 'csv', ...MEANINGS })
    const [first] = await spec.rows(
      `SELECT label_id, seq FROM labels WHERE queue_id = '${queue?.id}' ORDER BY seq LIMIT 1`,
    )
    const receipt = await max.send('GET', `/review/labels/${String(first?.['label_id'])}/receipt`)
    expect([receipt.statusCode, receipt.body]).toEqual([200, expect.stringContaining('c2sp.org/tlog-proof')])
    const other = await spec.addUser(`other-${runs}`)
    expect((await other.send('GET', `/review/labels/${String(first?.['label_id'])}/receipt`)).statusCode).toBe(404)
    const hold = { hold_id: `hold ${runs}`, reference: 'case-2', note: null }
    await spec.service.commit.placeHold(SYSTEM, { ...hold, run_id, project: null, suite: null })
    const erase = async (target: object) =>
      (await admin('POST', '/erasures', { headers: json, body: JSON.stringify({ reference: 'c', ...target }) }))
        .statusCode
    expect(await erase({ seqs: [first?.['seq']] })).toBe(409)
    await spec.service.commit.liftHold(SYSTEM, { hold_id: hold.hold_id, reference: 'case-2' })
    expect(await erase({ seqs: [first?.['seq']] })).toBe(200)
    expect((await write('GET', `/review-queues/${queue?.id}`)).json<ReviewQueue>().progress).toMatchObject({
      ...{ given: 11, erased: 1, final: 4 },
    })
    // The label that was erased may be imported again.
    expect(await importFile(sample('labels.csv'), { from: 'csv', ...MEANINGS })).toMatchObject([
      201,
      { labels: 2, repeated: 10 },
    ])
    expect(await erase({ run_id })).toBe(200)
    expect(new Set(await spec.column(`SELECT erased FROM labels WHERE queue_id = '${queue?.id}'`))).toEqual(
      new Set([1]),
    )
    expect(await differencesIn(store())).toBeNull()
    expect((await verifyStore(spec)).finding).toBeNull()
  })

  it('of a set that the viewer may not see or change are not imported', async () => {
    expect((await importAs(spec.sendAs('read'), 'x', { from: 'csv' }))[0]).toBe(403)
    await admin('PUT', `/sets/${SET.project}/suites/${SET.suite}/restriction`)
    expect(await importCsv('test-0,ann,pass')).toEqual([404, { error: 'rubric not found' }])
    await admin('PUT', `/sets/${SET.project}/suites/${SET.suite}/grants/${max.user_id}`, {
      ...{ headers: json, body: JSON.stringify({ level: 'view' }) },
    })
    expect((await importCsv('test-0,ann,pass'))[0]).toBe(403)
    await admin('DELETE', `/sets/${SET.project}/suites/${SET.suite}/restriction`)
  })

  function store() {
    return spec.databaseUrl === null
      ? ({ kind: 'sqlite', file: join(spec.dataDir, 'service.db') } as const)
      : databaseStore(spec.databaseUrl)
  }
})

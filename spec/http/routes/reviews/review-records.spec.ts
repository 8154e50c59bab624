import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { ReviewAgreement } from '../../../../queries/reviews/agreement.ts'
import type { RunCalibration } from '../../../../queries/reviews/calibration.ts'
import type { ReviewItemList } from '../../../../queries/reviews/queue-items.ts'
import type { ReviewQueue } from '../../../../queries/reviews/queues.ts'
import { SYSTEM } from '../../../../queries/access/viewer.ts'
import { json, statusAndBody } from '../../../support/access/access-requests.ts'
import { judgedRun } from '../../../support/documents/queues.ts'
import { postRubric, RUBRIC_FIELDS } from '../../../support/documents/rubrics.ts'
import { openSigningApp } from '../../../support/proof/signing-app.ts'
import type { Send } from '../../../support/servers/app.ts'
import { databaseStore } from '../../../support/stores/database.ts'
import { differencesIn } from '../../../support/stores/deep-comparison.ts'
import { verifyStore } from '../../../support/stores/verified.ts'
import type { ProofCase } from '../../../support/verifier/cases.ts'
import { pageCodes } from '../../../support/verifier/page.ts'
import { pyodideCodes } from '../../../support/verifier/python.ts'
import { typescriptCodes } from '../../../support/verifier/typescript.ts'
import { browserCrypto } from '../../../../webapp/check-receipt/browser-crypto.ts'

let clock = Date.UTC(2026, 4, 4, 8)
const { spec, vkeys } = await openSigningApp({ now: () => clock })
afterAll(() => spec.close())
const [write, admin] = [spec.sendAs('write'), spec.sendAs('admin')]
const SET = { project: 'chat', suite: 'review' } as const
const [ann, ben] = [await spec.addUser('ann', 'reviewer'), await spec.addUser('ben', 'reviewer')]
const cleo = await spec.addUser('cleo', 'reviewer')
const max = await spec.addUser('max')
let run_id = ''
let runs = 0

beforeEach(async () => {
  clock += 60_000
  run_id = `run ${++runs}`
  expect((await spec.ingest(judgedRun(run_id, 4, 3))).statusCode).toBe(201)
})

const post = async (send: Send, path: string, body: object = {}) =>
  statusAndBody(await send('POST', path, { headers: json, body: JSON.stringify(body) }))
const store = () =>
  spec.databaseUrl === null
    ? ({ kind: 'sqlite', file: join(spec.dataDir, 'service.db') } as const)
    : databaseStore(spec.databaseUrl)
const erase = (target: object) => post(admin, '/erasures', { reference: 'case-1', ...target })

const QUESTIONS = [...RUBRIC_FIELDS.questions, { key: 'why', kind: 'comment', label: 'Why?' }]
const open = async (more: object = {}): Promise<ReviewQueue> => {
  const rubric_id = await postRubric(write, { ...SET, ...RUBRIC_FIELDS, questions: QUESTIONS })
  const answer = await post(max.send, '/review-queues', {
    ...{ ...SET, rubric_id, target: 'metric', metric: 'llm-rubric', reviewers: ['ann', 'ben'], seed: 'one' },
    selection: { kind: 'random', runs: [run_id], count: 3 },
    ...more,
  })
  expect(answer).toMatchObject([201, {}])
  return (answer as [number, ReviewQueue])[1]
}
let labels = 0
const label = async (send: Send, item: string, right: 'pass' | 'fail', more: object = {}): Promise<string> => {
  const label_id = `01J${String(++labels).padStart(23, '0')}`
  const body = { label_id, answers: { right, why: '=1+1' }, seconds: 5, ...more }
  expect(await post(send, `/review/items/${item}/labels`, body)).toEqual([201, { label_id }])
  return label_id
}
const close = ({ id }: ReviewQueue) => post(max.send, `/review-queues/${id}/close`)
const queueOf = async ({ id }: ReviewQueue): Promise<ReviewQueue> => (await write('GET', `/review-queues/${id}`)).json()
const itemsOf = async ({ id }: ReviewQueue): Promise<ReviewItemList['items']> =>
  (await write('GET', `/review-queues/${id}/items`)).json<ReviewItemList>().items

describe('records of reviews', () => {
  it('give the same read tables again, and pass `ers verify` until a byte of a comment changes', async () => {
    const queue = await open()
    const first = await label(ann.send, `${queue.id}.1`, 'pass')
    await label(ann.send, `${queue.id}.1`, 'fail', { revises: first })
    const second = await label(ben.send, `${queue.id}.2`, 'pass')
    await post(ben.send, `/review/labels/${second}/withdraw`, { reason: 'conflict' })
    await post(ben.send, `/review/items/${queue.id}.3/decline`, { reason: 'unreadable' })
    await close(queue)
    expect(await differencesIn(store())).toBeNull()
    expect((await verifyStore(spec)).finding).toBeNull()
    await spec.execute(`UPDATE label_texts SET texts = '{"why":"no"}' WHERE label_id = '${first}'`)
    expect((await verifyStore(spec)).finding).toMatchObject({ kind: 'altered' })
    await spec.execute(`UPDATE label_texts SET texts = '{"why":"=1+1"}' WHERE label_id = '${first}'`)
  })

  it('of an erased label say only that there was one: it leaves the sums, and the answer says so', async () => {
    const queue = await open()
    await label(ann.send, `${queue.id}.1`, 'pass')
    const erased = await label(ben.send, `${queue.id}.1`, 'pass')
    await close(queue)
    expect((await itemsOf(queue))[0]).toMatchObject({ state: 'final', final: 'pass' })
    const sums = async () => (await spec.getJson<RunCalibration>(`/runs/${run_id}/calibration`)).labels.total
    expect(await sums()).toBe(1)
    const [seq] = await spec.column(`SELECT seq FROM labels WHERE label_id = '${erased}'`)
    expect(await erase({ seqs: [seq] })).toMatchObject([200, {}])
    expect((await itemsOf(queue))[0]).toMatchObject({ state: 'open', final: null, labels: [{ letter: 'A' }] })
    expect((await queueOf(queue)).progress).toMatchObject({ given: 1, erased: 1, final: 0 })
    expect(await sums()).toBe(0)
    expect(await spec.column(`SELECT count(*) FROM label_texts WHERE label_id = '${erased}'`)).toEqual([0])
    expect(await differencesIn(store())).toBeNull()
    expect((await verifyStore(spec)).finding).toBeNull()
  })

  it('of an erased run lose its labels; the totals of the queue stay', async () => {
    const queue = await open()
    await label(ann.send, `${queue.id}.1`, 'pass')
    await label(ben.send, `${queue.id}.1`, 'fail')
    await close(queue)
    expect(await erase({ run_id })).toMatchObject([200, {}])
    expect(await spec.column(`SELECT erased FROM labels WHERE queue_id = '${queue.id}'`)).toEqual([1, 1])
    expect(await queueOf(queue)).toMatchObject({
      runs: [{ run_id: null, passed: 3, failed: 1 }],
      progress: { erased: 2 },
    })
    expect(await differencesIn(store())).toBeNull()
    expect((await verifyStore(spec)).finding).toBeNull()
  })

  it('of a held run stay: neither a label nor its run is erased', async () => {
    const queue = await open()
    const held = await label(ann.send, `${queue.id}.1`, 'pass')
    const [seq] = await spec.column(`SELECT seq FROM labels WHERE label_id = '${held}'`)
    const hold = { hold_id: `hold ${runs}`, reference: 'case-2', note: null }
    await spec.service.commit.placeHold(SYSTEM, { ...hold, run_id, project: null, suite: null })
    expect(await erase({ seqs: [seq] })).toMatchObject([409, {}])
    await spec.service.commit.liftHold(SYSTEM, { hold_id: hold.hold_id, reference: 'case-2' })
    const ofSuite = { ...hold, hold_id: `hold of suite ${runs}` }
    await spec.service.commit.placeHold(SYSTEM, { ...ofSuite, run_id: null, ...SET })
    expect(await erase({ seqs: [seq] })).toMatchObject([409, {}])
    await spec.service.commit.liftHold(SYSTEM, { hold_id: ofSuite.hold_id, reference: 'case-2' })
  })

  it('of an erased account stay under its letter, without its name and its comments', async () => {
    const leaver = await spec.addUser(`leaver-${runs}`, 'reviewer')
    const queue = await open({ reviewers: ['ann', leaver.user_id] })
    await label(ann.send, `${queue.id}.1`, 'pass')
    await label(leaver.send, `${queue.id}.1`, 'pass')
    await close(queue)
    const before = (await itemsOf(queue))[0]
    expect((await admin('DELETE', `/users/${leaver.user_id}`)).statusCode).toBe(204)
    expect(await erase({ user_id: leaver.user_id })).toMatchObject([200, {}])
    const after = (await itemsOf(queue))[0]
    expect(after).toEqual({
      ...before,
      labels: before?.labels?.map((each) => (each.letter === 'B' ? { ...each, texts: null } : each)),
    })
    expect(await spec.column(`SELECT reviewer FROM labels WHERE queue_id = '${queue.id}' ORDER BY seq`)).toEqual([
      'ann',
      null,
    ])
    for (const path of ['', '/items', '/export/jsonl'])
      expect((await admin('GET', `/review-queues/${queue.id}${path}`)).body).not.toContain(leaver.user_id)
    expect(await differencesIn(store())).toBeNull()
    expect((await verifyStore(spec)).finding).toBeNull()
  })
})

describe('a closed queue', () => {
  it('has an export with every label, in which no comment runs as a formula', async () => {
    const queue = await open()
    const file = (format: string) => write('GET', `/review-queues/${queue.id}/export/${format}`)
    const first = await label(ann.send, `${queue.id}.1`, 'pass')
    await label(ann.send, `${queue.id}.1`, 'fail', { revises: first })
    expect((await file('csv')).json()).toEqual({ error: 'still open' })
    await close(queue)
    const csv = (await file('csv')).body
    const [head = '', ...rows] = csv.trimEnd().split('\r\n')
    expect(head).toBe(
      'item,run,case_key,test,verdict,judge_id,answer_right,answer_why,final,final_score,reviewer,adjudicates,seconds,blind,recognised,own_run,label_id,revises,standing,erased,seq',
    )
    expect(rows).toHaveLength(2)
    for (const row of rows) expect(row).toContain(",'=1+1,")
    const objects = (await file('jsonl')).body.trimEnd().split('\n')
    expect(objects.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { item: `${queue.id}.1`, run: run_id, answer_right: 'pass', answer_why: '=1+1', reviewer: 'A', standing: false },
      { answer_right: 'fail', blind: 'enforced', revises: first, standing: true },
    ])
    expect((await file('parquet')).rawPayload.subarray(0, 4).toString()).toBe('PAR1')
  })

  it('has withdrawn labels in its export, and those of a case that all declined are none', async () => {
    const queue = await open()
    const mine = await label(ann.send, `${queue.id}.1`, 'pass')
    await post(ann.send, `/review/labels/${mine}/withdraw`, { reason: 'mistake' })
    for (const { send } of [ann, ben])
      await post(send, `/review/items/${queue.id}.2/decline`, { reason: 'not_qualified' })
    await close(queue)
    expect((await queueOf(queue)).progress).toMatchObject({ given: 0, declined: 2, final: 0, waiting: 0 })
    const { body } = await write('GET', `/review-queues/${queue.id}/export/jsonl`)
    expect(
      body
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toMatchObject([{ item: `${queue.id}.1`, label_id: mine, answer_right: 'pass', standing: false, erased: false }])
  })

  it('says how far its people agree also where it is not known which model judged', async () => {
    const unknown = judgedRun(`${run_id}-unknown`, 4, 3)
    const cases = unknown.cases.map((item) => ({
      ...item,
      asserts: item.asserts.map((each) => ({ ...each, details: {} })),
    }))
    expect((await spec.ingest({ ...unknown, cases })).statusCode).toBe(201)
    const queue = await open({ selection: { kind: 'random', runs: [unknown.run_id], count: 2 } })
    for (const n of [1, 2]) for (const { send } of [ann, ben]) await label(send, `${queue.id}.${n}`, 'pass')
    expect(await queueOf(queue)).toMatchObject({ cause: 'complete', runs: [{ judge_id: null }] })
    expect(await spec.getJson(`/review-queues/${queue.id}/agreement`)).toMatchObject({
      ...{ items: 2, percent: { estimate: 1 }, ac: { value: null, reason: 'one_category' } },
    })
    expect(await spec.getJson(`/runs/${unknown.run_id}/calibration`)).toMatchObject({
      ...{ state: 'none', judge_id: null, rate: { reason: 'judge_unknown' } },
    })
  })

  it('says how far its people agree', async () => {
    const queue = await open()
    const agreement = () => write('GET', `/review-queues/${queue.id}/agreement`)
    expect([(await agreement()).statusCode, (await agreement()).json()]).toEqual([409, { error: 'still open' }])
    for (const n of [1, 2, 3]) {
      await label(ann.send, `${queue.id}.${n}`, 'pass')
      await label(ben.send, `${queue.id}.${n}`, n === 3 ? 'fail' : 'pass')
    }
    await close(queue)
    expect((await agreement()).json<ReviewAgreement>()).toMatchObject({
      kind: 'verdict',
      items: 3,
      percent: { estimate: 2 / 3 },
      cohen: { items: 3 },
      fleiss: { value: null, reason: 'not_three_people' },
      people: [
        { person: 'A', labels: 3, pass_share: 1, agrees_with_final: { agree: 2, of: 2 } },
        { person: 'B', labels: 3 },
      ],
    })
  })

  it('gives those who labelled the receipts of their labels', async () => {
    const queue = await open()
    const mine = await label(ann.send, `${queue.id}.1`, 'pass')
    const receipt = (send: Send, id = mine) => send('GET', `/review/labels/${id}/receipt`)
    expect((await receipt(ann.send)).json()).toEqual({ error: 'still open' })
    await close(queue)
    const text = await receipt(ann.send)
    expect([text.statusCode, text.body]).toEqual([200, expect.stringContaining('c2sp.org/tlog-proof')])
    expect((await receipt(ben.send)).json()).toEqual({ error: 'label not found' })
  })

  it('gives receipts of labels that verify outside: by the service, by Python and by the page, until a byte changes', async () => {
    const queue = await open({ adjudicators: ['cleo'] })
    const texts: string[] = []
    const ids: Array<readonly [Send, string]> = []
    // Seconds whose text differs between languages.
    ids.push([ann.send, await label(ann.send, `${queue.id}.1`, 'pass', { seconds: 1e-7 })])
    ids.push([ben.send, await label(ben.send, `${queue.id}.1`, 'fail', { seconds: 1234.5678 })])
    const label_id = `01J${String(++labels).padStart(23, '0')}`
    const decided = { label_id, answers: { right: 'fail' }, seconds: 3_600 }
    expect(await post(cleo.send, `/review/items/${queue.id}.1/adjudicate`, decided)).toEqual([201, { label_id }])
    ids.push([cleo.send, label_id])
    await close(queue)
    for (const [send, id] of ids) {
      const { statusCode, body } = await send('GET', `/review/labels/${id}/receipt`)
      expect(statusCode, body).toBe(200)
      texts.push(body)
    }
    const altered = texts[0]!.replace(/(?<=extra )\S{8}/, (start) => (start === 'A'.repeat(8) ? 'B' : 'A').repeat(8))
    const cases = [...texts.map((file) => [file, 0] as const), [altered, 10] as const].map(
      ([file, code]): ProofCase => ({
        ...{ name: 'label', command: 'receipt', code, files: [file], keys: [vkeys.log], policy: null },
      }),
    )
    const good = [0, 0, 0]
    expect((await typescriptCodes(cases)).slice(0, 3)).toEqual(good)
    expect((await pyodideCodes(cases)).slice(0, 3)).toEqual(good)
    expect((await pageCodes(cases, await browserCrypto(globalThis.crypto.subtle))).slice(0, 3)).toEqual(good)
    for (const codes of [await typescriptCodes(cases), await pyodideCodes(cases)]) expect(codes[3]).toBeGreaterThan(0)
  })
})

it('retention leaves runs of open queues', async () => {
  const old = `old ${runs}`
  const at = '2020-01-01T00:00:00Z'
  expect((await spec.ingest(judgedRun(old, 3, 2, { started_at: at, finished_at: at }))).statusCode).toBe(201)
  const queue = await open({ selection: { kind: 'random', runs: [old], count: 1 } })
  const candidate = async () => {
    const [row] = await spec.rows(
      `SELECT id, run_no, project, suite, git_branch, created_at, document_sha256 FROM runs WHERE id = '${old}'`,
    )
    return row as Parameters<typeof spec.service.commit.expireRun>[1]['candidate']
  }
  const expire = async () => spec.service.commit.expireRun(SYSTEM, { candidate: await candidate(), before: clock })
  expect(await expire()).toEqual({ deleted: false })
  await close(queue)
  expect(await expire()).toEqual({ deleted: true })
})

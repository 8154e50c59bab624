import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { sideOf } from '../../../../domain/review/queue.ts'
import { SYSTEM } from '../../../../queries/access/viewer.ts'
import { findAgedRun } from '../../../../queries/runs/expired-runs.ts'
import type { ReviewAgreement } from '../../../../queries/reviews/agreement.ts'
import type { MyItem } from '../../../../queries/reviews/my-items.ts'
import type { ReviewItemList } from '../../../../queries/reviews/queue-items.ts'
import type { ReviewQueue } from '../../../../queries/reviews/queues.ts'
import { json, statusAndBody } from '../../../support/access/access-requests.ts'
import { aCase, aDocument } from '../../../support/documents/documents.ts'
import { postRubric, RUBRIC_FIELDS } from '../../../support/documents/rubrics.ts'
import { openApp, type Send, type SpecUser } from '../../../support/servers/app.ts'

let clock = Date.UTC(2026, 4, 4, 8)
const spec = await openApp({ now: () => clock })
afterAll(() => spec.close())
const [write, admin] = [spec.sendAs('write'), spec.sendAs('admin')]
const SET = { project: 'chat', suite: 'pairs' } as const
const [ann, ben] = [await spec.addUser('ann', 'reviewer'), await spec.addUser('ben', 'reviewer')]
const cleo = await spec.addUser('cleo', 'reviewer')
const max = await spec.addUser('max')

/** A run of six tests. The last one has the same output in each run. */
const runOf = (run_id: string, provider_id: string, prompt = (n: number) => `Question ${n}?`) =>
  aDocument({
    ...{ run_id, ...SET },
    cases: Array.from({ length: 6 }, (_, n) =>
      aCase({
        cell: { provider_id, test_id: `test-${n}` },
        prompt: { text: prompt(n) },
        output: n === 5 ? 'The same.' : `${run_id} answers ${n}.`,
      }),
    ),
  })

let runs = 0
let [a, b, rubric_id] = ['', '', '']
const QUESTIONS = [
  { key: 'better', kind: 'preference', label: 'Which is better?', deciding: true },
  { key: 'why', kind: 'comment', label: 'Why?' },
]
beforeEach(async () => {
  clock += 60_000
  runs++
  ;[a, b] = [`one-${runs}`, `two-${runs}`]
  for (const [id, provider] of [
    [a, 'PLANTED-x'],
    [b, 'PLANTED-y'],
  ] as const)
    expect((await spec.ingest(runOf(id, provider))).statusCode).toBe(201)
  rubric_id = await postRubric(write, { ...SET, ...RUBRIC_FIELDS, questions: QUESTIONS, show: [] })
})

const post = async (send: Send, path: string, body: object = {}) =>
  statusAndBody(await send('POST', path, { headers: json, body: JSON.stringify(body) }))
const opening = (more: object = {}) => ({
  ...{ ...SET, rubric_id, target: 'case', reviewers: ['ann', 'ben'], adjudicators: ['cleo'], seed: 'one' },
  selection: { kind: 'pairs', runs: [a, b], count: 5 },
  ...more,
})
const open = async (more: object = {}): Promise<ReviewQueue> => {
  const answer = await post(max.send, '/review-queues', opening(more))
  expect(answer).toMatchObject([201, {}])
  return (answer as [number, ReviewQueue])[1]
}
const next = async ({ send }: SpecUser, queue_id: string, count = 5): Promise<MyItem[]> => {
  const answer = await post(send, '/review/next', { queue_id, count })
  expect(answer).toMatchObject([200, {}])
  return (answer as [number, { items: MyItem[] }])[1].items
}
let labels = 0
const newId = () => `01J${String(++labels).padStart(23, '0')}`
const send = ({ send: to }: SpecUser, item: string, better: string | null, more: object = {}, how = 'labels') =>
  post(to, `/review/items/${item}/${how}`, {
    ...{ label_id: newId(), answers: { better, why: 'a' }, seconds: 5 },
    ...more,
  })
const valueOf = (parts: MyItem['parts'] | undefined, field: string) =>
  parts?.find((each) => each.field === field)?.value
const isOneFirst = ({ sides }: MyItem) => String(valueOf(sides?.[0], 'output')).startsWith('one-')

describe('a preference', () => {
  it('shows both outputs, on sides that differ by person, and nothing of the runs', async () => {
    const { id } = await open()
    const items = { ann: await next(ann, id), ben: await next(ben, id) }
    for (const [user, mine] of [
      [ann, items.ann],
      [ben, items.ben],
    ] as const) {
      expect(mine).toHaveLength(5)
      for (const item of mine) {
        const n = Number(item.id.split('.')[1])
        expect(isOneFirst(item)).toBe(sideOf('one', user.user_id, n) === 'ab')
        expect(item.parts.map(({ field }) => field)).toEqual(['prompt'])
        expect(item.sides?.map((parts) => parts.map(({ field }) => field))).toEqual([['output'], ['output']])
        expect(JSON.stringify(item)).not.toContain('PLANTED')
      }
    }
    expect(JSON.stringify(items)).not.toContain('The same.')
    const sides = [...items.ann, ...items.ben].map(isOneFirst)
    expect(new Set(sides).size).toBe(2)
  })

  it('has prompts that differ on the side of their output', async () => {
    const other = `other-${runs}`
    expect((await spec.ingest(runOf(other, 'PLANTED-x', (n) => `Other question ${n}?`))).statusCode).toBe(201)
    const { id } = await open({ selection: { kind: 'pairs', runs: [a, other], count: 1 } })
    const [item] = await next(ann, id)
    expect(item?.parts).toEqual([])
    for (const side of item?.sides ?? [])
      expect(JSON.stringify(valueOf(side, 'prompt'))).toContain(
        String(valueOf(side, 'output')).startsWith('other') ? 'Other question' : 'Question',
      )
  })

  it('is recorded as A or B, whichever was first, and shown to its person as it was given', async () => {
    const { id } = await open()
    for (const user of [ann, ben])
      for (const item of await next(user, id))
        expect(await send(user, item.id, isOneFirst(item) ? 'a' : 'b')).toMatchObject([201, {}])
    const again = await statusAndBody(await ann.send('GET', `/review/items/${id}.1`))
    const mine = (again as [number, MyItem])[1]
    expect(mine.labels.map(({ answers }) => answers)).toEqual([{ better: isOneFirst(mine) ? 'a' : 'b' }])
    // All agree, so the queue is closed.
    const { items } = (await write('GET', `/review-queues/${id}/items`)).json<ReviewItemList>()
    expect(items.map(({ final }) => final)).toEqual(Array(5).fill('a'))
    expect(items.every(({ run_id, second }) => run_id === a && second?.run_id === b)).toBe(true)
    const lines = (await write('GET', `/review-queues/${id}/export/jsonl`)).body.trim().split('\n')
    const rows = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(rows).toHaveLength(10)
    for (const row of rows) expect(row).toMatchObject({ answer_better: 'a', run: a, second_run: b })
    expect(new Set(rows.map(({ side }) => side))).toEqual(new Set(['ab', 'ba']))
    const agreement = (await write('GET', `/review-queues/${id}/agreement`)).json<ReviewAgreement>()
    const first = rows.filter(({ side }) => side === 'ab').length
    expect(agreement.preference).toMatchObject({
      options: { first: 10, second: 0 },
      sides: { first, second: 10 - first },
      ties: 0,
    })
  })

  it('takes the same label again, and keeps sides in second thoughts', async () => {
    const { id } = await open()
    const [item] = await next(ann, id)
    const label_id = newId()
    for (const status of [201, 200]) expect(await send(ann, item!.id, 'a', { label_id })).toMatchObject([status, {}])
    expect(await send(ann, item!.id, 'b', { label_id })).toMatchObject([409, {}])
    expect(await send(ann, item!.id, 'tie', { revises: label_id })).toMatchObject([201, {}])
  })

  it('is adjudicated on the sides of the adjudicator', async () => {
    const { id } = await open({ selection: { kind: 'pairs', runs: [a, b], count: 1 } })
    const [mine] = await next(ann, id)
    const [other] = await next(ben, id)
    await send(ann, mine!.id, isOneFirst(mine!) ? 'a' : 'b')
    await send(ben, other!.id, 'tie')
    const [waiting] = await next(cleo, id)
    const one = isOneFirst(waiting!) ? 'a' : 'b'
    expect(waiting?.to_decide?.map(({ answers }) => answers['better']).sort()).toEqual([one, 'tie'].sort())
    expect(await send(cleo, waiting!.id, one, {}, 'adjudicate')).toMatchObject([201, {}])
    const { items } = (await write('GET', `/review-queues/${id}/items`)).json<ReviewItemList>()
    expect(items).toMatchObject([{ final: 'a', state: 'final' }])
  })

  it('is between pairs of two runs, and pairs are for preferences', async () => {
    const verdict = await postRubric(write, { ...SET, ...RUBRIC_FIELDS })
    const error = async (more: object) =>
      ((await post(max.send, '/review-queues', opening(more))) as [number, unknown])[1]
    expect(await error({ selection: { kind: 'random', runs: [a], count: 1 } })).toEqual({
      error: 'selection: a preference is between pairs: choose the kind pairs',
    })
    expect(await error({ rubric_id: verdict })).toEqual({
      error: 'selection: pairs need a rubric that asks for a preference',
    })
    expect(await error({ selection: { kind: 'pairs', runs: [a, a], count: 1 } })).toEqual({
      error: 'selection: runs: pairs are of two different runs',
    })
    expect(await error({ selection: { kind: 'pairs', runs: [a, b], count: 6 } })).toEqual({
      error: 'selection: 6 pairs are asked for; the runs share 5 tests with different outputs',
    })
    expect(await error({ target: 'metric', metric: 'llm-rubric' })).toEqual({
      error: 'target: people compare whole cases: ask for the target case',
    })
    expect(
      await post(max.send, '/review-queues', opening({ selection: { kind: 'pairs', runs: [a, 'no'], count: 1 } })),
    ).toEqual([404, { error: 'run not found' }])
    expect(await post(max.send, '/review-queues', opening({ dry_run: true }))).toMatchObject([200, { items: 5 }])
  })

  it('has no case any more once either run is deleted, and then cannot be labelled', async () => {
    const { id } = await open()
    const [item] = await next(ann, id)
    expect((await admin('DELETE', `/runs/${b}`)).statusCode).toBe(204)
    expect(await next(ann, id)).toEqual([])
    expect(await send(ann, item!.id, 'a')).toEqual([409, { error: 'the run of this item was deleted' }])
  })

  it('is erased with either run, and held with either', async () => {
    const { id } = await open()
    const [item] = await next(ann, id)
    expect(await send(ann, item!.id, 'a')).toMatchObject([201, {}])
    const seq = () => spec.rows(`SELECT seq, erased FROM labels WHERE queue_id = '${id}'`)
    const [label] = (await seq()) as [{ seq: number }]
    const held: unknown = await post(admin, '/holds', { reference: 'case-1', run_id: b })
    expect(held).toMatchObject([201, {}])
    expect(await post(admin, '/erasures', { reference: 'x', seqs: [label.seq] })).toMatchObject([409, {}])
    const [, hold] = held as [number, { id: string }]
    expect(await post(admin, `/holds/${hold.id}/lift`, { reference: 'case-1' })).toMatchObject([200, {}])
    expect((await admin('DELETE', `/runs/${b}`)).statusCode).toBe(204)
    expect(await post(admin, '/erasures', { reference: 'x', run_id: b })).toMatchObject([200, {}])
    expect(await seq()).toMatchObject([{ erased: 1 }])
  })

  it('keeps both runs from retention while its queue is open', async () => {
    const { id } = await open()
    const newer = { started_at: '2029-01-01T00:00:00Z', finished_at: '2029-01-01T00:00:00Z' }
    await spec.ingest({ ...runOf(`newer-${runs}`, 'PLANTED-x'), ...newer })
    const expire = async (run_id: string) => {
      const candidate = await spec.service.reader.read(findAgedRun(SYSTEM, run_id))
      return spec.service.commit.expireRun(SYSTEM, { candidate: candidate!, before: Date.UTC(2030, 1) })
    }
    for (const run_id of [a, b]) expect(await expire(run_id)).toEqual({ deleted: false })
    expect(await post(admin, `/review-queues/${id}/close`)).toMatchObject([200, {}])
    for (const run_id of [a, b]) expect(await expire(run_id)).toEqual({ deleted: true })
  })

  it('says nothing of a judge', async () => {
    const { id } = await open({ per_item: 1 })
    for (const item of await next(ann, id)) await send(ann, item.id, 'a')
    const { body } = await write('GET', `/runs/${a}/calibration`)
    expect(JSON.parse(body)).toMatchObject({ labels: { total: 0 } })
  })
})

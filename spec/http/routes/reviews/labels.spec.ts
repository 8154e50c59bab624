import { createHash } from 'node:crypto'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { LongReadAnswer } from '../../../../queries/long-reads.ts'
import type { MyItem, MyQueues } from '../../../../queries/reviews/my-items.ts'
import type { ReviewItemList } from '../../../../queries/reviews/queue-items.ts'
import type { ReviewQueue } from '../../../../queries/reviews/queues.ts'
import { json, statusAndBody } from '../../../support/access/access-requests.ts'
import { caseKey } from '../../../../domain/run/case-key.ts'
import { judgedRun, PLANTED } from '../../../support/documents/queues.ts'
import { postRubric, RUBRIC_FIELDS } from '../../../support/documents/rubrics.ts'
import { openApp, type Send, type SpecUser } from '../../../support/servers/app.ts'
import { wrapCalls } from '../../../support/wrap-calls.ts'

let clock = Date.UTC(2026, 4, 4, 8)
/** Long reads answer in bytes, as those of another thread do. */
const inBytes = (answer: LongReadAnswer | null): LongReadAnswer | null =>
  answer && { ...answer, body: new TextEncoder().encode(Buffer.from(answer.body).toString()) }
const spec = await openApp({
  now: () => clock,
  parts: ({ longReads }) => ({
    longReads: wrapCalls(longReads, async ({ run }) => inBytes((await run()) as LongReadAnswer | null)),
  }),
})
const write = spec.sendAs('write')
afterAll(() => spec.close())

const SET = { project: 'chat', suite: 'review' } as const
const reviewer = (name: string) => spec.addUser(name, 'reviewer')
const [ann, ben, cat, dan] = [
  await reviewer('ann'),
  await reviewer('ben'),
  await reviewer('cat'),
  await reviewer('dan'),
]
const [max, moe, mia] = [await spec.addUser('max'), await spec.addUser('moe'), await spec.addUser('mia', 'admin')]
let run_id = ''
let runs = 0
let rubric_id = ''

beforeEach(async () => {
  clock += 60_000
  run_id = `${PLANTED.run}-${++runs}`
  expect((await spec.ingest(judgedRun(run_id, 6, 4))).body).toContain(run_id)
  rubric_id = await postRubric(write, { ...SET, ...RUBRIC_FIELDS })
})

const post = async (send: Send, path: string, body: object = {}) =>
  statusAndBody(await send('POST', path, { headers: json, body: JSON.stringify(body) }))
const get = async (send: Send, path: string) => statusAndBody(await send('GET', path))

type More = Readonly<Record<string, unknown>>
const opening = (more: More = {}) => ({
  ...SET,
  ...{ rubric_id, target: 'metric', metric: 'llm-rubric', reviewers: ['ann', 'ben', 'cat'] },
  selection: { kind: 'random', runs: [run_id], count: 3 },
  seed: 'one',
  ...more,
})
const openAs = async (send: Send, more: More = {}): Promise<ReviewQueue> => {
  const answer = await post(send, '/review-queues', opening(more))
  expect(answer).toMatchObject([201, {}])
  return (answer as [number, ReviewQueue])[1]
}
const open = (more: More = {}) => openAs(max.send, more)

let labels = 0
const newId = () => `01J${String(++labels).padStart(23, '0')}`
const label = (
  { send }: { readonly send: Send },
  item: string,
  right: 'pass' | 'fail' | null,
  more: More = {},
  label_id = newId(),
) => post(send, `/review/items/${item}/labels`, { label_id, answers: { right }, seconds: 5, ...more })
const adjudicate = ({ send }: { readonly send: Send }, item: string, right: 'pass' | 'fail' | null) =>
  post(send, `/review/items/${item}/adjudicate`, { label_id: newId(), answers: { right }, seconds: 9 })
const next = async ({ send }: { readonly send: Send }, queue_id: string, count = 1): Promise<MyItem[]> => {
  const answer = await post(send, '/review/next', { queue_id, count })
  expect(answer).toMatchObject([200, {}])
  return (answer as [number, { items: MyItem[] }])[1].items
}
const itemsOf = async (send: Send, { id }: ReviewQueue): Promise<ReviewItemList['items']> =>
  ((await get(send, `/review-queues/${id}/items`)) as [number, ReviewItemList])[1].items
const queueOf = async (send: Send, { id }: ReviewQueue): Promise<ReviewQueue> =>
  ((await get(send, `/review-queues/${id}`)) as [number, ReviewQueue])[1]
const recorded = [201, { label_id: expect.any(String) as string }]

describe('a review queue', () => {
  it('has the same cases for the same seed, by a rule that any language follows, and others for another', async () => {
    const [one, again, other] = [await open(), await open(), await open({ seed: 'two' })]
    const keys = async (queue: ReviewQueue) => (await itemsOf(write, queue)).map(({ case_key }) => case_key)
    const cases = Array.from({ length: 6 }, (_, n) =>
      caseKey({ provider_id: PLANTED.provider, prompt_id: 'terse', test_id: `test-${n}`, repeat: 0 }),
    )
    const hashOf = (key: string) => createHash('sha256').update(`one\0${run_id}\0${key}`).digest('hex')
    const expected = cases.toSorted((a, b) => (hashOf(a) < hashOf(b) ? -1 : 1)).slice(0, 3)
    expect(await keys(one)).toEqual(expected)
    expect(await keys(again)).toEqual(expected)
    expect(await keys(other)).not.toEqual(expected)
  })

  it('is counted with dry_run, which records nothing', async () => {
    const before = await spec.column('SELECT count(*) FROM events')
    const selection = { kind: 'by_verdict', runs: [run_id], passed: 3, failed: 2 }
    expect(await post(max.send, '/review-queues', opening({ selection, dry_run: true }))).toMatchObject([
      200,
      {
        ...{ items: 5, targeted: false, seed: 'one', half_width: expect.any(Number) as number },
        groups: { passed: { cases: 4, taken: 3 }, failed: { cases: 2, taken: 2 } },
      },
    ])
    expect(await spec.column('SELECT count(*) FROM events')).toEqual(before)
  })

  it('takes as many cases of each verdict as are asked for, or says how many there are', async () => {
    const byVerdict = (passed: number, failed: number) => ({
      selection: { kind: 'by_verdict', runs: [run_id], passed, failed },
    })
    const items = await itemsOf(write, await open(byVerdict(3, 2)))
    expect(items.filter(({ verdict }) => verdict === 'pass')).toHaveLength(3)
    expect(items.filter(({ verdict }) => verdict === 'fail')).toHaveLength(2)
    expect(await post(max.send, '/review-queues', opening(byVerdict(3, 3)))).toEqual([
      422,
      { error: 'selection: 3 passed and 3 failed cases are asked for; there are 4 and 2' },
    ])
  })

  it('takes cases near the threshold, named ones, and those with other verdicts, and is targeted then', async () => {
    const near = await open({ selection: { kind: 'near_threshold', runs: [run_id], count: 2 } })
    expect(near.targeted).toBe(true)
    expect((await itemsOf(write, near)).every(({ verdict }) => verdict === 'fail')).toBe(true)
    const case_key = caseKey({ provider_id: PLANTED.provider, prompt_id: 'terse', test_id: 'test-1', repeat: 0 })
    const list = await open({ selection: { kind: 'list', cases: [{ run_id, case_key }] } })
    expect(await itemsOf(write, list)).toMatchObject([{ case_key, run_id }])
    const other = `${run_id}-other`
    expect((await spec.ingest(judgedRun(other, 6, 2))).statusCode).toBe(201)
    const selection = { kind: 'disagreement', runs: [run_id], count: 5, with_run: other }
    expect(await itemsOf(write, await open({ selection }))).toHaveLength(2)
  })

  it('leaves out what people decided before, unless a queue was targeted', async () => {
    const queue = await open({ per_item: 1 })
    for (const { id } of await itemsOf(write, queue)) expect(await label(ann, id, 'pass')).toEqual(recorded)
    expect((await queueOf(write, queue)).cause).toBe('complete')
    const all = { selection: { kind: 'random', runs: [run_id], count: 4 } }
    expect(await post(max.send, '/review-queues', opening(all))).toEqual([
      422,
      { error: 'selection: 4 cases are asked for; there are 3' },
    ])
    // The judge failed two cases, and people passed what they saw.
    const suspected = { selection: { kind: 'suspected', runs: [run_id], count: 5 } }
    const failed = (await itemsOf(write, queue)).filter(({ verdict }) => verdict === 'fail')
    if (failed.length > 0)
      expect((await itemsOf(write, await open(suspected))).map(({ case_key }) => case_key)).toEqual(
        failed.map(({ case_key }) => case_key),
      )
  })

  it.each([
    ['an unknown reviewer', { reviewers: ['ann', 'ghost'] }, 'reviewers: there is no account ghost'],
    ['fewer reviewers than labels', { reviewers: ['ann'] }, 'per_item: 2 labels a case need as many reviewers, not 1'],
    ['the same person twice', { adjudicators: ['ann'] }, 'ann is named twice'],
    ['a metric for whole cases', { target: 'case' }, 'metric: name a metric for the target metric, and none for cases'],
    ['a metric that no judge decided', { metric: 'other' }, 'metric: no judge decided other in these runs'],
    ['more cases than there are', { selection: { kind: 'random', runs: [PLANTED.run], count: 1 } }, 'run not found'],
  ])('is refused with %s', async (_, more, problem) => {
    const [status, { error }] = (await post(max.send, '/review-queues', opening(more))) as [number, { error: string }]
    expect([404, 422]).toContain(status)
    expect(error).toContain(problem)
  })

  it('is refused with a retired rubric', async () => {
    await post(write, `/rubrics/${rubric_id}/retire`)
    expect(await post(max.send, '/review-queues', opening())).toEqual([409, { error: 'the rubric is retired' }])
  })

  it('is not chosen by verdicts of a judge that is not known', async () => {
    const unknown = judgedRun(`${run_id}-unknown`, 3, 2)
    const cases = unknown.cases.map((item) => ({
      ...item,
      asserts: item.asserts.map((each) => ({ ...each, details: {} })),
    }))
    expect((await spec.ingest({ ...unknown, cases })).statusCode).toBe(201)
    const selection = { kind: 'by_verdict', runs: [unknown.run_id], passed: 1, failed: 1 }
    expect(await post(max.send, '/review-queues', opening({ selection }))).toMatchObject([
      422,
      { error: expect.stringContaining('judge_unknown') as string },
    ])
    const random = await open({ selection: { kind: 'random', runs: [unknown.run_id], count: 2 } })
    expect(random.runs).toMatchObject([{ judge_id: null, passed: 2, failed: 1 }])
  })
})

describe('labels', () => {
  it('are N an item, whatever arrives at once', async () => {
    const crowd: SpecUser[] = []
    for (let n = 0; n < 10; n++) crowd.push(await reviewer(`crowd-${n}`))
    const { id } = await open({ reviewers: crowd.map(({ user_id }) => user_id) })
    const answers = await Promise.all(
      crowd.flatMap((user) => Array.from({ length: 5 }, () => label(user, `${id}.1`, 'pass'))),
    )
    const statuses = answers.map((answer) => (answer as [number])[0])
    expect(statuses.filter((status) => status === 201)).toHaveLength(2)
    expect(new Set(statuses)).toEqual(new Set([201, 409]))
  })

  it('are one of each person: a second thought replaces it, and the same one sent again is recorded once', async () => {
    const { id } = await open()
    const item = `${id}.1`
    const first = newId()
    expect(await label(ann, item, 'pass', {}, first)).toEqual([201, { label_id: first }])
    expect(await label(ann, item, 'pass', {}, first)).toEqual([200, { label_id: first }])
    expect(await label(ann, item, 'fail', {}, first)).toEqual([409, { error: 'label_id: another label has this id' }])
    expect(await label(ben, item, 'pass', {}, first)).toEqual([409, { error: 'label_id: another label has this id' }])
    expect(await label(ann, item, 'fail')).toEqual([409, { error: 'you labelled this item' }])
    const notNewest = [409, { error: 'revises: this is not your newest label of this item' }]
    expect(await label(ben, item, 'pass', { revises: first })).toEqual(notNewest)
    expect(await label(ann, item, 'fail', { revises: first })).toEqual(recorded)
    expect(await label(ann, item, 'pass', { revises: first })).toEqual(notNewest)
    expect(await spec.column(`SELECT standing FROM labels WHERE queue_id = '${id}' ORDER BY seq`)).toEqual([0, 1])
  })

  it('are refused with missing, unknown and wrong answers', async () => {
    const { id } = await open()
    const send = (answers: object) =>
      post(ann.send, `/review/items/${id}.1/labels`, { label_id: newId(), answers, seconds: 1 })
    expect(await send({})).toEqual([422, { error: 'answers: right: is missing; null says that you cannot tell' }])
    expect(await send({ right: 'yes' })).toEqual([422, { error: 'answers: right: must be pass or fail' }])
    expect(await send({ right: 'pass', wrong: 1 })).toEqual([
      422,
      { error: 'answers: wrong: the rubric has no such question' },
    ])
  })

  it('of a score mean the nearest step, so that sums of decimals are on the side that they mean', async () => {
    const tone = { key: 'tone', kind: 'score', label: 'Tone?', min: 0.1, max: 1, step: 0.1, pass_from: 0.8 }
    const of = await postRubric(write, { ...SET, ...RUBRIC_FIELDS, questions: [{ ...tone, deciding: true }] })
    const { id } = await open({ rubric_id: of, per_item: 1 })
    const send = (answer: number) =>
      post(ann.send, `/review/items/${id}.1/labels`, { label_id: newId(), answers: { tone: answer }, seconds: 1 })
    expect(await send(0.75)).toEqual([422, { error: 'answers: tone: must be a number from 0.1 to 1 in steps of 0.1' }])
    expect(0.1 + 0.7).toBeLessThan(0.8)
    expect(await send(0.1 + 0.7)).toEqual(recorded)
    expect(await spec.rows(`SELECT answers, decides, score FROM labels WHERE queue_id = '${id}'`)).toEqual([
      { answers: '{"tone":0.8}', decides: 'pass', score: 0.8 },
    ])
  })

  it('that agree make the final one, and the last of them closes the queue', async () => {
    const queue = await open({ selection: { kind: 'random', runs: [run_id], count: 1 } })
    const item = `${queue.id}.1`
    await label(ann, item, 'fail')
    await label(ben, item, 'fail')
    const closed = await queueOf(write, queue)
    expect(closed).toMatchObject({ cause: 'complete', progress: { given: 2, final: 1, waiting: 0 } })
    expect(await itemsOf(write, queue)).toMatchObject([
      { state: 'final', final: 'fail', labels: [{ letter: 'A', answers: { right: 'fail' } }, { letter: 'B' }] },
    ])
    for (const user of [ann, cat])
      expect(await label(user, item, 'fail')).toEqual([409, { error: 'the queue is closed' }])
  })

  it('that differ wait, and so does "cannot tell"', async () => {
    const queue = await open({ adjudicators: ['dan'] })
    await label(ann, `${queue.id}.1`, 'pass')
    await label(ben, `${queue.id}.1`, null)
    expect(await spec.column(`SELECT state FROM review_items WHERE queue_id = '${queue.id}' AND n = 1`)).toEqual([
      'waiting',
    ])
    expect(await label(cat, `${queue.id}.1`, 'pass')).toEqual([409, { error: 'this item has its 2 labels' }])
    await label(ann, `${queue.id}.2`, null)
    await label(ben, `${queue.id}.2`, null)
    expect(
      await spec.column(
        `SELECT final FROM review_items WHERE queue_id = '${queue.id}' AND n = 2 AND final_pass IS NULL`,
      ),
    ).toEqual(['cannot_tell'])
  })

  it('are decided by the majority where the queue says so, unless there is none', async () => {
    const queue = await open({ per_item: 3, resolve: 'majority' })
    const vote = async (n: number, ...votes: Array<'pass' | 'fail' | null>) => {
      for (const [i, user] of [ann, ben, cat].entries())
        expect(await label(user, `${queue.id}.${n}`, votes[i]!)).toEqual(recorded)
    }
    await vote(1, 'pass', 'fail', 'pass')
    await vote(2, 'pass', 'fail', null)
    expect(
      await spec.rows(`SELECT n, state, final FROM review_items WHERE queue_id = '${queue.id}' AND n < 3 ORDER BY n`),
    ).toEqual([
      { n: 1, state: 'final', final: 'pass' },
      { n: 2, state: 'waiting', final: null },
    ])
  })

  it('are withdrawn by those who gave them while the queue is open: the item is open again', async () => {
    const queue = await open()
    const [mine, other] = [newId(), newId()]
    await label(ann, `${queue.id}.1`, 'pass', {}, mine)
    await label(ben, `${queue.id}.1`, 'pass', {}, other)
    const withdraw = (user: SpecUser, id: string) =>
      post(user.send, `/review/labels/${id}/withdraw`, { reason: 'mistake' })
    expect(await withdraw(ben, mine)).toEqual([404, { error: 'label not found' }])
    expect(await withdraw(ann, newId())).toEqual([404, { error: 'label not found' }])
    expect(await withdraw(ann, mine)).toBe(204)
    expect(await withdraw(ann, mine)).toBe(204)
    expect(await spec.rows(`SELECT given, state FROM review_items WHERE queue_id = '${queue.id}' AND n = 1`)).toEqual([
      { given: 1, state: 'open' },
    ])
    expect(await label(cat, `${queue.id}.1`, 'pass')).toEqual(recorded)
    await post(max.send, `/review-queues/${queue.id}/close`)
    expect(await withdraw(ben, other)).toEqual([409, { error: 'the queue is closed' }])
  })

  it('need an account: static tokens and anonymous callers have none', async () => {
    const { id } = await open()
    const noAccount = [403, { error: 'labels need an account' }]
    expect(await label({ send: write }, `${id}.1`, 'pass')).toEqual(noAccount)
    expect(await label({ send: spec.sendAs('admin') }, `${id}.1`, 'pass')).toEqual(noAccount)
    const openServer = await openApp({ mode: 'open' })
    expect(await label({ send: openServer.sendAs(null) }, `${id}.1`, 'pass')).toEqual(noAccount)
    expect(await get(openServer.sendAs(null), '/review/queues')).toEqual(noAccount)
    await openServer.close()
  })

  it('are not recorded of an account that is disabled meanwhile', async () => {
    const leaver = await reviewer(`leaver-${runs}`)
    const { id } = await open({ reviewers: ['ann', leaver.user_id] })
    await spec.sendAs('admin')('PATCH', `/users/${leaver.user_id}`, { headers: json, body: '{"disabled":true}' })
    expect(await label(leaver, `${id}.1`, 'pass')).toMatchObject([401, {}])
    expect(await spec.column(`SELECT count(*) FROM labels WHERE queue_id = '${id}'`)).toEqual([0])
  })

  it('say whether who gave them could have seen more', async () => {
    const queue = await open({ reviewers: ['ann', 'max'] })
    await label(ann, `${queue.id}.1`, 'pass')
    await label(max, `${queue.id}.1`, 'pass', { recognised: true })
    expect(await spec.column(`SELECT blind FROM labels WHERE queue_id = '${queue.id}' ORDER BY seq`)).toEqual([
      'enforced',
      'trusted',
    ])
  })
})

describe('items', () => {
  it('are handed out to no more people than there are labels to give, until a lease ends', async () => {
    const { id } = await open({ selection: { kind: 'random', runs: [run_id], count: 1 } })
    expect(await next(ann, id)).toHaveLength(1)
    expect(await next(ben, id)).toHaveLength(1)
    expect(await next(cat, id)).toEqual([])
    expect(await next(ann, id)).toHaveLength(1)
    clock += 15 * 60_000
    expect(await next(cat, id)).toHaveLength(1)
  })

  it('come in an order of each reviewer, and go when they are labelled', async () => {
    const { id } = await open({ selection: { kind: 'random', runs: [run_id], count: 6 } })
    const [ofAnn, ofBen] = [await next(ann, id, 5), await next(ben, id, 5)]
    expect(ofAnn.map((item) => item.id)).not.toEqual(ofBen.map((item) => item.id))
    for (const item of ofAnn) expect(await label(ann, item.id, 'pass')).toEqual(recorded)
    const left = await next(ann, id, 5)
    expect(left).toHaveLength(1)
    expect(ofAnn.map((item) => item.id)).not.toContain(left[0]?.id)
    const mine = (await get(ann.send, '/review/queues')) as [number, MyQueues]
    expect(mine[1].queues.find((queue) => queue.id === id)).toEqual({
      ...{ id, name: RUBRIC_FIELDS.name, role: 'reviewer', left: 1, done: 5, closed_at: null },
    })
  })

  it('that were declined are never offered to that person again, and others see how many', async () => {
    const queue = await open({ selection: { kind: 'random', runs: [run_id], count: 1 } })
    const item = `${queue.id}.1`
    expect(await post(ann.send, `/review/items/${item}/decline`, { reason: 'not_qualified' })).toBe(204)
    expect(await next(ann, queue.id)).toEqual([])
    expect(await label(ann, item, 'pass')).toEqual([409, { error: 'you declined it' }])
    expect((await queueOf(max.send, queue)).progress).toMatchObject({ declined: 1 })
    await label(ben, item, 'pass')
    expect(await post(ben.send, `/review/items/${item}/decline`, { reason: 'conflict' })).toEqual([
      409,
      { error: 'you labelled this item' },
    ])
  })

  it('show what the rubric names, and nothing of runs, models, judges and others', async () => {
    const show = [
      { field: 'vars.question', label: 'Question' },
      { field: 'output', label: 'Answer' },
    ]
    const other = await postRubric(write, { ...SET, ...RUBRIC_FIELDS, show })
    const queue = await open({ rubric_id: other })
    const [item] = await next(ann, queue.id)
    expect(item).toMatchObject({
      queue_id: queue.id,
      rubric: { id: other, version: 1, text: RUBRIC_FIELDS.text, questions: [{ key: 'right' }] },
      parts: [
        { field: 'vars.question', label: 'Question' },
        { field: 'output', label: 'Answer' },
      ],
      labels: [],
      to_decide: null,
    })
    await label(ben, item!.id, 'fail')
    await label(cat, item!.id, 'pass')
    const texts = [
      JSON.stringify(item),
      (await ann.send('GET', `/review/items/${item!.id}`)).body,
      (await ann.send('GET', '/review/queues')).body,
    ]
    await post(max.send, `/review-queues/${queue.id}/close`)
    texts.push((await ann.send('GET', `/review/items/${item!.id}`)).body)
    for (const text of texts) {
      for (const planted of Object.values(PLANTED)) expect(text).not.toContain(planted)
      for (const word of [run_id, 'review"', '"judge', 'verdict":', '"score', '"status', '0.4'])
        expect(text).not.toContain(word)
    }
  })

  it('of other queues are absent, as unknown ones are, for listed reviewers and for those who read the suite', async () => {
    const { id } = await open()
    const noItem = [404, { error: 'review item not found' }]
    const noQueue = [404, { error: 'review queue not found' }]
    for (const user of [dan, max, moe, mia])
      for (const item of [`${id}.1`, `${id}.99`, 'unknown.1', 'unknown']) {
        expect(await get(user.send, `/review/items/${item}`)).toEqual(noItem)
        expect(await label(user, item, 'pass')).toEqual(noItem)
        expect(await adjudicate(user, item, 'pass')).toEqual(noItem)
        expect(await post(user.send, `/review/items/${item}/decline`, { reason: 'conflict' })).toEqual(noItem)
      }
    for (const queue_id of [id, 'unknown']) expect(await post(dan.send, '/review/next', { queue_id })).toEqual(noQueue)
    expect(await get(ann.send, `/review/items/${id}.99`)).toEqual(noItem)
  })

  it('of deleted runs are gone, and final labels stay', async () => {
    const queue = await open({ per_item: 1 })
    await label(ann, `${queue.id}.1`, 'pass')
    await label(ann, `${queue.id}.2`, 'pass')
    expect((await spec.sendAs('admin')('DELETE', `/runs/${run_id}`)).statusCode).toBe(204)
    expect(await label(ann, `${queue.id}.3`, 'pass')).toEqual([409, { error: 'the run of this item was deleted' }])
    expect(await next(ben, queue.id)).toEqual([])
    expect((await itemsOf(mia.send, queue)).map(({ state }) => state)).toEqual(['final', 'final', 'gone'])
    await post(max.send, `/review-queues/${queue.id}/close`)
    expect(await queueOf(write, queue)).toMatchObject({
      runs: [{ run_id: null, passed: 4, failed: 2 }],
      progress: { gone: 1, final: 2 },
    })
  })
})

describe('an adjudicator', () => {
  it('decides items whose labels differ, and sees their labels without names', async () => {
    const queue = await open({ adjudicators: ['dan'], selection: { kind: 'random', runs: [run_id], count: 2 } })
    const [one, two] = [`${queue.id}.1`, `${queue.id}.2`]
    await label(ann, one, 'pass', { seconds: 7 })
    expect(await adjudicate(dan, one, 'pass')).toEqual([409, { error: 'this item does not have its 2 labels' }])
    expect(await next(dan, queue.id)).toEqual([])
    await label(ben, one, 'fail')
    expect(await next(dan, queue.id)).toMatchObject([
      {
        id: one,
        role: 'adjudicator',
        to_decide: [
          { answers: { right: 'fail' }, texts: null },
          { answers: { right: 'pass' }, texts: null },
        ],
      },
    ])
    await label(ann, two, 'pass')
    expect(((await get(dan.send, `/review/items/${two}`)) as [number, MyItem])[1].to_decide).toBeNull()
    await label(ben, two, 'pass')
    expect(await adjudicate(dan, two, 'pass')).toEqual([409, { error: 'the labels of this item agree' }])
    expect(await adjudicate(ann, one, 'pass')).toEqual([
      403,
      { error: 'only adjudicators of this queue decide between labels' },
    ])
    expect(await label(dan, one, 'pass')).toEqual([
      403,
      { error: 'you adjudicate in this queue, so you do not label in it' },
    ])
    expect(await adjudicate(dan, one, 'fail')).toEqual(recorded)
    expect(await itemsOf(write, queue)).toMatchObject([{ final: 'fail' }, { final: 'pass' }])
    expect((await queueOf(write, queue)).cause).toBe('complete')
  })

  it('decides nothing that he labelled before, and those who could adjudicate do not label', async () => {
    const queue = await openAs(mia.send, { adjudicators: ['dan'] })
    const item = `${queue.id}.1`
    await label(ann, item, 'pass')
    await label(ben, item, 'fail')
    const people = (add: object[], send = mia.send) => post(send, `/review-queues/${queue.id}/people`, { add })
    expect(await people([{ name: 'ann', role: 'adjudicator' }])).toMatchObject([200, {}])
    expect(await adjudicate(ann, item, 'pass')).toEqual([403, { error: 'you labelled this item' }])
    expect(await next(ann, queue.id)).toEqual([])
    expect(((await get(ann.send, `/review/items/${item}`)) as [number, MyItem])[1].to_decide).toBeNull()
    expect(await people([{ name: 'dan', role: 'reviewer' }])).toEqual([
      409,
      { error: 'those who adjudicated in a queue, or could have, do not label in it' },
    ])
    expect(await adjudicate(dan, item, 'pass')).toEqual(recorded)
    expect(await adjudicate(dan, item, 'pass')).toEqual([409, { error: 'this item was adjudicated' }])
    const [mine] = await spec.column(`SELECT label_id FROM labels WHERE queue_id = '${queue.id}' AND reviewer = 'ben'`)
    expect(await post(ben.send, `/review/labels/${String(mine)}/withdraw`, { reason: 'mistake' })).toEqual([
      409,
      { error: 'this item was adjudicated' },
    ])
  })

  it('is never the one who opened the queue, and is added to an open one only by those who manage the suite', async () => {
    expect(await post(max.send, '/review-queues', opening({ adjudicators: ['max'] }))).toMatchObject([403, {}])
    const queue = await open({ adjudicators: ['dan'] })
    const add = (name: string, send: Send) =>
      post(send, `/review-queues/${queue.id}/people`, { add: [{ name, role: 'adjudicator' }] })
    const needsManage = [403, { error: 'adding an adjudicator to an open queue needs a manage grant on its suite' }]
    for (const name of ['max', 'moe']) expect(await add(name, max.send)).toEqual(needsManage)
    expect(await add('moe', moe.send)).toEqual([
      403,
      { error: 'only those who opened a queue, or with a manage grant, may change its people' },
    ])
    expect(await add('moe', mia.send)).toMatchObject([200, {}])
  })
})

describe('people of a queue', () => {
  it('are added and removed, keep their letter, and their labels stay', async () => {
    const queue = await open()
    await label(ben, `${queue.id}.1`, 'pass')
    const change = (body: object, send = max.send) => post(send, `/review-queues/${queue.id}/people`, body)
    expect(await change({ remove: ['ben'] })).toMatchObject([
      200,
      {
        people: [
          { letter: 'A', name: 'ann' },
          { letter: 'C', name: 'cat' },
        ],
      },
    ])
    expect(await label(ben, `${queue.id}.2`, 'pass')).toEqual([404, { error: 'review item not found' }])
    expect(
      await change({
        add: [
          { name: 'dan', role: 'reviewer' },
          { name: 'ben', role: 'reviewer' },
        ],
      }),
    ).toMatchObject([
      200,
      { people: [{ letter: 'A' }, { letter: 'B', name: 'ben' }, { letter: 'C' }, { letter: 'D', name: 'dan' }] },
    ])
    expect(await change({ remove: ['ann', 'ben', 'cat', 'dan'] })).toEqual([422, { error: 'a queue needs a reviewer' }])
    for (const name of ['ghost', 'moe'])
      expect(await change({ remove: [name] })).toEqual([
        422,
        { error: `remove: ${name} is not one of the people of this queue` },
      ])
    expect((await queueOf(moe.send, queue)).people).toMatchObject([{ letter: 'A', name: null }, {}, {}, {}])
    expect(await spec.column(`SELECT standing FROM labels WHERE queue_id = '${queue.id}'`)).toEqual([1])
    await post(max.send, `/review-queues/${queue.id}/close`)
    expect(await change({ remove: ['ben'] })).toEqual([409, { error: 'the queue is closed' }])
  })

  it('are added to a queue of a restricted suite only by those who manage it', async () => {
    const suite = `restricted ${runs}`
    const run = `${run_id}-restricted`
    expect((await spec.ingest(judgedRun(run, 3, 2, { suite }))).statusCode).toBe(201)
    const own = await postRubric(write, { ...SET, suite })
    await spec.restrict('chat', suite)
    for (const [user, level] of [
      [max, 'upload'],
      [moe, 'manage'],
    ] as const)
      await spec.grant(user.user_id, level, 'chat', suite)
    const asked = opening({ suite, rubric_id: own, selection: { kind: 'random', runs: [run], count: 1 } })
    expect(await post(max.send, '/review-queues', asked)).toEqual([
      403,
      { error: 'this run set is restricted; adding people needs a manage grant on it' },
    ])
    const [, queue] = (await post(moe.send, '/review-queues', asked)) as [number, ReviewQueue]
    // Being listed shows the items without a grant; the queue itself is absent.
    expect(await next(ann, queue.id)).toHaveLength(1)
    const outsider = await spec.addUser(`outsider-${runs}`)
    for (const path of ['', '/items']) {
      const absent = await get(outsider.send, `/review-queues/unknown${path}`)
      expect(await get(outsider.send, `/review-queues/${queue.id}${path}`)).toEqual(absent)
    }
    for (const path of ['people', 'close'])
      expect(await post(outsider.send, `/review-queues/${queue.id}/${path}`)).toEqual([
        404,
        { error: 'review queue not found' },
      ])
  })
})

describe('values of labels of an open queue', () => {
  it('are nowhere but for those who gave them, and all there once it is closed', async () => {
    const queue = await open({ reviewers: ['ann', 'ben', 'max'] })
    const answers = () => {
      const paths = ['/review-queues', `/review-queues/${queue.id}`, `/review-queues/${queue.id}/items`]
      return Promise.all([max, moe, mia].flatMap(({ send }) => paths.map((path) => send('GET', path))))
    }
    const etags = async () => (await answers()).map(({ headers }) => String(headers['etag']))
    const twin = await open({ reviewers: ['ann', 'ben', 'max'] })
    const comparable = async (id: string, other: string) =>
      (await answers()).map(({ body }) => body.replaceAll(id, 'ID').replaceAll(other, 'ID'))
    await label(ann, `${queue.id}.1`, 'pass')
    const one = await comparable(queue.id, twin.id)
    const tags = await etags()
    expect(tags).not.toContain('undefined')
    const [first] = await spec.column(`SELECT label_id FROM labels WHERE queue_id = '${queue.id}'`)
    await label(ann, `${queue.id}.1`, 'fail', { revises: first })
    expect(await comparable(queue.id, twin.id)).toEqual(one)
    expect(await etags()).toEqual(tags)
    // Two labels that agree or differ look the same for those who label in the queue.
    await label(max, `${queue.id}.1`, 'pass')
    expect((await queueOf(max.send, queue)).progress).toMatchObject({ given: 2, final: null, waiting: null })
    expect((await itemsOf(max.send, queue)).map(({ state }) => state)).toEqual([null, null, null])
    expect(await get(max.send, `/review-queues/${queue.id}/items?state=waiting`)).toEqual([
      403,
      { error: 'states of items are shown when the queue is closed' },
    ])
    expect((await queueOf(moe.send, queue)).progress).toBeNull()
    // Who opened it can leave the list of reviewers and come back, and sees no more in between.
    const people = (body: object) => post(max.send, `/review-queues/${queue.id}/people`, body)
    expect(await people({ remove: ['max'] })).toMatchObject([
      200,
      { progress: { given: 2, gone: null, final: null, waiting: null } },
    ])
    expect((await itemsOf(max.send, queue)).map(({ state }) => state)).toEqual([null, null, null])
    expect(await people({ add: [{ name: 'max', role: 'reviewer' }] })).toMatchObject([200, {}])
    await post(max.send, `/review-queues/${queue.id}/close`)
    expect((await itemsOf(moe.send, queue))[0]).toMatchObject({
      state: 'waiting',
      labels: [
        { letter: 'A', answers: { right: 'fail' } },
        { letter: 'C', answers: { right: 'pass' } },
      ],
    })
  })
})

describe('a queue', () => {
  it('is closed by its opener or with a manage level, once', async () => {
    const queue = await open()
    const close = (send: Send) => post(send, `/review-queues/${queue.id}/close`)
    expect(await close(moe.send)).toEqual([
      403,
      { error: 'only those who opened a queue, or with a manage grant, may close it' },
    ])
    expect(await close(max.send)).toMatchObject([200, { cause: 'request' }])
    expect(await close(mia.send)).toMatchObject([200, { cause: 'request' }])
  })
})

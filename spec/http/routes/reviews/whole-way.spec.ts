import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { MyItem } from '../../../../queries/reviews/my-items.ts'
import type { ReviewAgreement } from '../../../../queries/reviews/agreement.ts'
import type { RunCalibration } from '../../../../queries/reviews/calibration.ts'
import type { ReviewItemList } from '../../../../queries/reviews/queue-items.ts'
import type { ReviewQueue } from '../../../../queries/reviews/queues.ts'
import { json, statusAndBody } from '../../../support/access/access-requests.ts'
import { judgedRun } from '../../../support/documents/queues.ts'
import { postRubric } from '../../../support/documents/rubrics.ts'
import { openApp, type Send } from '../../../support/servers/app.ts'

// The whole way of a review by requests alone: a rubric, a queue, labels of two people, decisions of a third, and what they say about the
// judge. The judge passes too much.

let clock = Date.UTC(2026, 4, 4, 8)
const spec = await openApp({ now: () => clock })
afterAll(() => spec.close())

const SET = { project: 'chat', suite: 'way' } as const
const RUN = 'way-1'
const [ann, ben, cleo, max] = [
  await spec.addUser('ann', 'reviewer'),
  await spec.addUser('ben', 'reviewer'),
  await spec.addUser('cleo', 'reviewer'),
  await spec.addUser('max'),
]

const post = async <T>({ send }: { readonly send: Send }, path: string, body: object = {}): Promise<T> => {
  const answer = await send('POST', path, { headers: json, body: JSON.stringify(body) })
  expect([answer.body, 200, 201]).toContain(answer.statusCode)
  return answer.json<T>()
}
const get = <T>(path: string) => spec.getJson<T>(path)

let labels = 0
const newId = () => `01K${String(++labels).padStart(23, '0')}`
/** The number of a case, by the question that the rubric shows. */
const numberOf = ({ parts }: MyItem): number => Number(/\d+/.exec(String(parts[0]?.value))?.[0])
/** People fail every third case that the judge passed, and pass every eighth that it failed. */
const isRight = (n: number): boolean => (n < 80 ? n % 3 !== 0 : n % 8 === 0)
/** On every ninth case the second person says the opposite. */
const differsOn = (n: number): boolean => n % 9 === 1
const verdict = (passes: boolean) => (passes ? 'pass' : 'fail')

/** Labels all that is left for a person, and returns how many there were. */
const labelAll = async (user: typeof ann, queue_id: string, says: (n: number) => boolean): Promise<number> => {
  for (let done = 0; ;) {
    const { items } = await post<{ items: MyItem[] }>(user, '/review/next', { queue_id, count: 5 })
    if (items.length === 0) return done
    for (const item of items) {
      const act = item.role === 'adjudicator' ? 'adjudicate' : 'labels'
      const answers = { right: verdict(says(numberOf(item))) }
      await post(user, `/review/items/${item.id}/${act}`, { label_id: newId(), answers, seconds: 6 })
      done++
    }
  }
}

const read = (path: string) => get<ReviewQueue>(path)
let id = ''
beforeAll(async () => {
  expect((await spec.ingest(judgedRun(RUN, 120, 80, { suite: SET.suite }))).statusCode).toBe(201)
  const rubric_id = await postRubric(spec.sendAs('write'), {
    ...SET,
    show: [
      { field: 'vars.question', label: 'Question' },
      { field: 'output', label: 'Answer' },
    ],
  })
  const opening = {
    ...{ ...SET, rubric_id, target: 'metric', metric: 'llm-rubric', per_item: 2 },
    ...{ reviewers: ['ann', 'ben'], adjudicators: ['cleo'], seed: 'way' },
    selection: { kind: 'by_verdict', runs: [RUN], passed: 60, failed: 30 },
  }
  const preview = await post<object>(max, '/review-queues', { ...opening, dry_run: true })
  expect(preview).toMatchObject({
    items: 90,
    groups: { passed: { cases: 80, taken: 60 }, failed: { cases: 40, taken: 30 } },
  })
  ;({ id } = await post<ReviewQueue>(max, '/review-queues', opening))
})

describe('the way from an opened queue to a calibration', () => {
  it('begins with a queue that shows how far each person came, and nothing that they said', async () => {
    expect(await labelAll(ann, id, isRight)).toBe(90)
    const asMax = async () =>
      ((await statusAndBody(await max.send('GET', `/review-queues/${id}`))) as [number, ReviewQueue])[1]
    expect(await asMax()).toMatchObject({
      my_role: null,
      progress: { given: 90, started: 90, full: 0, final: 0, waiting: 0 },
      people: [
        { letter: 'A', name: 'ann', role: 'reviewer', labelled: 90, declined: 0 },
        { letter: 'B', name: 'ben', role: 'reviewer', labelled: 0, declined: 0 },
        { letter: 'C', name: 'cleo', role: 'adjudicator', labelled: 0, declined: 0 },
      ],
    })
    const asOther = await read(`/review-queues/${id}`)
    expect(asOther).toMatchObject({ progress: null, people: [{ name: null, labelled: null, declined: null }, {}, {}] })
    const { items } = await get<ReviewItemList>(`/review-queues/${id}/items?limit=90`)
    expect(items.every(({ labels: given, final, state }) => given === null && final === null && state === null)).toBe(
      true,
    )
    const hidden = [403, { error: 'states of items are shown when the queue is closed' }]
    for (const query of ['final=pass', 'differs=people'])
      for (const { send } of [max, { send: spec.sendAs('admin') }])
        expect(statusAndBody(await send('GET', `/review-queues/${id}/items?${query}`))).toEqual(hidden)
    expect(await get<RunCalibration>(`/runs/${RUN}/calibration`)).toMatchObject({ state: 'none', labels: { total: 0 } })
  })

  it('goes on with decisions of a third person where labels differ, which close it', async () => {
    expect(await labelAll(ben, id, (n) => isRight(n) !== differsOn(n))).toBe(90)
    const open = ((await statusAndBody(await max.send('GET', `/review-queues/${id}`))) as [number, ReviewQueue])[1]
    const { waiting, full } = open.progress ?? {}
    expect([full, open.closed_at]).toEqual([90, null])
    expect(waiting).toBeGreaterThan(5)
    clock += 60_000
    expect(await labelAll(cleo, id, isRight)).toBe(waiting)
    expect(await read(`/review-queues/${id}`)).toMatchObject({
      cause: 'complete',
      progress: { final: 90, waiting: 0 },
      people: [{ labelled: 90 }, { labelled: 90 }, { letter: 'C', labelled: waiting }],
    })
  })

  it('then shows the labels, how far people agree, and the cases where the judge and people differ', async () => {
    const agreement = await get<ReviewAgreement>(`/review-queues/${id}/agreement`)
    expect(agreement).toMatchObject({ items: 90, kind: 'verdict' })
    expect(agreement.ac.value?.lower).toBeGreaterThan(0.4)
    const find = async (query: string) =>
      (await get<ReviewItemList>(`/review-queues/${id}/items?limit=90&${query}`)).items
    const differing = await find('differs=people')
    expect(new Set(differing.map(({ labels: given }) => given?.length))).toEqual(new Set([3]))
    const letThrough = await find('verdict=pass&final=fail')
    expect(letThrough.length).toBeGreaterThan(5)
    for (const { verdict: judged, final, name, test_id, case_key } of letThrough) {
      expect([judged, final]).toEqual(['pass', 'fail'])
      expect([name ?? test_id, case_key === null]).toEqual([expect.any(String), false])
    }
    const all = await find('')
    expect(letThrough).toEqual(all.filter(({ verdict: judged, final }) => judged === 'pass' && final === 'fail'))
    const others = all.filter(({ verdict: judged, final }) => final !== null && final !== judged)
    expect(await find('differs=judge')).toEqual(others)
    expect(others.length).toBeGreaterThan(letThrough.length)
    expect(await find('final=pass')).toEqual(all.filter(({ final }) => final === 'pass'))
  })

  it('ends with a calibration that may be relied on, of which the export has every label', async () => {
    const found = await get<RunCalibration>(`/runs/${RUN}/calibration`)
    expect(found).toMatchObject({
      ...{ state: 'good', reasons: [], method: 'own', finding: 'passes_too_much', queues: [id] },
      labels: { m1: 60, m0: 30, total: 90 },
      given: { labels: 180, people: 2, enforced: 180 },
    })
    if (found.rate.reason !== null) throw new Error('there is a rate')
    expect(found.rate.upper).toBeLessThan(found.judge_alone.rate)
    const { x1, x0 } = found.labels
    const lines = (await spec.sendAs('read')('GET', `/review-queues/${id}/export/csv`)).body.trim().split('\n')
    const decisions = (await read(`/review-queues/${id}`)).people[2]?.labelled ?? 0
    expect(lines).toHaveLength(1 + found.given.labels + decisions)
    const of = async (query: string) =>
      (await get<ReviewItemList>(`/review-queues/${id}/items?limit=90&${query}`)).items.length
    expect([await of('verdict=pass&final=pass'), await of('verdict=fail&final=pass')]).toEqual([x1, x0])
  })
})

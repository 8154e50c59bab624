import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import type { MyItem } from '../../../queries/reviews/my-items.ts'
import { json } from '../../support/access/access-requests.ts'
import { judgedRun } from '../../support/documents/queues.ts'
import { postRubric, RUBRIC_FIELDS } from '../../support/documents/rubrics.ts'
import { openEvents, type EventClient } from '../../support/http/event-stream.ts'
import { openApp, TOKENS, type Send, type SpecUser } from '../../support/servers/app.ts'

// What the stream of events says of review queues. After each step a run is uploaded that all see, so what came before it is all that
// a stream said of the step.

let time = Date.UTC(2026, 4, 5)
const spec = await openApp({ now: () => time++ })
await spec.app.listen({ port: 0, host: '127.0.0.1' })
const url = `http://127.0.0.1:${(spec.app.server.address() as AddressInfo).port}`
const clients: EventClient[] = []
afterEach(() => {
  for (const client of clients.splice(0)) client.close()
})
afterAll(() => spec.close())

const SET = { project: 'chat', suite: 'review' } as const
const [ann, ben] = [await spec.addUser('ann', 'reviewer'), await spec.addUser('ben')]
const [max, cleo, mia] = [await spec.addUser('max'), await spec.addUser('cleo'), await spec.addUser('mia', 'admin')]
await spec.addUser('viewer', 'viewer')
expect((await spec.ingest(judgedRun('judged', 4, 2))).statusCode).toBe(201)
const rubric_id = await postRubric(spec.sendAs('write'), { ...SET, ...RUBRIC_FIELDS })

const post = async <T>(send: Send, path: string, body: object = {}): Promise<T> => {
  const answer = await send('POST', path, { headers: json, body: JSON.stringify(body) })
  expect([path, answer.statusCode < 300 ? '' : answer.body]).toEqual([path, ''])
  return answer.json<T>()
}
const open = async (token: string): Promise<EventClient> => {
  const client = await openEvents(url, { token })
  clients.push(client)
  return client
}
const openQueue = ({ send }: SpecUser, more: object = {}) =>
  post<{ id: string }>(send, '/review-queues', {
    ...{ ...SET, rubric_id, target: 'metric', metric: 'llm-rubric', per_item: 2, reviewers: ['ann', 'ben'] },
    ...{ adjudicators: ['cleo'], selection: { kind: 'random', runs: ['judged'], count: 1 } },
    ...more,
  })
let labels = 0
const label = async ({ send }: SpecUser, queue_id: string, right: string, act: 'labels' | 'adjudicate' = 'labels') => {
  const { items } = await post<{ items: MyItem[] }>(send, '/review/next', { queue_id, count: 1 })
  const label_id = `01J${String(++labels).padStart(23, '0')}`
  await post(send, `/review/items/${items[0]!.id}/${act}`, { label_id, answers: { right }, seconds: 5 })
  return label_id
}
let marks = 0
/** The queues that each stream named since the last mark, however often: changes that are near to each other have one message or more. */
const namedBy = async (streams: Readonly<Record<string, EventClient>>) => {
  const from = Object.fromEntries(Object.entries(streams).map(([name, client]) => [name, client.text().length]))
  const mark = `mark-${++marks}`
  expect((await spec.ingest(judgedRun(mark, 1, 1, { project: 'open', suite: 'mark' }))).statusCode).toBe(201)
  const named: Record<string, string[]> = {}
  for (const [name, client] of Object.entries(streams)) {
    const found = new Set<string>()
    for (;;) {
      const changed = await client.nextChanged()
      for (const { id } of changed?.reviews ?? []) found.add(id)
      if (changed === null || changed.runs.some(({ id }) => id === mark)) break
    }
    expect(client.text().slice(from[name])).not.toMatch(/pass|fail|decision|label/)
    named[name] = [...found]
  }
  return named
}

describe('a stream of events', () => {
  it('names a queue to those who may know what happened in it, and never what a label says', async () => {
    const streams = {
      opener: await open(max.token),
      reviewer: await open(ben.token),
      adjudicator: await open(cleo.token),
      admin: await open(mia.token),
      viewer: await open(TOKENS.read),
    }
    const all = (ids: string[]) => Object.fromEntries(Object.keys(streams).map((name) => [name, ids]))
    const { id } = await openQueue(max)
    expect(await namedBy(streams)).toEqual(all([id]))
    await label(ann, id, 'pass')
    expect(await namedBy(streams)).toEqual({ ...all([id]), reviewer: [], viewer: [] })
    await label(ben, id, 'fail')
    expect(await namedBy(streams)).toEqual({ ...all([id]), reviewer: [], viewer: [] })
    // The last decision closes it.
    await label(cleo, id, 'pass', 'adjudicate')
    expect(await namedBy(streams)).toEqual(all([id]))
  })

  it('names no decision to an opener who labelled, because the own label would say the other', async () => {
    const { id } = await openQueue(ben, { selection: { kind: 'random', runs: ['judged'], count: 2 } })
    const streams = { labels: await open(ben.token), adjudicator: await open(cleo.token) }
    for (const person of [ann, ann]) await label(person, id, 'pass')
    for (const right of ['fail', 'fail']) await label(ben, id, right)
    expect(await namedBy(streams)).toEqual({ labels: [id], adjudicator: [id] })
    await label(cleo, id, 'pass', 'adjudicate')
    expect(await namedBy(streams)).toEqual({ labels: [], adjudicator: [id] })
  })

  it('names second thoughts only to those who may know how many items are decided: nothing else changes', async () => {
    const { id } = await openQueue(ben, { selection: { kind: 'random', runs: ['judged'], count: 2 } })
    const streams = { labels: await open(ben.token), adjudicator: await open(cleo.token), admin: await open(mia.token) }
    const first = await label(ann, id, 'pass')
    expect(await namedBy(streams)).toEqual({ labels: [id], adjudicator: [id], admin: [id] })
    const [item] = await spec.column(`SELECT n FROM labels WHERE label_id = '${first}'`)
    const second = { label_id: first.replace('01J', '01K'), answers: { right: 'fail' }, seconds: 5, revises: first }
    await post(ann.send, `/review/items/${id}.${String(item)}/labels`, second)
    expect(await namedBy(streams)).toEqual({ labels: [], adjudicator: [id], admin: [id] })
  })

  it('names steps to accounts with a manage grant on the suite or its project, for as long as they have it', async () => {
    const { id } = await openQueue(max, { selection: { kind: 'random', runs: ['judged'], count: 3 } })
    const users = [await spec.addUser('of-suite'), await spec.addUser('of-project'), await spec.addUser('of-other')]
    const [ofSuite, ofProject, ofOther] = users as [SpecUser, SpecUser, SpecUser]
    await spec.grant(ofSuite.user_id, 'manage', SET.project, SET.suite)
    await spec.grant(ofProject.user_id, 'manage', SET.project)
    await spec.grant(ofOther.user_id, 'manage', SET.project, 'other')
    await spec.grant(ofOther.user_id, 'upload', SET.project, SET.suite)
    const streams = {
      ofSuite: await open(ofSuite.token),
      ofProject: await open(ofProject.token),
      ofOther: await open(ofOther.token),
    }
    await label(ann, id, 'pass')
    expect(await namedBy(streams)).toEqual({ ofSuite: [id], ofProject: [id], ofOther: [] })
    expect((await ofSuite.send('GET', `/review-queues/${id}`)).json()).toMatchObject({ progress: { given: 1 } })
    await spec.grant(ofSuite.user_id, 'upload', SET.project, SET.suite)
    await label(ann, id, 'pass')
    expect(await namedBy(streams)).toEqual({ ofSuite: [], ofProject: [id], ofOther: [] })
    expect((await ofSuite.send('GET', `/review-queues/${id}`)).json()).toMatchObject({ progress: null })
  })

  it('names no queue of a suite that is hidden from the viewer', async () => {
    const { id } = await openQueue(max, { selection: { kind: 'list', cases: await caseOf('judged') } })
    await spec.restrict(SET.project, SET.suite)
    const streams = { opener: await open(max.token), admin: await open(mia.token), viewer: await open(TOKENS.read) }
    await label(ann, id, 'pass')
    await post(mia.send, `/review-queues/${id}/close`)
    expect(await namedBy(streams)).toEqual({ opener: [], admin: [id], viewer: [] })
    expect(streams.viewer.text()).not.toContain(id)
  })

  it('is not for accounts that only label', async () => {
    expect((await open(ann.token)).status).toBe(403)
  })
})

const caseOf = async (run_id: string) => {
  const { cases } = (await mia.send('GET', `/runs/${run_id}/cases?limit=1`)).json<{
    cases: Array<{ case_key: string }>
  }>()
  return cases.map(({ case_key }) => ({ run_id, case_key }))
}

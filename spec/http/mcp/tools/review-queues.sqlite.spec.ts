import { afterAll, expect, it } from 'vitest'
import { WARNING } from '../../../../domain/agent-text/fence.ts'
import type { ReviewQueue } from '../../../../queries/reviews/queues.ts'
import { json } from '../../../support/access/access-requests.ts'
import { judgedRun } from '../../../support/documents/queues.ts'
import { postRubric, RUBRIC_FIELDS } from '../../../support/documents/rubrics.ts'
import { callTool, ENDLESS, insideFence, MCP, type McpMessage } from '../../../support/http/mcp.ts'
import { openApp, type Send } from '../../../support/servers/app.ts'

const spec = await openApp({ mcp: MCP, parts: () => ({ callBudget: ENDLESS }) })
afterAll(() => spec.close())
const [read, write] = [spec.sendAs('read'), spec.sendAs('write')]
const SET = { project: 'chat', suite: 'review' } as const
const [ann, ben] = [await spec.addUser('ann', 'reviewer'), await spec.addUser('ben', 'reviewer')]
await spec.ingest(judgedRun('judged', 6, 4))
const questions = [...RUBRIC_FIELDS.questions, { key: 'why', kind: 'comment', label: 'Why?' }]
const rubric_id = await postRubric(write, { ...SET, ...RUBRIC_FIELDS, questions })

const post = async <T>(send: Send, path: string, body: object = {}): Promise<T> => {
  const answer = await send('POST', path, { headers: json, body: JSON.stringify(body) })
  expect([200, 201], answer.body).toContain(answer.statusCode)
  return answer.json<T>()
}
const open = () =>
  post<ReviewQueue>(write, '/review-queues', {
    ...{ ...SET, rubric_id, target: 'metric', metric: 'llm-rubric', reviewers: ['ann', 'ben'], seed: 'one' },
    selection: { kind: 'random', runs: ['judged'], count: 3 },
  })
let labels = 0
const label = ({ send }: { readonly send: Send }, item: string, right: 'pass' | 'fail') =>
  post(send, `/review/items/${item}/labels`, {
    ...{ label_id: `01J${String(++labels).padStart(23, '0')}`, seconds: 5 },
    answers: { right, why: 'PLANTED-comment' },
  })
const call = (given: McpMessage = {}) => callTool(read, 'review_queues', given)
const rest = async (path: string) => ({ ...(await spec.getJson<object>(path)), _warning: WARNING })

it('review_queues lists queues as the HTTP API does, in a table, with pages', async () => {
  const [first, second] = [await open(), await open()]
  const { data, isError, text } = await call({ limit: 1 })
  expect([isError, data]).toEqual([false, await rest('/review-queues?limit=1')])
  expect(data).toMatchObject({ queues: [{ id: second.id, name: RUBRIC_FIELDS.name, items: 3, progress: null }] })
  const [head, row] = insideFence(text).split('\n')
  expect(head).toMatch(/^id +project +suite +name +items +opened_at +closed_at$/)
  expect(row).toContain(`${second.id}  chat     review  ${RUBRIC_FIELDS.name}  3 `)
  const cursor = (data as { next_cursor: string }).next_cursor
  expect(text).toContain(`call again with cursor ${cursor}`)
  expect((await call({ limit: 1, cursor })).data).toMatchObject({ queues: [{ id: first.id }] })
  await post(write, `/review-queues/${first.id}/close`)
  for (const [state, id] of [
    ['open', second.id],
    ['closed', first.id],
  ] as const) {
    const found = (await call({ ...SET, state })).data
    expect(found).toEqual(await rest(`/review-queues?limit=10&state=${state}`))
    expect(found).toMatchObject({ queues: [{ id }] })
  }
  expect((await call({ suite: 'none' })).data).toMatchObject({ queues: [], next_cursor: null })
})

it('review_queues has one queue, with the agreement of its people once it is closed, and never a label', async () => {
  const queue = await open()
  await label(ann, `${queue.id}.1`, 'pass')
  const before = await call({ queue_id: queue.id })
  await label(ann, `${queue.id}.2`, 'pass')
  await label(ben, `${queue.id}.1`, 'fail')
  await label(ben, `${queue.id}.2`, 'pass')
  expect(await call({ queue_id: queue.id })).toEqual(before)
  expect(before.data).toMatchObject({ queues: [{ id: queue.id, closed_at: null, progress: null }], agreement: null })
  await post(write, `/review-queues/${queue.id}/close`)
  const closed = await call({ queue_id: queue.id, ...SET, state: 'open' })
  expect(closed.data).toEqual({
    queues: [await spec.getJson(`/review-queues/${queue.id}`)],
    agreement: await spec.getJson(`/review-queues/${queue.id}/agreement`),
    _warning: WARNING,
  })
  expect(closed.data).toMatchObject({ agreement: { kind: 'verdict', items: 2, percent: { estimate: 0.5 } } })
  for (const { text, data } of [before, closed]) expect(text + JSON.stringify(data)).not.toContain('PLANTED-comment')
})

it('review_queues knows no queue of a hidden suite, and answers no reviewer', async () => {
  const queue = await open()
  await spec.restrict(SET.project, SET.suite)
  const unknown = await call({ queue_id: 'unknown' })
  expect(unknown).toMatchObject({ isError: true, text: 'review queue not found' })
  expect(await call({ queue_id: queue.id })).toEqual(unknown)
  expect((await call()).data).toMatchObject({ queues: [] })
  await spec.lift(SET.project, SET.suite)
  const asked = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'review_queues', arguments: {} } }
  expect((await ann.send('POST', '/mcp', { headers: json, body: JSON.stringify(asked) })).statusCode).toBe(403)
  expect((await ann.send('GET', '/events/stream')).statusCode).toBe(403)
})

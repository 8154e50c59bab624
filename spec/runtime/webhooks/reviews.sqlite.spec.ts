import { expect, it } from 'vitest'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import { judgedRun } from '../../support/documents/queues.ts'
import { postRubric, RUBRIC_FIELDS } from '../../support/documents/rubrics.ts'
import { messageOf } from '../../support/webhooks/receiver.ts'
import { sendingAppOpener } from '../../support/webhooks/sending-app.ts'

const open = sendingAppOpener()
const SET = { project: 'chat', suite: 'review' } as const

/** An app with a webhook for closed queues, and what opens, labels and closes them. */
const reviewing = async () => {
  const app = await open()
  const { spec, ask, ada } = app
  await app.create({ events: ['review.completed'] })
  await spec.ingest(judgedRun('judged', 6, 4))
  const [ann, ben] = [await spec.addUser('ann', 'reviewer'), await spec.addUser('ben', 'reviewer')]
  const rubric_id = await postRubric(spec.sendAs('write'), { ...SET, ...RUBRIC_FIELDS })
  const post = async (path: string, body: object, { token }: { readonly token: string }): Promise<{ id: string }> => {
    const answer = await ask('POST', path, { token, body })
    expect([200, 201], answer.body).toContain(answer.statusCode)
    return answer.json<{ id: string }>()
  }
  let labels = 0
  return {
    app,
    ann,
    ben,
    open: (count: number) =>
      post(
        '/review-queues',
        {
          ...{ ...SET, rubric_id, target: 'case', reviewers: ['ann', 'ben'] },
          selection: { kind: 'random', runs: ['judged'], count },
        },
        ada,
      ),
    label: (user: { readonly token: string }, item: string, right: 'pass' | 'fail') =>
      post(
        `/review/items/${item}/labels`,
        { label_id: `01J${String(++labels).padStart(23, '0')}`, answers: { right }, seconds: 5 },
        user,
      ),
    close: (id: string) => post(`/review-queues/${id}/close`, {}, ada),
  }
}

it('a closed queue is a message of numbers, and an open one is none', async () => {
  const { app, ann, ben, ...queues } = await reviewing()
  const { id } = await queues.open(4)
  await queues.label(ann, `${id}.1`, 'pass')
  await queues.label(ben, `${id}.1`, 'pass')
  await queues.label(ann, `${id}.2`, 'pass')
  await queues.label(ben, `${id}.2`, 'fail')
  await queues.label(ann, `${id}.3`, 'fail')
  await app.send()
  expect(app.receiver.received).toEqual([])
  await queues.close(id)
  await app.send()
  const [message] = app.receiver.received.map((one) => messageOf(one))
  expect(message).toMatchObject({
    type: 'review.completed',
    data: {
      ...{ ...SET, cause: 'request', url: 'https://results.example/projects/chat/suites/review' },
      reviewed: { items: 4, final: 1, waiting: 1, labels: 5 },
    },
  })
  expect(Object.keys(message?.data ?? {}).toSorted()).toEqual(['cause', 'project', 'reviewed', 'suite', 'url'])
  // It is closed once.
  await queues.close(id)
  await app.send()
  expect(app.receiver.received).toHaveLength(1)
})

it('the last final label sends it too', async () => {
  const { app, ann, ben, ...queues } = await reviewing()
  const { id } = await queues.open(1)
  await queues.label(ann, `${id}.1`, 'fail')
  await queues.label(ben, `${id}.1`, 'fail')
  await app.send()
  expect(app.receiver.received.map((one) => messageOf(one).data)).toMatchObject([
    { cause: 'complete', reviewed: { items: 1, final: 1, waiting: 0, labels: 2 } },
  ])
})

it('an owner who may not see the suite gets none', async () => {
  const { app, ...queues } = await reviewing()
  const { id } = await queues.open(1)
  await app.spec.restrict(SET.project, SET.suite)
  await app.spec.service.commit.closeReviewQueue(SYSTEM, { queue_id: id, set: SET })
  await app.send()
  expect([app.receiver.received, await app.states()]).toEqual([[], []])
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { verifyDatabase, verifyLog } from '../../../maintenance/verify/log.ts'
import { readTables } from '../../../projections/index.ts'
import { CLI } from '../../../queries/access/viewer.ts'
import { readJudges } from '../../../queries/reviews/judges.ts'
import { findRun } from '../../../queries/runs/run.ts'
import { openService } from '../../../runtime/open-service.ts'
import type { OpenService } from '../../../runtime/services.ts'
import { viewerOf } from '../../support/access/accounts.ts'
import { judgedRun } from '../../support/documents/labelled-queue.ts'
import { aQueue } from '../../support/documents/queues.ts'
import { aRubric, RUBRIC_FIELDS } from '../../support/documents/rubrics.ts'
import { fetchResponses } from '../../support/http/all-answers.ts'
import { runErs } from '../../support/servers/run-ers.ts'
import { openServiceOn, tablesOf } from '../../support/stores/database.ts'
import { freshDatabase } from '../../support/stores/fresh-database.ts'
import { readTables as tablesIn } from '../../support/stores/read-tables.ts'
import { onFile, steppingClock } from '../../support/stores/store.ts'

// Reviews in a copied store: rubrics, queues, labels, their texts, and what they say about the judge.

const folder = mkdtempSync(join(tmpdir(), 'ers-migrate-reviews-'))
const [origin, back] = [join(folder, 'origin'), join(folder, 'back')]
const database = await freshDatabase({ template: false })
afterAll(async () => {
  await database.close()
  rmSync(folder, { recursive: true })
})

const SET = { project: 'chat', suite: 'tone' } as const
const TEXTS = ['rubric_texts', 'label_texts'] as const
const TABLES = ['rubrics', 'review_queues', 'review_items', 'labels', 'review_people', 'review_declines'] as const
const JUDGED = ['run_judges', 'judged_cases'] as const
const PATHS = [
  '/runs/judged/calibration?metric=llm-rubric',
  `/projects/${SET.project}/suites/${SET.suite}/judges`,
  '/rubrics/rubric',
  '/review-queues',
  '/review-queues/queue/items',
  '/review-queues/queue/agreement',
  '/review-queues/queue/export/csv',
  '/review-queues/open',
]
const answersOf = async (service: OpenService): Promise<Record<string, string>> => {
  try {
    return await fetchResponses(service, PATHS)
  } finally {
    await service.close()
  }
}
const now = steppingClock()
const as = (user_id: string) =>
  viewerOf({ kind: 'session', credential_id: `session of ${user_id}`, user_id, scope: 'review' }, null)

/** A run, a queue that people labelled in every way and that was closed, and an open one. */
const record = async (service: OpenService): Promise<void> => {
  const { commit } = service
  const body = new TextEncoder().encode(JSON.stringify(judgedRun('judged', 4, 2)))
  await commit.ingestRun(CLI, { body, encoding: null })
  for (const user_id of ['ann', 'ben', 'cleo']) {
    const password_hash = `hash of ${user_id}`
    await commit.createUser(CLI, { user_id, username: user_id, password_hash, role: 'reviewer' })
    const token_hash = `token of ${user_id}`
    await commit.signIn(CLI, { user_id, password_hash, session_id: `session of ${user_id}`, token_hash })
  }
  const why = { key: 'why', kind: 'comment', label: 'Why?' } as const
  await commit.createRubric(CLI, aRubric({ ...SET, questions: [...RUBRIC_FIELDS.questions, why] }))
  await commit.declareJudge(CLI, { ...SET, metric: 'sql', is_judge: true })
  const stored = await service.reader.read(findRun(CLI, 'judged'))
  if (!stored) throw new Error('the run is stored')
  const { run_no, document_sha256 } = stored
  const [judge] = await readJudges(service.reader, [run_no])
  if (!judge) throw new Error('the run has a judge')
  const { judge_id, passed, failed, other } = judge
  const queue = aQueue({
    ...{
      ...SET,
      target: 'metric',
      metric: 'llm-rubric',
      per_item: 2,
      runs: [{ run_no, document_sha256, judge_id, passed, failed, other }],
    },
    items: [0, 1, 4, 5].map((n) => [0, n, n < 4 ? 1 : 0, null] as const),
    people: [
      ...['ann', 'ben'].map((name) => ({ name, role: 'reviewer' as const })),
      { name: 'cleo', role: 'adjudicator' },
    ],
  })
  for (const queue_id of ['queue', 'open']) await commit.openReviewQueue(CLI, { ...queue, queue_id })
  let labels = 0
  const sent = (n: number, right: string) => ({
    ...{ queue_id: 'queue', n, label_id: `label-${++labels}`, answers: { right, why: `=${labels} “so”` } },
    ...{ seconds: 4.25, recognised: n === 2, isClosed: true },
  })
  const label = (user: string, n: number, right: string, revises: string | null = null) =>
    commit.labelItem(as(user), { ...sent(n, right), revises })
  await label('ann', 1, 'fail')
  await label('ann', 1, 'pass', 'label-1')
  await label('ben', 1, 'pass')
  await label('ann', 2, 'pass')
  await label('ben', 2, 'fail')
  await commit.adjudicateItem(as('cleo'), sent(2, 'fail'))
  await label('ann', 3, 'fail')
  await commit.withdrawLabel(as('ann'), { label_id: `label-${labels}`, queue_id: 'queue', n: 3, reason: 'mistake' })
  await commit.declineItem(as('ben'), { queue_id: 'queue', n: 4, reason: 'conflict' })
  await commit.closeReviewQueue(CLI, { queue_id: 'queue', set: SET })
}

it('`ers migrate` copies reviews: every row, every text and every answer are the same, there and back', async () => {
  const service = await openService({ dataDir: origin, now })
  await record(service)
  const answers = await answersOf(service)
  expect(Object.entries(answers).filter(([, answer]) => !answer.startsWith('200 '))).toEqual([])
  const env = { SERVICE_DATABASE_URL: database.ownerUrl }

  const migrate = (...args: readonly string[]) => runErs(['migrate', ...args], { env })
  expect(await migrate('--data-dir', origin)).toMatchObject({ code: 0 })
  const copied = await tablesOf(database.ownerUrl, [...TEXTS, ...readTables])
  for (const table of [...TEXTS, ...TABLES, ...JUDGED]) expect([table, copied[table]?.length]).not.toEqual([table, 0])
  expect(await answersOf(await openServiceOn(database.ownerUrl, { now }))).toEqual(answers)
  expect(await verifyDatabase(database.ownerUrl, null)).toMatchObject({ finding: null })

  expect(await migrate('--reverse', '--data-dir', back)).toMatchObject({ code: 0 })
  const [was, is] = [origin, back].map((dir) => {
    const file = join(dir, 'service.db')
    const textsIn = (table: string) =>
      onFile(file, (sqlite) => sqlite.prepare(`SELECT * FROM ${table} ORDER BY 1`).all())
    return { ...onFile(file, tablesIn), texts: TEXTS.map(textsIn) }
  })
  expect(is).toEqual(was)
  expect(await answersOf(await openService({ dataDir: back, now }))).toEqual(answers)
  expect(await verifyLog(join(back, 'service.db'), null)).toMatchObject({ finding: null })
})

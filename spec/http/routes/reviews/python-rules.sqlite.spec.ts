import { spawnSync } from 'node:child_process'
import { afterAll, expect, it } from 'vitest'
import type { ReviewItemList } from '../../../../queries/reviews/queue-items.ts'
import type { ReviewQueue } from '../../../../queries/reviews/queues.ts'
import { json } from '../../../support/access/access-requests.ts'
import { judgedRun } from '../../../support/documents/queues.ts'
import { postRubric, RUBRIC_FIELDS } from '../../../support/documents/rubrics.ts'
import { openApp } from '../../../support/servers/app.ts'

// That anyone can draw a sample again, and name a judge, in a few lines of another language.

const PYTHON = `
import hashlib, json, sys
asked = json.load(sys.stdin)
sha256 = lambda text: hashlib.sha256(text.encode()).hexdigest()
place = lambda key: sha256("\\0".join([asked["seed"], asked["run_id"], key]))
canonical = json.dumps(asked["judge"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
print(json.dumps({"sample": sorted(asked["cases"], key=place)[: asked["count"]], "judge_id": sha256(canonical)[:32]}))
`
const spec = await openApp()
await spec.addUser('ann', 'reviewer')
afterAll(() => spec.close())

it('Python draws the sample of a queue and names the judge of a run as the service does', async () => {
  const [run_id, seed, count] = ['drawn', 'sEed-7', 5]
  const set = { project: 'chat', suite: 'review' }
  expect((await spec.ingest(judgedRun(run_id, 20, 12))).statusCode).toBe(201)
  const rubric_id = await postRubric(spec.sendAs('write'), { ...set, ...RUBRIC_FIELDS })
  const body = {
    ...{ ...set, rubric_id, target: 'metric', metric: 'llm-rubric', per_item: 1, reviewers: ['ann'], seed },
    selection: { kind: 'random', runs: [run_id], count },
  }
  const opened = await spec.sendAs('write')('POST', '/review-queues', { headers: json, body: JSON.stringify(body) })
  expect(opened.body).toContain('"id"')
  const { id } = opened.json<ReviewQueue>()
  const { items } = await spec.getJson<ReviewItemList>(`/review-queues/${id}/items`)
  const { cases } = await spec.getJson<{ cases: Array<{ case_key: string }> }>(`/runs/${run_id}/cases?limit=100`)
  const { judges } = await spec.getJson<{ judges: Array<{ judge_id: string; judge: object }> }>(`/runs/${run_id}`)
  const asked = { seed, run_id, count, cases: cases.map(({ case_key }) => case_key), judge: judges[0]?.judge }
  const { stdout, stderr } = spawnSync('python3', ['-c', PYTHON], { input: JSON.stringify(asked), encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual({
    sample: items.map(({ case_key }) => case_key),
    judge_id: judges[0]?.judge_id,
  })
})

import type { CommandArguments } from '../../../commands/commit.ts'
import { SYSTEM } from '../../../queries/access/viewer.ts'
import type { SpecApp } from '../servers/app.ts'
import { aCase, aDocument, type ADocument } from './documents.ts'

/** The arguments of a queue of `chat/smoke` with the first case of the run 1. */
export const aQueue = (
  changes: Partial<CommandArguments<'openReviewQueue'>> = {},
): CommandArguments<'openReviewQueue'> => ({
  queue_id: 'queue',
  project: 'chat',
  suite: 'smoke',
  rubric_id: 'rubric',
  target: 'case',
  metric: null,
  per_item: 1,
  resolve: 'adjudicate',
  seed: 'seed',
  targeted: false,
  selection: { kind: 'random', count: 1 },
  runs: [{ run_no: 1, document_sha256: '5'.repeat(64), judge_id: null, passed: 1, failed: 0, other: 0 }],
  items: [[0, 0, 1, null]],
  people: [{ name: 'listed', role: 'reviewer' }],
  ...changes,
})

/** Opens a queue of a run, by default the last one that was uploaded to the app, for the account `listed`. */
export const openQueue = async (
  { service, rows }: SpecApp,
  { run_id, ...changes }: Partial<CommandArguments<'openReviewQueue'>> & { readonly run_id?: string },
): Promise<void> => {
  const where = run_id === undefined ? '' : `WHERE id = '${run_id}'`
  const [run] = (await rows(`SELECT run_no, document_sha256 FROM runs ${where} ORDER BY run_no DESC LIMIT 1`)) as [
    { run_no: number; document_sha256: string },
  ]
  const runs = [{ ...run, judge_id: null, passed: 1, failed: 0, other: 0 }]
  await service.commit.openReviewQueue(SYSTEM, aQueue({ runs, ...changes }))
}

/** Texts that no reviewer may see, and where a judged run has them. */
export const PLANTED = {
  provider: 'PLANTED-provider',
  model: 'PLANTED-model',
  reason: 'PLANTED-reason',
  judge: 'PLANTED-judge',
  run: 'PLANTED-run',
  note: 'PLANTED-note',
} as const

/** A run of `count` cases, of which a judge passed the first `passing`. The texts of the cases differ. */
export const judgedRun = (run_id: string, count: number, passing: number, more: Partial<ADocument> = {}): ADocument =>
  aDocument({
    run_id,
    project: 'chat',
    suite: 'review',
    origin: { note: PLANTED.note },
    cases: Array.from({ length: count }, (_, n) => {
      const passes = n < passing
      return aCase({
        cell: { provider_id: PLANTED.provider, test_id: `test-${n}` },
        status: passes ? 'pass' : 'fail',
        score: passes ? 1 : 0,
        model: PLANTED.model,
        vars: { question: `Question ${n}?`, secret: PLANTED.reason },
        prompt: { text: `Answer question ${n}.` },
        output: `Output ${n}.`,
        asserts: [
          {
            ...{
              kind: 'llm-rubric',
              status: passes ? 'pass' : 'fail',
              score: passes ? 0.9 - n / 1000 : 0.4,
              weight: 1,
            },
            ...{ reason: PLANTED.reason, criteria: { value: 'Is it right?', threshold: 0.5 } },
            details: { judge: { model: PLANTED.judge } },
          },
        ],
      })
    }),
    ...more,
  })

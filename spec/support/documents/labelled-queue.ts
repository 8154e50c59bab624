import { caseJudgeId } from '../../../domain/review/judge-id.ts'
import { aCase, aDocument, type ADocument } from './documents.ts'
import type { SpecApp } from '../servers/app.ts'

// Runs of one judge, and closed queues as the read tables have them, for specs of what labels say about judges.

const DAY = 86_400_000
const SUITE = { project: 'chat', suite: 'tone' }
export const LABELLED_AT = Date.UTC(2026, 4, 5)
export const NOW = LABELLED_AT + DAY

type RunOptions = {
  readonly suite?: string
  readonly metric?: string
  readonly model?: string | null
  readonly trials?: number
  readonly hour?: number
  readonly criterion?: string
  readonly provider?: string
  /** Cases that code alone decides, after the others: the first pass. */
  readonly plain?: readonly [passed: number, failed: number]
  /** Whether case number n passes; by default the first do. */
  readonly passes?: (n: number) => boolean
}

/** A run of cases that one judge decided: the first pass, the others fail. */
export const judgedRun = (run_id: string, passed: number, failed: number, options: RunOptions = {}): ADocument => {
  const {
    suite = SUITE.suite,
    metric = 'llm-rubric',
    model = 'm-1',
    trials = 1,
    hour = 9,
    criterion = 'kind',
  } = options
  const { provider: provider_id = 'model', plain = [0, 0], passes = (n) => n < passed } = options
  const judged = Array.from({ length: passed + failed }, (_, n) => {
    const status = passes(n) ? 'pass' : 'fail'
    const score = status === 'pass' ? 1 : 0
    const assertion = {
      ...{ kind: 'llm-rubric', status, score, weight: 1, reason: '' },
      criteria: { value: criterion, ...(metric === 'llm-rubric' ? {} : { name: metric }) },
      ...(model === null ? {} : { details: { judge: { model } } }),
    }
    const cell = { provider_id, test_id: `t${Math.floor(n / trials)}`, repeat: n % trials }
    return aCase({ cell, status, score, asserts: [assertion] })
  })
  const checked = Array.from({ length: plain[0] + plain[1] }, (_, n) => {
    const status = n < plain[0] ? ('pass' as const) : ('fail' as const)
    const score = status === 'pass' ? 1 : 0
    return aCase({
      ...{ cell: { provider_id, test_id: `code-${n}` }, status, score },
      asserts: [{ kind: 'contains', status, score, weight: 1, reason: '' }],
    })
  })
  const at = new Date(Date.UTC(2026, 4, 4, hour)).toISOString()
  const cases = [...judged, ...checked]
  return aDocument({
    run_id,
    project: SUITE.project,
    suite,
    started_at: at,
    finished_at: at,
    config_snapshot: null,
    cases,
  })
}

/** Uploads such a run. */
export const uploadJudged = async (spec: SpecApp, ...args: Parameters<typeof judgedRun>): Promise<void> => {
  const { statusCode, body } = await spec.ingest(judgedRun(...args))
  if (statusCode !== 201) throw new Error(body)
}

type Cell = readonly [passes: number, fails: number]
type QueueOptions = {
  /** Null: whole cases. */
  readonly metric?: string | null
  readonly suite?: string
  readonly kind?: string
  readonly targeted?: boolean
  readonly rubric?: string
  readonly version?: number
  readonly given_at?: number
  /** The number of the record that opened it. */
  readonly seq?: number
  readonly isClosed?: boolean
  /** The first labelled case of each verdict. */
  readonly offset?: number
}

const quoted = (value: unknown): string => {
  if (value === null) return 'NULL'
  if (typeof value === 'number') return String(value)
  return `'${(typeof value === 'string' ? value : JSON.stringify(value)).replaceAll("'", "''")}'`
}

const inserted = (table: string, columns: string, rows: ReadonlyArray<readonly unknown[]>): string =>
  `INSERT INTO ${table} (${columns}) VALUES ${rows.map((row) => `(${row.map(quoted).join(', ')})`).join(', ')};`

/** How many queues there are: each is opened after the ones before. */
let queues = 0

/**
 * A queue about a run of `judgedRun`: of the cases that the judge passed (`ofPassed`) and failed, so many pass for people. Two people
 * label each; every tenth time they differ, and an adjudicator decides.
 */
export const labelRun = async (
  spec: SpecApp,
  run_id: string,
  passed: number,
  { ofPassed, ofFailed }: { readonly ofPassed: Cell; readonly ofFailed: Cell },
  options: QueueOptions = {},
): Promise<string> => {
  const { metric = 'llm-rubric', suite = SUITE.suite, kind = 'by_verdict', targeted = false } = options
  const { rubric = 'r1', version = 1, given_at = LABELLED_AT, isClosed = true, offset = 0 } = options
  const queue_id = `q${++queues}`
  const seq = options.seq ?? 1_000 + queues
  const [run] = await spec.rows('SELECT run_no, document_sha256 FROM runs WHERE id = $1', [run_id])
  const slots = await spec.rows('SELECT metric, judge_id, passed, failed, other FROM run_judges WHERE run_no = $1', [
    run?.['run_no'],
  ])
  const judge_id =
    metric === null
      ? caseJudgeId(slots.map((slot) => slot['judge_id'] as string | null))
      : ((slots.find((slot) => slot['metric'] === metric)?.['judge_id'] ?? null) as string | null)
  const { passed: p, failed: f, other } = slots[0] ?? {}
  const ofRun = {
    run_no: run?.['run_no'],
    document_sha256: run?.['document_sha256'],
    judge_id,
    passed: p,
    failed: f,
    other,
  }
  const items = [...itemsOf(1, ofPassed, offset), ...itemsOf(0, ofFailed, passed + offset)]
  const rows = items.map(({ case_n, verdict, final }, i) => {
    const answer = final === 1 ? 'pass' : 'fail'
    return [
      queue_id,
      i + 1,
      0,
      run?.['run_no'],
      case_n,
      judge_id,
      verdict,
      null,
      2,
      'final',
      answer,
      final,
      null,
      seq + 1,
    ]
  })
  const labels = items.flatMap(({ final }, i) => {
    const differs = i % 10 === 0
    const given = [final, differs ? 1 - final : final, ...(differs ? [final] : [])]
    return given.map((vote, person) => [
      ...[`${queue_id}.${i + 1}.${person}`, queue_id, i + 1, person, `user-${person}`, seq + 1, given_at, '{}'],
      ...[
        vote === 1 ? 'pass' : 'fail',
        vote,
        null,
        10,
        null,
        person === 0 ? 'enforced' : 'trusted',
        0,
        null,
        null,
        null,
        0,
      ],
      ...[person === 2 ? 1 : 0, 1, null, 0],
    ])
  })
  const queue = [
    ...[
      queue_id,
      SUITE.project,
      suite,
      rubric,
      version,
      metric === null ? 'case' : 'metric',
      metric,
      2,
      'adjudicate',
      kind,
    ],
    ...['{}', 'seed', targeted ? 1 : 0, JSON.stringify([ofRun]), given_at - DAY, 'opener', seq],
    ...(isClosed ? [given_at, seq + 2, 'request'] : [null, null, null]),
  ]
  await spec.execute(
    [
      inserted(
        'review_queues',
        'queue_id, project, suite, rubric_id, rubric_version, target, metric, per_item, resolve, kind, selection, seed, targeted, runs, opened_at, opened_by, opened_seq, closed_at, closed_seq, cause',
        [queue],
      ),
      inserted(
        'review_items',
        'queue_id, n, run_index, run_no, case_n, judge_id, verdict, criterion, given, state, final, final_pass, final_score, final_seq',
        rows,
      ),
      inserted(
        'labels',
        'label_id, queue_id, n, person, reviewer, seq, given_at, answers, decides, passes, score, seconds, revises, blind, recognised, side, text_sha256, imported, own_run, adjudicates, standing, withdrawn_at, erased',
        labels,
      ),
    ].join('\n'),
  )
  return queue_id
}

const itemsOf = (verdict: 0 | 1, [passes, fails]: Cell, from: number) =>
  Array.from({ length: passes + fails }, (_, i) => ({
    case_n: from + i,
    verdict,
    final: i < passes ? (1 as const) : (0 as const),
  }))

/** A version of a rubric, as the read table has it. */
export const addRubricVersion = (
  spec: SpecApp,
  version: number,
  change: 'wording' | 'meaning' | null,
  { rubric = 'r1', suite = SUITE.suite, seq = 0, valid_days = 90 } = {},
): Promise<void> =>
  spec.execute(
    inserted(
      'rubrics',
      'rubric_id, version, project, suite, text_sha256, questions, change, valid_days, versioned_at, seq',
      [[rubric, version, SUITE.project, suite, '0'.repeat(64), '[]', change, valid_days, LABELLED_AT - 2 * DAY, seq]],
    ),
  )

import { instantMs, outputText, type CaseStatus } from '../../domain/run/document.ts'
import { exporterOf, hasBit } from '../../domain/report/exporter.ts'
import { hiddenNote } from '../../domain/lists/hidden-cases.ts'
import { reasonsOf } from '../../domain/report/failure-reasons.ts'
import { parsedCase, SMALL_BATCH, trialName } from './case-batch.ts'
import { hiddenBy } from './columns.ts'

// Common Test Report Format 1.0.0, https://ctrf.io. Its schema, in spec/data/schemas/, allows no other fields.

type CtrfStatus = 'passed' | 'failed' | 'skipped' | 'other'

const STATUS: Readonly<Record<CaseStatus, CtrfStatus>> = {
  pass: 'passed',
  xfail: 'passed',
  fail: 'failed',
  xpass: 'failed',
  skip: 'skipped',
  error: 'other',
}

type State = {
  readonly suite: string
  readonly flaky: Uint8Array
  readonly started: number
  readonly finished: number
  readonly counts: Readonly<Record<CtrfStatus | 'tests' | 'flaky', number>>
}

/** CTRF. The summary follows the tests, so that it counts what was written. */
export const ctrf = exporterOf<State>({
  order: 'document',
  batch: SMALL_BATCH,
  begin: ({ run, hidden_cases }) => {
    const { git, ci, origin } = run
    const environment = {
      reportName: run.suite,
      appName: run.project,
      buildName: ci?.provider,
      buildUrl: ci?.run_url,
      commit: git?.commit,
      branchName: git?.branch,
      extra: {
        run_id: run.run_id,
        project: run.project,
        suite: run.suite,
        config_digest: run.config_digest,
        ...(hidden_cases > 0 && { note: hiddenNote(hidden_cases) }),
      },
    }
    const tool = { name: 'evaluation-results-service', version: origin?.version }
    const head = JSON.stringify({
      reportFormat: 'CTRF',
      specVersion: '1.0.0',
      timestamp: run.finished_at,
      generatedBy: 'evaluation-results-service',
    })
    return {
      output: [
        `${head.slice(0, -1)},"results":{"tool":${JSON.stringify(tool)},"environment":${JSON.stringify(environment)},"tests":[\n`,
      ],
      state: {
        suite: run.suite ?? 'ers',
        flaky: new Uint8Array(),
        started: instantMs(run.started_at),
        finished: instantMs(run.finished_at),
        counts: { tests: 0, passed: 0, failed: 0, skipped: 0, other: 0, flaky: 0 },
      },
    }
  },
  addFlaky: (state, flaky) => ({ ...state, flaky }),
  add: (state, cases) => {
    const counts = { ...state.counts }
    const output = cases.map((text) => {
      const item = parsedCase(text)
      const status = STATUS[item.status]
      const isFlaky = hasBit(state.flaky, text.n)
      const separator = counts.tests === 0 ? '' : ',\n'
      counts.tests += 1
      counts[status] += 1
      if (isFlaky) counts.flaky += 1
      return `${separator}${JSON.stringify(ctrfTest(state.suite, item, { status, isFlaky, hidden_by: hiddenBy(text) }))}`
    })
    return { output, state: { ...state, counts } }
  },
  end: (state) => {
    const { tests, passed, failed, skipped, other, flaky } = state.counts
    const summary = {
      tests,
      passed,
      failed,
      skipped,
      pending: 0,
      other,
      flaky,
      start: state.started,
      stop: Math.max(state.started, state.finished),
    }
    return { output: [`\n],"summary":${JSON.stringify(summary)}}}\n`], state, again: false }
  },
})

const ctrfTest = (
  suite: string,
  item: ReturnType<typeof parsedCase>,
  {
    status,
    isFlaky,
    hidden_by,
  }: { readonly status: CtrfStatus; readonly isFlaky: boolean; readonly hidden_by: number | null },
) => {
  const { cell } = item
  const output = outputText(item.output)
  const message = caseMessage(item)
  return {
    // A name is at least one character.
    name: trialName(item) || item.case_key,
    status,
    duration: item.latency_ms,
    suite: [suite, cell.provider_id, ...(cell.prompt_id === undefined ? [] : [cell.prompt_id])],
    ...(message === '' ? {} : { message }),
    rawStatus: item.status,
    ...(item.tags ? { tags: item.tags } : {}),
    ...(item.attempts > 1 ? { retries: item.attempts - 1 } : {}),
    ...(isFlaky ? { flaky: true } : {}),
    ...(output === null ? {} : { stdout: output.split('\n') }),
    ...(item.vars ? { parameters: item.vars } : {}),
    extra: {
      case_key: item.case_key,
      provider_id: cell.provider_id,
      prompt_id: cell.prompt_id,
      test_id: cell.test_id,
      repeat: cell.repeat,
      score: item.score,
      cost_usd: item.cost_usd,
      usage: item.usage,
      error_class: item.error_class,
      ...(hidden_by !== null && { hidden_by }),
    },
  }
}

const caseMessage = (item: ReturnType<typeof parsedCase>): string => {
  if (item.status === 'error') return [item.error ?? '', ...reasonsOf(item)].filter((part) => part !== '').join('\n\n')
  if (item.status === 'fail') return reasonsOf(item).join('\n\n')
  if (item.status === 'xpass') return 'unexpectedly passed (strict expect_fail)'
  return item.status === 'xfail' ? (item.expect_fail_reason ?? '') : ''
}

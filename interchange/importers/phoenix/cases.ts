import type { AssertionDraft, CaseDraft } from '../../document/case/case-draft.ts'
import { takeFailure } from '../../document/case/failure.ts'
import { takeScore, truthIn } from '../../document/case/verdicts.ts'
import { numberOrLoss } from '../../document/odd-values.ts'
import type { Losses } from '../../document/losses.ts'
import { truthScore } from '../../document/case/scores.ts'
import { statedScale } from '../../document/case/stated-scale.ts'
import type { timeRange } from '../../document/time/time-range.ts'
import type { Row } from '../../read/row.ts'
import { tokenUsage } from '../../document/case/token-usage.ts'
import { exampleVars } from '../../document/case/example-vars.ts'

/** Reads a run of an example. */
export const phoenixCase = (row: Row, times: ReturnType<typeof timeRange>, losses: Losses): CaseDraft => {
  const repetition = row.number('repetition_number')
  const [input, expected] = [row.take('input'), row.take('reference_output')]
  const failure = takeFailure(row)
  // They stay in `raw`: a case has no times of its own.
  times.add(row.peek('start_time'), row.peek('end_time'))
  const [prompt, completion] = [row.number('prompt_token_count'), row.number('completion_token_count')]
  return {
    // The export does not say which system was tested.
    provider: null,
    test: row.id('example_id') ?? { inputs: input },
    repeat: Number.isSafeInteger(repetition) && repetition! >= 1 ? repetition! - 1 : null,
    vars: exampleVars(input, expected),
    failure,
    asserts: row.rows('annotations').map((annotation) => phoenixAssertion(annotation, losses)),
    output: row.take('output'),
    latencyMs: numberOrLoss(row, 'latency_ms', losses, 'number of milliseconds'),
    usage: tokenUsage(prompt, completion),
    rest: row,
  }
}

const phoenixAssertion = (row: Row, losses: Losses): AssertionDraft => {
  const [score, label] = [takeScore(row, 'score', losses), row.text('label')]
  const error = takeFailure(row)?.message ?? null
  // Other labels than a yes or no only describe an answer.
  const verdict = score === null ? truthIn(label) : null
  const explanation = row.text('explanation')
  const name = row.text('name')
  const isModel = row.peek('annotator_kind') === 'LLM'
  const scale = { ...statedScale(row.peek('metadata')), ...statedScale(row.value) }
  const rest = row.rest()
  for (const key of row.keys()) row.take(key)
  return {
    name,
    kind: isModel ? 'llm-rubric' : 'exec',
    ...(verdict === null ? { passed: null, score } : truthScore(verdict)),
    ...scale,
    ...(error !== null && error !== '' && { status: 'error' as const }),
    reason: error || explanation,
    details: {
      ...rest,
      ...(label !== null && { label }),
      ...(error && explanation && { explanation }),
    },
  }
}

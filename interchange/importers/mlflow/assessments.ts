import type { Json } from '../../../domain/run/readers.ts'
import type { AssertionDraft } from '../../document/case/case-draft.ts'
import { truthScore } from '../../document/case/scores.ts'
import { statedScale } from '../../document/case/stated-scale.ts'
import type { Losses } from '../../document/losses.ts'
import type { Row } from '../../read/row.ts'
import { truthIn } from '../../document/case/verdicts.ts'

/** Feedback as assertions, and expectations as values, both in the order in which they were given. */
export const assessmentsOf = (info: Row, losses: Losses) => {
  const asserts: AssertionDraft[] = []
  const expected: Record<string, Json> = {}
  const expectations: Json[] = []
  const all = info.rows('assessments')
  const overridden = new Set(
    all.flatMap((row) => (typeof row.peek('overrides') === 'string' ? [row.peek('overrides')] : [])),
  )
  for (const row of [...all].sort(byCreation)) {
    if (row.peek('valid') === false || overridden.has(row.peek('assessment_id'))) {
      losses.add('left_out', row.path, row.value, 'an assessment that another one overrides')
      continue
    }
    const name = row.text('assessment_name')
    const expectation = row.row('expectation')
    if (expectation !== null) {
      const value = expectation.take('value') ?? serialized(expectation)
      dropReferences(row, losses)
      if (name !== null && !Object.hasOwn(expected, name)) expected[name] = value
      else losses.add('left_out', row.path, value, 'an expectation without a name, or whose name was already used')
      expectations.push({ name, ...row.rest() })
    } else asserts.push(feedbackOf(row, name, losses))
  }
  // Each is read, or recorded as left out.
  if (all.length > 0) info.take('assessments')
  return { asserts, expected, expectations }
}

const byCreation = (a: Row, b: Row): number => {
  const [left, right] = [a, b].map((row) =>
    [row.peek('create_time'), row.peek('assessment_name'), row.peek('assessment_id')].join('\0'),
  )
  return left === right ? 0 : left! < right! ? -1 : 1
}

/** A value that is no number, text or boolean is stored as JSON in a text. */
const serialized = (expectation: Row): Json => {
  const value = expectation.row('serialized_value')
  return value?.take('value') ?? null
}

/** References to the trace that the assessment is in, and the time of its last edit. */
const dropReferences = (row: Row, losses: Losses): void => {
  row.boolean('valid')
  for (const key of ['trace_id', 'span_id', 'last_update_time', 'last_updated_timestamp'])
    if (row.has(key))
      losses.add('left_out', `${row.path}.${key}`, row.take(key), 'a reference or an edit of an assessment')
}

const feedbackOf = (row: Row, name: string | null, losses: Losses): AssertionDraft => {
  const feedback = row.row('feedback')
  const error = feedback?.row('error') ?? null
  const value = feedback?.take('value') ?? null
  const passed = truthIn(value)
  const source = row.row('source')
  const sourceType = source?.text('source_type') ?? null
  const message = error?.text('error_message') ?? error?.text('error_code') ?? null
  const rationale = row.text('rationale')
  const isNumber = typeof value === 'number'
  const scale = statedScale(row.peek('metadata'))
  dropReferences(row, losses)
  const rest = row.rest()
  return {
    name,
    kind: sourceType === 'LLM_JUDGE' ? 'llm-rubric' : 'exec',
    originalType: sourceType === 'LLM_JUDGE' ? null : sourceType,
    ...(error !== null
      ? { passed: null, status: 'error' as const, score: null }
      : passed === null
        ? { passed, score: isNumber ? value : null }
        : truthScore(passed)),
    ...scale,
    decides: error !== null || passed !== null || isNumber,
    reason: rationale ?? message ?? '',
    details: {
      ...rest,
      ...(!isNumber && value !== null && { value }),
      ...(rationale !== null && message !== null && { error_message: message }),
    },
  }
}

import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { canonicalJson } from '../../../domain/run/canonical-json.ts'
import type { Json } from '../../../domain/run/readers.ts'
import type { AssertionDraft, CaseDraft, Prompt } from '../../document/case/case-draft.ts'
import { takeFailure } from '../../document/case/failure.ts'
import { takeScore } from '../../document/case/verdicts.ts'
import { numberOrLoss } from '../../document/odd-values.ts'
import { shareOf } from '../../document/case/scores.ts'
import type { Losses } from '../../document/losses.ts'
import { readTurns } from '../../document/case/turns.ts'
import { innerJson } from '../../read/json/inner-json.ts'
import { isObject, rowOf, type Row } from '../../read/row.ts'
import { promptfooAssertion, promptfooAssertions } from './assertions.ts'
import { namedIn, promptIdOf, promptfooProvider, type ColumnPlan } from './columns.ts'
import type { TestPlan } from './tests.ts'
import { dropZeroTokens, promptfooUsage } from './usage.ts'

export type CaseReader = {
  readonly read: (row: Row) => CaseDraft
  /** The prompts whose label is their own text: the id that they have in cases, with the text. */
  readonly promptTexts: () => ReadonlyMap<string, string>
}

/** How promptfoo says why a row did not pass. */
const FAILED_ASSERTION = 1
const FAILED_CALL = 2
const SAME_COLUMN = 'a column with the provider and the prompt of another one: numbered, as promptfoo numbers it'

/** The names of the tests and the columns of an evaluation. */
export type Plan = { readonly tests: TestPlan; readonly columns: ColumnPlan }

/** Reads the rows of one evaluation. `onlyProvider` is the provider of rows that do not name theirs. */
export const caseReader = (losses: Losses, plan: Plan, onlyProvider: string | null): CaseReader => {
  const promptTexts = new Map<string, string>()
  const read = (row: Row): CaseDraft => {
    const { test, repeat } = plan.tests.nameOf(row.value)
    const testCase = row.row('testCase')
    const vars = promptfooVars(row, testCase)
    const { provider: shown = null, provider_id } = promptfooProvider(row)
    const digest = row.text('promptId')
    const promptShown = promptIdOf(row.row('prompt'), digest, promptTexts)
    const column = namedIn(plan.columns, row.peek('promptIdx'), shown, promptShown)
    if (column.isNumbered)
      losses.add('assumed', `${row.path}.promptIdx`, `${column.provider} ${column.prompt}`, SAME_COLUMN)
    const provider = column.provider ?? onlyProvider
    if (provider === null)
      losses.add('assumed', `${row.path}.provider`, 'unknown', 'neither rows nor configuration name it')
    const response = row.row('response')
    const error = row.text('error')
    const asserts = withJudge(gradingOf(row, error), testCase?.peek('options'))
    dropRepeated(row, testCase, asserts)
    const { raw, ...outcome } = promptfooOutcome(row, response, error, asserts)
    const score = scoreOf(row, losses)
    const cost = row.number('cost')
    dropCopies(row, response, cost)
    const description = testCase?.text('description') ?? null
    return {
      provider,
      prompt: column.prompt,
      test,
      repeat,
      name: description?.trim() || null,
      vars,
      ...outcome,
      score: score.score,
      asserts: asserts.drafts,
      output: response?.take('output') ?? null,
      promptSent: promptfooPrompt(row.row('prompt'), losses),
      stopReason: response?.text('finishReason') ?? null,
      usage: promptfooUsage(response?.row('tokenUsage') ?? null),
      costUsd: cost === 0 ? null : cost,
      latencyMs: numberOrLoss(row, 'latencyMs', losses, 'number of milliseconds'),
      cached: response?.boolean('cached') ?? false,
      promptDigest: digest,
      rest: row,
      raw: { ...(provider_id !== null && { provider_id }), ...raw, ...score.raw },
    }
  }
  return { read, promptTexts: () => promptTexts }
}

/** The variables of the test. Those of the row are the same, but for what a provider added. */
const promptfooVars = (row: Row, testCase: Row | null): Record<string, Json> => {
  const ofTest = testCase?.object('vars') ?? null
  const ofRow = row.peek('vars')
  if (ofTest === null) return row.object('vars') ?? {}
  if (isDeepStrictEqual(ofTest, ofRow)) row.take('vars')
  return ofTest
}

const promptfooPrompt = (prompt: Row | null, losses: Losses): Prompt | null => {
  if (prompt === null) return null
  const path = `${prompt.path}.raw`
  const raw = prompt.text('raw')
  const parsed = raw === null ? prompt.peek('raw') : /^\s*\[/.test(raw) ? innerJson(raw) : undefined
  const messages = readTurns(parsed, losses, path)
  if (messages === null) return raw === null ? null : { text: raw }
  if (raw === null) prompt.take('raw')
  return { messages }
}

/** The judge that the options of a test give to its assertions without one of their own. */
const withJudge = (grading: Grading, options: unknown): Grading => {
  if (!isObject(options)) return grading
  const { provider, rubricPrompt } = options
  // Options may have a provider for each type of output: that of texts judges.
  const of = isObject(provider) && provider['id'] === undefined ? provider['text'] : provider
  const model = typeof of === 'string' ? of : isObject(of) && typeof of['id'] === 'string' ? of['id'] : null
  const template = rubricPrompt === undefined || rubricPrompt === null ? null : rubricPrompt
  if (model === null && template === null) return grading
  const judge = {
    ...(model !== null && { model }),
    ...(template !== null && {
      template_sha256: hash('sha256', typeof template === 'string' ? template : canonicalJson(template), 'hex'),
    }),
  }
  return {
    ...grading,
    drafts: grading.drafts.map((draft) => {
      if (draft.kind !== 'llm-rubric' || draft.criteria?.['provider'] || draft.criteria?.['rubricPrompt']) return draft
      return { ...draft, details: { ...(isObject(draft.details) ? draft.details : {}), judge } }
    }),
  }
}

type Grading = { readonly drafts: readonly AssertionDraft[]; readonly passed: boolean | null }

/** Reads the assertions. What the whole result repeats of them is dropped. */
const gradingOf = (row: Row, error: string | null): Grading => {
  const grading = row.row('gradingResult')
  if (grading === null) return { drafts: [], passed: null }
  const { path } = grading
  const components = grading.peek('componentResults')
  const passed = grading.boolean('pass')
  const score = grading.number('score')
  // Elsewhere, a score of its own is a part of raw.
  if (score !== null && score !== row.peek('score')) grading.value['score'] = score
  dropZeroTokens(grading.row('tokensUsed'))
  if (isDeepStrictEqual(grading.peek('namedScores'), row.peek('namedScores'))) grading.take('namedScores')
  if (Array.isArray(components)) {
    grading.take('componentResults')
    const drafts = promptfooAssertions(components, `${path}.componentResults.*`)
    const reason = grading.peek('reason')
    if (reason === error || drafts.some((draft) => draft.reason === reason)) grading.take('reason')
    return { drafts, passed }
  }
  // Old versions have the result of a single assertion without a list.
  if (!isObject(grading.peek('assertion'))) return { drafts: [], passed }
  const single = { ...row.object('gradingResult'), pass: passed ?? row.peek('success') ?? null, score }
  return { drafts: [promptfooAssertion(rowOf(single, path))], passed }
}

const promptfooOutcome = (row: Row, response: Row | null, error: string | null, { drafts, passed }: Grading) => {
  const reason = row.number('failureReason')
  const isSuccess = row.boolean('success') ?? passed
  const hasOutput = response?.has('output') ?? false
  const object: unknown = row.peek('error')
  const hasError = error !== null ? error !== '' : isObject(object) && Object.keys(object).length > 0
  const isError = reason === FAILED_CALL || (reason !== FAILED_ASSERTION && hasError && !hasOutput)
  if (isError) {
    const failed = error ? null : (takeFailure(row) ?? (response && takeFailure(response)))
    const message = error || failed?.message || 'the call failed'
    if (response?.peek('error') === message) response.take('error')
    return { status: 'error' as const, failure: { ...failed, ...promptfooFailure(message) }, raw: {} }
  }
  // The error of a failed assertion is its reason. Another text has no place but raw.
  const isReason = error === null || error === '' || drafts.some((draft) => draft.reason === error)
  const outcome = reason === FAILED_ASSERTION ? false : isSuccess
  return {
    ...(outcome !== null && { status: outcome ? ('pass' as const) : ('fail' as const) }),
    raw: isReason ? {} : { error },
  }
}

/** promptfoo joins the message and the stack of an error. */
const promptfooFailure = (error: string) => {
  const frame = error.indexOf('\n    at ')
  const at = frame < 0 ? -1 : error.lastIndexOf('\n\n', frame)
  return at < 0 ? { message: error } : { message: error.slice(0, at), trace: error.slice(at + 2) }
}

/** A score outside of 0..1 is no score of a case: it stays in raw. */
const scoreOf = (row: Row, losses: Losses) => {
  const score = takeScore(row, 'score', losses)
  if (score === null || shareOf(score, [0, 1]) !== null) return { score, raw: {} }
  losses.add('changed', `${row.path}.score`, score, 'outside of 0..1: in raw.scores')
  return { score: null, raw: { scores: { score } } }
}

/** Drops what a test repeats of its result: assertions that were evaluated, and metadata of the row. */
const dropRepeated = (row: Row, testCase: Row | null, { drafts }: Grading): void => {
  if (testCase === null) return
  const asserts = testCase.peek('assert')
  if (Array.isArray(asserts) && asserts.length > 0 && drafts.length > 0) {
    const evaluated = new Set(drafts.flatMap(writtenForms))
    if (asserts.every((assertion: Json) => isEvaluated(assertion, evaluated))) testCase.take('assert')
  }
  const own = testCase.peek('metadata')
  const ofRow = row.peek('metadata')
  if (
    isObject(own) &&
    isObject(ofRow) &&
    Object.entries(own).every(([key, value]) => isDeepStrictEqual(value, ofRow[key]))
  )
    testCase.take('metadata')
}

/** How a draft, or the members of a set, are written in a test. */
const writtenForms = ({ kind, originalType, name, weight, criteria, details }: AssertionDraft): string[] => {
  const { negate, ...fields } = criteria ?? {}
  const type = `${negate === true ? 'not-' : ''}${originalType ?? kind}`
  const own = sortedText({
    type,
    ...fields,
    ...(name !== null && { metric: name }),
    ...(weight !== undefined && { weight }),
  })
  const members = isObject(details) && Array.isArray(details['members']) ? (details['members'] as Json[]) : []
  return [own, ...members.flatMap((member) => (isObject(member) ? [sortedText(member['assertion'] ?? null)] : []))]
}

const isEvaluated = (assertion: Json, evaluated: ReadonlySet<string>): boolean => {
  if (!isObject(assertion)) return false
  if (evaluated.has(sortedText(assertion))) return true
  const { assert: members, ...set } = assertion
  return (
    Array.isArray(members) &&
    Object.keys(set).every((key) => SET_MEMBERS.has(key)) &&
    members.every((member: Json) => isEvaluated(member, evaluated))
  )
}

const SET_MEMBERS: ReadonlySet<string> = new Set(['type', 'threshold', 'weight', 'metric'])

/** A text that is the same for the same members in any order, at the first level. */
const sortedText = (value: Json): string =>
  isObject(value) ? JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : JSON.stringify(value)

/** The row and the response have the cost and the tokens twice. */
const dropCopies = (row: Row, response: Row | null, cost: number | null): void => {
  if (response !== null && (response.peek('cost') === cost || response.peek('cost') === 0)) response.take('cost')
  if (isDeepStrictEqual(row.peek('tokenUsage'), response?.peek('tokenUsage'))) row.take('tokenUsage')
  else dropZeroTokens(row.row('tokenUsage'))
}

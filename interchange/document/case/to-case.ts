import { isKnown } from '../known.ts'
import { caseKey } from '../../../domain/run/case-key.ts'
import { firstCodePoints } from '../../../domain/run/document.ts'
import { judgeAssertion, scoreOfAsserts, statusOfAsserts, type JudgedAssertion } from './assertions.ts'
import type { CaseDraft } from './case-draft.ts'
import type { CaseDocument } from './case-document.ts'
import { asIdentity, testIdOfInputs } from '../identity.ts'
import type { ImportOptions } from '../import-options.ts'
import type { Losses } from '../losses.ts'
import { rawOf } from './raw.ts'
import { repeatCounter } from './repeats.ts'
import { scoreName, type Scores } from './scores.ts'

const MAX_TRACE_BYTES = 64 * 1024

/** Turns drafts into cases, one after the other: it numbers the trials of a cell. */
export const caseWriter = (options: ImportOptions, losses: Losses, scores: Scores) => {
  const nextRepeat = repeatCounter()
  const names = new Set<string>()

  /** The number of this trial: that of the source, else the next free one. */
  const repeatOf = (cell: string, wanted: number | null, path: string): number => {
    const { repeat, isNext } = nextRepeat(cell, wanted)
    if (isNext && repeat > 0) losses.add('assumed', path, repeat, 'the same test again: counted as the next repeat')
    return repeat
  }

  const toCase = (draft: CaseDraft): CaseDocument => {
    const path = draft.rest?.path ?? 'cases.*'
    const provider_id = asIdentity(options.provider ?? draft.provider ?? 'unknown', losses, `${path} (provider)`)
    const prompt_id = !isKnown(draft.prompt) ? null : asIdentity(draft.prompt, losses, `${path} (prompt)`)
    const test_id = asIdentity(
      typeof draft.test === 'string' ? draft.test : testIdOfInputs(draft.test.inputs),
      losses,
      `${path} (test)`,
    )
    const wanted = draft.repeat ?? null
    const repeat = repeatOf(`${provider_id}\0${prompt_id ?? ''}\0${test_id}`, wanted, path)
    const judged = draft.asserts.map((assertion) =>
      judgeAssertion(assertion, options, scores, losses, `${path} (assertions)`),
    )
    for (const assertion of draft.asserts) names.add(scoreName(assertion))
    const outcome = caseOutcome(draft, judged, options)
    const usage = draft.usage && usageFields(draft.usage, losses, `${path} (usage)`)
    const wallMs = wholeMs(draft.wallMs, losses, `${path} (time)`)
    const latencyMs = wholeMs(draft.latencyMs, losses, `${path} (latency)`)
    const raw = rawOf(latencyMs === null ? withOddLatency(draft) : draft, losses, path)
    return {
      cell: { provider_id, ...(prompt_id !== null && { prompt_id }), test_id, repeat },
      case_key: caseKey({ provider_id, prompt_id, test_id, repeat }),
      ...(isKnown(draft.name) && draft.name !== '' && { name: draft.name }),
      ...(draft.tags?.length && {
        tags: [...new Set(draft.tags)].map((tag) => asIdentity(tag, losses, `${path} (tags)`)),
      }),
      ...(draft.vars && Object.keys(draft.vars).length > 0 && { vars: draft.vars }),
      ...outcome,
      ...(draft.output !== undefined && draft.output !== null && { output: draft.output }),
      ...(isKnown(draft.promptSent) && { prompt: draft.promptSent }),
      ...(isKnown(draft.request) && { request: draft.request }),
      ...(isKnown(draft.stopReason) && {
        stop_reason: asIdentity(draft.stopReason, losses, `${path} (stop reason)`),
      }),
      ...(isKnown(draft.model) && { model: draft.model }),
      ...(draft.toolCalls?.length && { tool_calls: draft.toolCalls }),
      ...(raw !== null && { raw }),
      asserts: judged.map(({ document }) => document),
      ...(usage && Object.keys(usage).length > 0 && { usage }),
      ...(isAmount(draft.costUsd) && { cost_usd: draft.costUsd }),
      latency_ms: latencyMs ?? 0,
      ...(wallMs !== null && { wall_ms: wallMs }),
      cached: draft.cached ?? false,
      attempts: draft.attempts ?? 1,
      ...(isKnown(draft.promptDigest) && { prompt_digest: draft.promptDigest }),
      ...errorOf(draft, losses, path),
      ...(isKnown(draft.reasoning) && draft.reasoning !== '' && { reasoning: draft.reasoning }),
      ...(isKnown(draft.emptyReason) && { empty_reason: draft.emptyReason }),
    }
  }

  return {
    toCase,
    /** The names of all assertions so far. */
    assertionNames: (): ReadonlySet<string> => names,
  }
}

/** A duration that is no number of milliseconds, such as a negative one, stays in `raw`. */
const withOddLatency = (draft: CaseDraft): CaseDraft =>
  isAmount(draft.latencyMs) ? { ...draft, raw: { ...draft.raw, latency_ms: draft.latencyMs } } : draft

const caseOutcome = (draft: CaseDraft, judged: readonly JudgedAssertion[], options: ImportOptions) => {
  const isChosen = (options.scorers ?? []).length > 0
  const byAsserts = statusOfAsserts(judged)
  const status = draft.failure ? 'error' : ((isChosen ? null : draft.status) ?? byAsserts)
  const score = draft.isTotal ? totalScore(judged) : ((isChosen ? null : draft.score) ?? scoreOrStatus(judged, status))
  const isGraderError = !draft.failure && status === 'error' && byAsserts === 'error'
  return {
    status,
    score: Math.min(1, Math.max(0, Number.isFinite(score) ? score : 0)),
    ...(isGraderError && { error_class: 'grader_failed', error: graderError(judged) }),
  }
}

/** A total that is out of its range, or of which nothing says what is good, is no score. */
const totalScore = ([total]: readonly JudgedAssertion[]): number => (total?.decides ? total.document.score : 0)

const scoreOrStatus = (judged: readonly JudgedAssertion[], status: string): number =>
  judged.some(({ decides, document }) => decides && document.status !== 'skipped')
    ? scoreOfAsserts(judged)
    : status === 'pass'
      ? 1
      : 0

const graderError = (judged: readonly JudgedAssertion[]): string => {
  const failed = judged.find(({ document, decides }) => decides && document.status === 'error')
  return failed?.document.reason || 'an assertion could not be evaluated'
}

const errorOf = ({ failure }: CaseDraft, losses: Losses, path: string) => {
  if (!failure) return {}
  const { message, trace } = failure
  return {
    error: cutBytes(message, losses, `${path} (error)`),
    ...(isKnown(trace) && trace !== '' && { error_details: { trace: cutBytes(trace, losses, `${path} (trace)`) } }),
    ...(isKnown(failure.class) && { error_class: asIdentity(failure.class, losses, `${path} (error class)`) }),
  }
}

/** The beginning of a text, at most 64 KiB. */
const cutBytes = (text: string, losses: Losses, path: string): string => {
  const bytes = Buffer.byteLength(text)
  if (bytes <= MAX_TRACE_BYTES) return text
  const end = firstCodePoints(text, Math.floor((MAX_TRACE_BYTES / bytes) * text.length * 0.9))
  losses.add('cut', path, text.slice(end.length), `more than ${MAX_TRACE_BYTES} bytes`)
  return `${end}… [cut, ${bytes - Buffer.byteLength(end)} bytes]`
}

const USAGE_FIELDS = [
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'cache_write_1h_tokens',
] as const

const usageFields = (usage: NonNullable<CaseDraft['usage']>, losses: Losses, path: string): Record<string, number> => {
  const found: Record<string, number> = {}
  for (const field of USAGE_FIELDS) {
    const value = usage[field]
    if (value === undefined) continue
    const count = Math.round(value)
    if (isCount(count)) found[field] = count
    else losses.add('left_out', `${path}.${field}`, value, 'no number of tokens')
  }
  return Object.keys(found).length === 0 ? found : { input_tokens: 0, output_tokens: 0, ...found }
}

const isAmount = (value: number | null | undefined): value is number => isKnown(value) && Number.isFinite(value)

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0

const wholeMs = (value: number | null | undefined, losses: Losses, path: string): number | null => {
  if (!isKnown(value)) return null
  const ms = Math.round(value)
  if (isCount(ms)) return ms
  losses.add('left_out', path, value, 'no number of milliseconds')
  return null
}

import { messageOf } from '../../domain/plain/message-of.ts'
import { caseKey } from '../../domain/run/case-key.ts'
import type { AssertionResult } from '../assertions/assertion.ts'
import { collectParts, type CasePart, type CollectedParts } from '../evidence/case-parts.ts'
import type { Json, JsonObject } from '../json.ts'
import type { Ports } from '../ports.ts'
import type { CallInput, Provider, ProviderResponse } from '../providers/provider.ts'
import type { ExpandedTest, Tool } from '../suite/suite.ts'
import { present } from '../providers/read-json.ts'
import { isTooLarge } from '../response-json.ts'
import { caseStatus } from './case-status.ts'
import { assertDigest, promptDigest } from './case-digests.ts'
import { mayAnswer, type Cell } from './cells/cells.ts'
import { runChain, type ChainOutcome } from './calls/chain.ts'
import type { CacheableCall } from './calls/first-sent.ts'
import {
  askProvider,
  prepareLink,
  type AnsweredLink,
  type CallRecord,
  type FailedLink,
  type LinkParts,
  type LinkQuestion,
  type PreparedLink,
  type Untimed,
} from './calls/link.ts'
import { RenderFailure, renderCell, type Rendered, type RenderParts } from './render-case.ts'
import type { CaseDocument } from './run-document.ts'

/** A response that is judged, with everything that assertions may ask for. */
export type CaseToJudge = {
  readonly response: ProviderResponse
  readonly emptyReason: string | undefined
  readonly vars: JsonObject
  /** The vars with placeholders for values of `env`; the same object if there are none. */
  readonly test: ExpandedTest
  readonly providerId: string
  readonly repeat: number
  readonly latencyMs: number
}

/** What the assertions of a case found. */
export type Judgement = {
  readonly results: readonly AssertionResult[]
  readonly keys: ReadonlyArray<readonly string[]>
  readonly score: number
  readonly passed: boolean
  /** Set if an assertion could not be evaluated. */
  readonly error?: { readonly message: string; readonly errorClass: string; readonly harness: boolean }
  /** A judge rejected its credential: no further cell may start. */
  readonly credentialRejected: boolean
}

/** What the cells of a run share. */
export type CaseParts = LinkParts &
  RenderParts & {
    readonly providers: ReadonlyMap<string, Provider>
    readonly tools: readonly Tool[]
    readonly judge: (subject: CaseToJudge, signal: AbortSignal) => Promise<Judgement>
    readonly skipOnEmptyReason: readonly string[]
    readonly fallbackOnEmptyReason: ReadonlySet<string>
    readonly withFallback: boolean
    readonly withRaw: boolean
    readonly timeoutMs: number | undefined
    /** Set when a judge rejects its credential. */
    readonly stop: { reason: string | null }
    readonly warnOnce: (message: string) => void
    readonly ports: Pick<Ports, 'monotonic' | 'sleep'>
  }

/** A case, and what is not a part of its document. */
export type FinishedCase = {
  readonly document: CaseDocument
  /** Its error asks for the exit code 3 whatever its class. */
  readonly harness: boolean
  readonly calls: readonly CacheableCall[]
  readonly parts: readonly CasePart[]
}

class CellTimeout extends Error {
  override readonly name = 'CellTimeout'
}

/**
 * Runs one cell: renders it, asks the providers of its chain, judges the answer. Every fault becomes part of the case,
 * also one of the engine itself, which then has no class. Throws only when `signal` is aborted.
 */
export const runCase = async (cell: Cell, parts: CaseParts, signal: AbortSignal): Promise<FinishedCase> => {
  const startedAt = parts.ports.monotonic()
  const identity = caseIdentity(cell)
  const finish = (
    document: Omit<CaseDocument, keyof Identity | 'wall_ms'>,
    rest: Partial<Omit<FinishedCase, 'document'>> = {},
  ): FinishedCase => {
    const collected = collectParts(parts.evidence, rest.parts)
    const recorded = withoutLargeMembers(movedMedia(document, collected, parts))
    return {
      document: { ...identity, ...recorded, wall_ms: Math.round(parts.ports.monotonic() - startedAt) },
      harness: false,
      calls: [],
      ...rest,
      parts: collected.parts,
    }
  }
  if (parts.stop.reason !== null)
    return finish(erroredCase({ errorClass: 'provider_auth', message: `aborted: ${parts.stop.reason}` }, parts))

  const known: { rendered?: Rendered; primary?: CallRecord } = {}
  try {
    return await withTimeout(parts, signal, async (limited, untimed) => {
      const rendered = await renderCell(cell, parts)
      known.rendered = rendered
      const prepared = preparePrimary(cell, rendered, parts)
      known.primary = prepared.link.record
      const send: CaseParts['send'] = (provider, call, callSignal) => parts.send(provider, call, callSignal, untimed)
      const asked = await askChain(cell, prepared, { ...parts, send }, limited)
      if (asked.outcome.kind === 'failed')
        return finish(failedCase(asked.outcome, rendered, cell.test, parts), {
          calls: cacheableCalls(asked),
          parts: asked.outcome.parts,
        })
      const { document, ...rest } = await judgedCase(cell, rendered, asked, asked.outcome, parts, limited)
      return finish(document, rest)
    })
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof RenderFailure)
      return finish(
        erroredCase(
          { errorClass: 'render_failed', message: error.message, ...(error.vars && { vars: error.vars }) },
          parts,
        ),
      )
    const asked = {
      ...(known.rendered && renderedMembers(known.rendered, cell.test, parts)),
      ...(known.primary && { ...recordedRequest(known.primary, parts), provider_digest: known.primary.providerDigest }),
    }
    if (error instanceof CellTimeout)
      return finish({ ...erroredCase({ errorClass: 'provider_timeout', message: error.message }, parts), ...asked })
    const bug = error instanceof Error ? (error.stack ?? error.message) : String(error)
    parts.warnOnce(parts.redactor.text(`a cell ended with an error of the engine itself: ${bug}`))
    return finish({ ...erroredCase({ message: `internal error: ${messageOf(error)}` }, parts), ...asked })
  }
}

/** The members of a case that may hold pictures and the like, and what those are of. */
const MEMBER_ROLES: ReadonlyArray<readonly [keyof CaseDocument, CasePart['role']]> = [
  ['vars', 'input'],
  ['prompt', 'input'],
  ['request', 'input'],
  ['output', 'output'],
  ['tool_calls', 'output'],
  ['raw', 'output'],
  ['error_details', 'output'],
  ['asserts', 'grading'],
]

/** A case in which pictures, sounds and files are parts. Digests and verdicts are of the values before. */
const withMediaAsParts = <T extends Partial<CaseDocument>>(document: T, collected: CollectedParts): T => {
  const members: Record<string, unknown> = {}
  for (const [key, role] of MEMBER_ROLES) {
    const value = document[key]
    const moved = collected.move(value, role, key, !LIMITED_MEMBERS.some((name) => name === key))
    if (moved !== value) members[key] = moved
  }
  return { ...document, ...members }
}

/** The same. A case is never lost for its pictures: where they cannot be moved, they stay. */
const movedMedia = <T extends Partial<CaseDocument>>(document: T, collected: CollectedParts, parts: CaseParts): T => {
  try {
    return withMediaAsParts(document, collected)
  } catch (error) {
    parts.warnOnce(parts.redactor.text(`pictures of a case are not kept apart from it: ${messageOf(error)}`))
    return document
  }
}

const LIMITED_MEMBERS = ['raw', 'request', 'error_details'] as const

/** A case without those free-form members that are too large for a document. */
const withoutLargeMembers = <T extends Partial<CaseDocument>>(document: T): T => {
  const kept = { ...document }
  for (const key of LIMITED_MEMBERS) {
    const value = kept[key]
    if (value !== undefined && isTooLarge(value)) delete kept[key]
  }
  return kept
}

type Identity = Pick<CaseDocument, 'cell' | 'case_key' | 'name' | 'tags' | 'expect_fail_reason'>

const caseIdentity = ({ provider, prompt, test, repeat }: Cell): Identity => {
  const cell = {
    provider_id: provider.id,
    ...(prompt !== null && { prompt_id: prompt.id }),
    test_id: test.id,
    repeat,
  }
  return {
    cell,
    case_key: caseKey(cell),
    name: test.description ?? test.id,
    ...(test.tags.length > 0 && { tags: test.tags }),
    ...(typeof test.expect_fail === 'string' && { expect_fail_reason: test.expect_fail }),
  }
}

/**
 * Runs work under `runner.timeout_ms`. Waits that the work passes to `untimed` do not count. Throws `CellTimeout` if it
 * takes longer, and the reason of the signal.
 */
const withTimeout = async <T>(
  { timeoutMs, ports }: CaseParts,
  signal: AbortSignal,
  work: (limited: AbortSignal, untimed: Untimed) => Promise<T>,
): Promise<T> => {
  if (timeoutMs === undefined) return work(signal, (wait) => wait())
  const limit = new AbortController()
  const done = new AbortController()
  const expired = new CellTimeout(`the cell took longer than ${timeoutMs} ms (runner.timeout_ms)`)
  const startedAt = ports.monotonic()
  let untimedMs = 0
  let waitingSince: number | null = null
  const untimed: Untimed = async (wait) => {
    const from = ports.monotonic()
    waitingSince = from
    try {
      await wait()
    } finally {
      waitingSince = null
      untimedMs += ports.monotonic() - from
    }
  }
  const left = (): number => {
    const now = ports.monotonic()
    return timeoutMs + untimedMs + (waitingSince === null ? 0 : now - waitingSince) - (now - startedAt)
  }
  const watch = async (): Promise<void> => {
    for (let ms = timeoutMs; ms > 0; ms = left()) await ports.sleep(ms, done.signal)
    limit.abort(expired)
  }
  const timer = watch().catch((error: unknown) => {
    // The cell was done before.
    if (!done.signal.aborted) throw error
  })
  try {
    const result = await work(AbortSignal.any([signal, limit.signal]), untimed)
    limit.signal.throwIfAborted()
    return result
  } catch (error) {
    limit.signal.throwIfAborted()
    throw error
  } finally {
    done.abort('done')
    await timer
  }
}

/** Whether the answers of a test are timed: they come from no cache. */
const measuresLatency = ({ assert }: Pick<ExpandedTest, 'assert'>): boolean =>
  assert.some(({ kind }) => kind === 'latency')

type Primary = { readonly provider: Provider; readonly question: LinkQuestion; readonly link: PreparedLink }

/** The call of the provider of a cell. What it asks is recorded also if it is never answered. */
const preparePrimary = ({ provider: { id }, test, repeat }: Cell, rendered: Rendered, parts: CaseParts): Primary => {
  const provider = requireProvider(parts, id)
  const input: CallInput = {
    ...rendered,
    test: { id: test.id, tags: test.tags },
    tools: parts.tools,
  }
  const question = { input, test, repeat }
  return { provider, question, link: prepareLink(parts, provider, question) }
}

const askChain = async (
  cell: Cell,
  { provider: primary, question, link }: Primary,
  parts: CaseParts,
  signal: AbortSignal,
): Promise<ChainOutcome> => {
  const isTimed = measuresLatency(cell.test)
  if (isTimed && parts.cacheMode === 'only')
    return {
      outcome: {
        ...link.record,
        kind: 'failed',
        errorClass: 'cache_miss',
        message: 'the test has a `latency` assertion, so only a call can answer it, and --cache-only makes none',
        details: undefined,
        parts: [],
        attempts: 0,
      },
      passedOver: [],
      outcomes: [],
    }
  const fallbacks = parts.withFallback && !isTimed ? fallbacksOf(cell, parts) : []
  const links = fallbacks.map(
    (provider) => () => askProvider(parts, provider, prepareLink(parts, provider, question), isTimed, signal),
  )
  return runChain([() => askProvider(parts, primary, link, isTimed, signal), ...links], {
    fallbackOnEmptyReason: parts.fallbackOnEmptyReason,
    isStopped: () => parts.stop.reason !== null,
  })
}

const fallbacksOf = ({ provider, test }: Cell, parts: CaseParts): readonly Provider[] =>
  provider.fallback.flatMap((id) => {
    if (!mayAnswer(test, id)) return []
    const link = requireProvider(parts, id)
    if (link.problem === undefined) return [link]
    parts.warnOnce(`the fallback \`${id}\` of provider \`${provider.id}\` is skipped: ${link.problem}`)
    return []
  })

const requireProvider = ({ providers }: CaseParts, id: string): Provider => {
  const provider = providers.get(id)
  if (provider === undefined) throw new Error(`there is no provider ${id}`)
  return provider
}

const judgedCase = async (
  { test, repeat }: Cell,
  rendered: Rendered,
  chain: ChainOutcome,
  answer: AnsweredLink,
  parts: CaseParts,
  signal: AbortSignal,
): Promise<Omit<FinishedCase, 'document'> & { readonly document: Omit<CaseDocument, keyof Identity> }> => {
  const { passedOver } = chain
  const { response, emptyReason, cached } = answer
  const latencyMs = response.provider_latency_ms
  const judgement = await parts.judge(
    {
      response,
      emptyReason,
      vars: rendered.vars,
      test,
      providerId: answer.providerId,
      repeat,
      latencyMs,
    },
    signal,
  )
  signal.throwIfAborted()
  if (judgement.credentialRejected) parts.stop.reason ??= 'a judge rejected its credential'
  const { error, results } = judgement
  const status = caseStatus({
    errored: error !== undefined,
    passed: judgement.passed,
    emptyReason,
    skipOnEmptyReason: parts.skipOnEmptyReason,
    expectFail: test.expect_fail,
  })
  const document = {
    ...renderedMembers(rendered, test, parts),
    status,
    score: judgement.score,
    ...(response.output !== undefined && { output: response.output }),
    ...recordedRequest(answer, parts),
    ...present<Partial<CaseDocument>>({
      stop_reason: response.stop_reason,
      model: response.model,
      usage: response.usage,
      cost_usd: response.cost_usd,
      reasoning: response.reasoning,
      empty_reason: emptyReason,
    }),
    ...(response.tool_calls.length > 0 && { tool_calls: response.tool_calls }),
    ...(parts.withRaw && response.raw !== undefined && { raw: response.raw }),
    asserts: results,
    latency_ms: latencyMs,
    cached,
    attempts: response.attempts,
    provider_digest: answer.providerDigest,
    assert_digest: assertDigest(results, test),
    ...(error && { error: error.message, error_class: error.errorClass }),
    ...(passedOver.length > 0 && { answered_by_provider_id: answer.providerId, fallback_attempts: passedOver }),
  }
  const harness = error?.harness === true
  return { document, harness, calls: cacheableCalls(chain, judgement.keys), parts: response.parts ?? [] }
}

/** The calls of a case that the cache may have answered, those of its chain first. */
const cacheableCalls = (
  { outcomes, outcome }: ChainOutcome,
  keys: Judgement['keys'] = [],
): readonly CacheableCall[] => [
  ...outcomes.flatMap((link): CacheableCall[] =>
    link.kind === 'answered' && link.key !== null ? [{ key: link.key, gave: link === outcome ? 'answer' : null }] : [],
  ),
  ...keys.flatMap((keysOfResult, gave) => keysOfResult.map((key) => ({ key, gave }))),
]

/** The case of a call without a response: no output and no assertions, but everything that was asked. */
const failedCase = (
  failure: FailedLink,
  rendered: Rendered,
  test: ExpandedTest,
  parts: CaseParts,
): Omit<CaseDocument, keyof Identity> => ({
  ...erroredCase(failure, parts),
  ...renderedMembers(rendered, test, parts),
  ...recordedRequest(failure, parts),
  provider_digest: failure.providerDigest,
})

type CaseError = {
  readonly errorClass?: string
  readonly message: string
  readonly details?: Json | undefined
  readonly attempts?: number
  readonly vars?: JsonObject
}

const erroredCase = (
  { errorClass, message, details, attempts = 0, vars }: CaseError,
  { redactor }: CaseParts,
): Omit<CaseDocument, keyof Identity> => ({
  ...(vars && Object.keys(vars).length > 0 && { vars: redactor.json<JsonObject>(vars) }),
  status: 'error',
  score: 0,
  asserts: [],
  latency_ms: 0,
  cached: false,
  attempts,
  error: redactor.text(message),
  ...(details !== undefined && { error_details: redactor.json(details) }),
  ...(errorClass !== undefined && { error_class: errorClass }),
})

const renderedMembers = (
  rendered: Rendered,
  { cache_salt }: ExpandedTest,
  { redactor }: CaseParts,
): Pick<CaseDocument, 'vars' | 'prompt' | 'prompt_digest'> => {
  const { vars, prompt } = redactor.json(rendered)
  return {
    ...(Object.keys(vars).length > 0 && { vars }),
    ...(prompt !== null && { prompt }),
    prompt_digest: promptDigest(prompt, vars, cache_salt),
  }
}

const recordedRequest = (
  { preview, cacheKey }: Pick<AnsweredLink, 'preview' | 'cacheKey'>,
  { withRaw }: CaseParts,
): Pick<CaseDocument, 'request' | 'cache_key'> => ({
  ...(withRaw && preview !== undefined && { request: preview }),
  ...(cacheKey !== undefined && { cache_key: cacheKey }),
})

import { hash } from 'node:crypto'
import { ulid } from 'ulid'
import { RESULT_SCHEMA_VERSION, outputText } from '../../domain/run/document.ts'
import type { CachedCalls } from '../cache/cached-calls.ts'
import type { CacheMode } from '../cache/call-cache.ts'
import { blake3Digest } from '../cache/canonical.ts'
import { isStored } from '../cache/storage-policy.ts'
import { UsageError } from '../json.ts'
import { runManifest } from '../evidence/manifest.ts'
import type { PartsFolder } from '../evidence/parts-folder.ts'
import type { Ports } from '../ports.ts'
import type { Provider, ProviderResponse } from '../providers/provider.ts'
import { usageCost, ratesOf, type Rates } from '../providers/prices.ts'
import type { Redactor } from '../providers/redactor.ts'
import { callWithRetries, createRateLimiter, type RateLimiter } from '../providers/retries.ts'
import { envScopes } from '../providers/wire/rendering.ts'
import type { ExpandedTest, LoadedSuite, RunnerSpec, StorePolicy, Turn } from '../suite/suite.ts'
import type { Templates } from '../templates/templates.ts'
import { requireProviders, whyNothing } from './cells/nothing-to-run.ts'
import { selectCells, type Cell, type Selection } from './cells/cells.ts'
import { inOrder } from './in-order.ts'
import type { CaseOutcome } from './exit-code.ts'
import { withFirstSent } from './calls/first-sent.ts'
import type { LinkParts } from './calls/link.ts'
import type { RunEvent } from './progress.ts'
import type { Provenance } from './provenance.ts'
import { runCase, type CaseParts, type FinishedCase } from './run-case.ts'
import type { RunDocument } from './run-document.ts'
import { summarize } from './summary.ts'

/** How a run differs from what its suite says. */
export type RunOptions = {
  /** The largest number of cells that run at the same time. */
  readonly concurrency: number
  readonly retries: RunnerSpec['retries']
  readonly cacheMode: CacheMode
  readonly storeEmptyOutputs: StorePolicy
  readonly fallbackOnEmptyReason: readonly string[]
  readonly withFallback: boolean
  /** Whether cases record `raw` and `request`. */
  readonly withRaw: boolean
}

export type SuiteRun = {
  readonly loaded: LoadedSuite
  readonly tests: readonly ExpandedTest[]
  /** The cells of the run: `cellsOf`. */
  readonly cells: readonly Cell[]
  readonly selection: Selection
  readonly providers: ReadonlyMap<string, Provider>
  /** The cache in front of the calls of this run. */
  readonly calls: CachedCalls
  readonly judge: CaseParts['judge']
  /** Gets what answers have apart from JSON. */
  readonly parts: PartsFolder
  readonly templates: Templates
  readonly readText: (reference: string) => Promise<string>
  readonly readHistory: (reference: string) => Promise<readonly Turn[]>
  /** Whether an output is a refusal: a pattern of the suite matches its text. */
  readonly isRefusal: (text: string) => boolean
  readonly redactor: Redactor
  readonly digests: Pick<RunDocument, 'config_digest' | 'digests'>
  /** Asked after the last cell. */
  readonly provenance: () => Promise<Provenance>
  readonly options: RunOptions
  readonly ports: Ports
  readonly onEvent: (event: RunEvent) => void
  /** Aborted to interrupt the run: running calls end, and cells that are not finished are not part of the document. */
  readonly signal: AbortSignal
}

export type RunResult = {
  readonly document: RunDocument
  /** The manifest of its parts, which are in the folder of parts; null: it has none. */
  readonly manifest: Uint8Array | null
  readonly outcomes: readonly CaseOutcome[]
  readonly interrupted: boolean
}

/**
 * The cells that a selection leaves. Throws `UsageError` for a provider that cannot be selected, and if nothing is left
 * unless `allowEmpty`.
 */
export const cellsOf = (
  { suite }: LoadedSuite,
  tests: readonly ExpandedTest[],
  selection: Selection,
  allowEmpty: boolean,
): readonly Cell[] => {
  requireProviders(suite, selection.providers)
  const cells = selectCells(suite, tests, selection)
  if (cells.length === 0 && !allowEmpty)
    throw new UsageError(`run error: this run would grade nothing: ${whyNothing(suite, tests, selection)}`)
  return cells
}

/**
 * Runs cells and returns the graded document, cases in the order of the cells. Same suite and same answers give the same
 * document but for ids and times, whatever the concurrency.
 */
export const runSuite = async (run: SuiteRun): Promise<RunResult> => {
  const { cells, ports, signal, onEvent, options } = run
  const runId = ulid(ports.now(), ports.random)
  const startedAt = ports.now()
  const parts = casePartsOf(run)
  onEvent({ kind: 'run_started', total: cells.length, run_id: runId })
  const finished = await inOrder(
    cells,
    options.concurrency,
    (cell) => runAndReport(cell, parts, run),
    () => signal.aborted,
  )
  const done = withFirstSent(
    finished.flatMap((item) => item ?? []),
    run.calls.sent,
  )
  const interrupted = done.length < cells.length
  const finishedAt = ports.now()
  onEvent({ kind: 'run_finished', interrupted })
  const manifest = runManifest(
    done.map(({ document: { case_key }, parts: ofCase }) => ({ case_key, parts: ofCase })),
    parts.warnOnce,
  )
  return {
    document: await buildDocument(run, runId, startedAt, finishedAt, done, manifest),
    manifest,
    outcomes: done.map(({ document, harness }) => ({
      status: document.status,
      ...(document.error_class !== undefined && { error_class: document.error_class }),
      ...(document.answered_by_provider_id !== undefined && {
        answered_by_provider_id: document.answered_by_provider_id,
      }),
      harness,
    })),
    interrupted,
  }
}

/** Null: the run was interrupted before the cell was finished. */
const runAndReport = async (
  cell: Cell,
  parts: CaseParts,
  { onEvent, ports, signal }: SuiteRun,
): Promise<FinishedCase | null> => {
  const { index, test, provider } = cell
  onEvent({
    kind: 'case_started',
    index,
    name: test.description ?? test.id,
    provider_id: provider.id,
    at_ms: ports.monotonic(),
  })
  try {
    const finished = await runCase(cell, parts, signal)
    onEvent({ kind: 'case_finished', index, case: finished.document, at_ms: ports.monotonic() })
    return finished
  } catch (error) {
    if (signal.aborted) return null
    throw error
  }
}

const casePartsOf = (run: SuiteRun): CaseParts => {
  const { options, templates, providers, ports, isRefusal, onEvent } = run
  const { runner, tools } = run.loaded.suite
  const digests = new Map<Provider, string>()
  const warned = new Set<string>()
  const warnOnce = (message: string): void => {
    if (!warned.has(message)) onEvent({ kind: 'warning', message })
    warned.add(message)
  }
  const emptyReasonOf = (response: ProviderResponse): string | undefined => {
    if (response.empty_reason !== undefined) return response.empty_reason
    const text = outputText(response.output)
    return text !== null && text !== '' && isRefusal(text) ? 'refusal' : undefined
  }
  return {
    calls: run.calls,
    cacheMode: options.cacheMode,
    ...callPartsOf(run, warnOnce),
    emptyReasonOf,
    isStored: (emptyReason) => isStored(emptyReason ?? null, options.storeEmptyOutputs),
    digestOf: (provider) => {
      const known = digests.get(provider) ?? blake3Digest(provider.fingerprint)
      digests.set(provider, known)
      return known
    },
    templates,
    env: envScopes(ports.env).sent,
    readText: run.readText,
    readHistory: run.readHistory,
    providers,
    tools,
    judge: run.judge,
    skipOnEmptyReason: runner.skip_on_empty_reason,
    fallbackOnEmptyReason: new Set(options.fallbackOnEmptyReason),
    withFallback: options.withFallback && options.cacheMode !== 'only',
    withRaw: options.withRaw,
    timeoutMs: runner.timeout_ms,
    stop: { reason: null },
    warnOnce,
    redactor: run.redactor,
    evidence: run.parts,
    ports,
  }
}

/** How calls are sent and priced: with the retries and the rate limit of the suite. */
const callPartsOf = (
  { loaded, options, ports }: SuiteRun,
  warnOnce: (message: string) => void,
): Pick<LinkParts, 'send' | 'priceOf'> => {
  const rps = loaded.suite.runner.rate_limit?.rps
  const limiters = new Map<Provider, RateLimiter>()
  const limiterOf = (provider: Provider): RateLimiter | undefined => {
    if (rps === undefined) return undefined
    const limiter = limiters.get(provider) ?? createRateLimiter(rps, ports)
    limiters.set(provider, limiter)
    return limiter
  }
  const rates = new Map<Provider, Rates | null>()
  const ratesFor = (provider: Provider): Rates | null => {
    const known = rates.get(provider)
    if (known !== undefined) return known
    const { spec } = provider
    const found = 'model' in spec ? ratesOf(spec.model, spec.pricing) : null
    if ('model' in spec && found === null)
      warnOnce(
        `provider \`${spec.id}\`: the price of model \`${spec.model}\` is not known, so its cost is not counted; set \`pricing\``,
      )
    rates.set(provider, found)
    return found
  }
  return {
    send: (provider, call, signal, untimed = (wait) => wait()) => {
      const limiter = limiterOf(provider)
      const takeTurn = limiter && ((waiting: AbortSignal) => untimed(() => limiter(waiting)))
      return callWithRetries(call, options.retries, ports, signal, takeTurn)
    },
    priceOf: (provider, { usage }) => {
      const micros = usage === undefined ? null : usageCost(usage, ratesFor(provider))
      return micros === null ? null : micros / 1_000_000
    },
  }
}

const buildDocument = async (
  { loaded, selection, digests, provenance, redactor }: SuiteRun,
  runId: string,
  startedAt: number,
  finishedAt: number,
  done: readonly FinishedCase[],
  manifest: Uint8Array | null,
): Promise<RunDocument> => {
  const { project, suite } = loaded.suite
  const cases = done.map(({ document }) => document)
  const filters = {
    tags: selection.tags,
    filters: selection.filters,
    providers: selection.providers,
    prompts: selection.prompts,
  }
  return {
    schema_version: RESULT_SCHEMA_VERSION,
    run_id: runId,
    ...(project !== undefined && { project }),
    ...(suite !== undefined && { suite }),
    started_at: new Date(startedAt).toISOString(),
    finished_at: new Date(finishedAt).toISOString(),
    config_digest: digests.config_digest,
    config_snapshot: redactor.json(loaded.snapshot),
    ...(await provenance()),
    ...(digests.digests && { digests: digests.digests }),
    ...(manifest && { evidence_manifest: hash('sha256', manifest) }),
    filters: Object.fromEntries(Object.entries(filters).filter(([, asked]) => asked.length > 0)),
    cases,
    summary: summarize(cases),
  }
}

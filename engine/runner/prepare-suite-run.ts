import { cachedCalls } from '../cache/cached-calls.ts'
import type { CacheClient } from '../cache/client.ts'
import { createCallCache } from '../cache/create-call-cache.ts'
import { readSuiteFile } from '../data/suite-files.ts'
import { createGrader } from '../grading/create-grader.ts'
import { UsageError } from '../json.ts'
import type { PartsFolder } from '../evidence/parts-folder.ts'
import type { Ports } from '../ports.ts'
import { parseHistory } from '../prompts/parse-history.ts'
import type { Programs } from '../processes/program.ts'
import { createProviders } from '../providers/create-providers.ts'
import { preflight } from '../providers/preflight.ts'
import { readProviderHeaders } from '../providers/provider-headers.ts'
import { redactor } from '../providers/redactor.ts'
import { suiteSecrets } from '../providers/suite-secrets.ts'
import type { ExpandedTest, LoadedSuite } from '../suite/suite.ts'
import type { Templates } from '../templates/templates.ts'
import { compileRegex } from '../text/regex.ts'
import type { Cell, Selection } from './cells/cells.ts'
import { judgeOf } from './judge-case.ts'
import type { Provenance } from './provenance.ts'
import type { RunEvent } from './progress.ts'
import type { RunOptions, SuiteRun } from './run-suite.ts'

/** What a run is made of. */
export type RunPlan = {
  readonly loaded: LoadedSuite
  readonly tests: readonly ExpandedTest[]
  readonly selection: Selection
  readonly cells: readonly Cell[]
  readonly options: RunOptions & {
    readonly graderCache: boolean
  }
  readonly cache: CacheClient
  readonly templates: Templates
  readonly programs: Programs
  /** Gets what answers have apart from JSON. */
  readonly parts: PartsFolder
  readonly ports: Ports
  readonly version: string
  readonly digests: SuiteRun['digests']
  readonly provenance: () => Promise<Provenance>
  readonly onEvent: (event: RunEvent) => void
  readonly signal: AbortSignal
}

/**
 * Checks the credentials that a run needs, unless the cache alone answers or there is nothing to run. Returns warnings.
 * Throws `UsageError` with all that is missing.
 */
export const checkCredentials = ({ loaded, cells, options, ports }: RunPlan): readonly string[] => {
  if (options.cacheMode === 'only' || cells.length === 0) return []
  const { errors, warnings } = preflight(
    loaded.suite,
    {
      providerIds: new Set(cells.map(({ provider }) => provider.id)),
      tests: [...new Set(cells.map(({ test }) => test))],
    },
    ports.env,
  )
  if (errors.length > 0) throw new UsageError(errors.join('\n'))
  return warnings
}

/** Joins providers, cache, grader and templates to a run. Throws `UsageError` for a bad SERVICE_PROVIDER_HEADERS. */
export const prepareSuiteRun = (plan: RunPlan): SuiteRun => {
  const { loaded, tests, options, templates, programs, ports, onEvent } = plan
  const { suite, directory } = loaded
  const secrets = redactor(suiteSecrets(suite, tests, ports.env))
  const warn = (message: string): void => onEvent({ kind: 'warning', message: secrets.text(message) })
  const calls = cachedCalls(
    createCallCache({ client: plan.cache, now: ports.now, version: plan.version, parts: plan.parts }),
    warn,
  )
  const readText = onceForEach((reference: string) => readSuiteFile(directory, reference))
  const grader = createGrader({
    directory,
    grader: suite.grader,
    embeddings: suite.providers.find((provider) => provider.type === 'embeddings'),
    calls,
    mode: options.cacheMode,
    usesCache: options.graderCache,
    ports,
    env: ports.env,
    globalHeaders: readProviderHeaders(ports.env),
    templates,
    programs,
    redactor: secrets,
    readFile: readText,
  })
  const refusals = suite.runner.refusal_patterns.map(compileRegex)
  return {
    ...plan,
    providers: createProviders(loaded, { ports, templates, programs, parts: plan.parts, redactor: secrets }),
    calls,
    judge: judgeOf({ grader, templates, env: ports.env, shortCircuit: suite.runner.short_circuit, redactor: secrets }),
    readText,
    readHistory: onceForEach(async (reference: string) => parseHistory(reference, await readText(reference))),
    isRefusal: (text) => refusals.some((pattern) => pattern.test(text)),
    redactor: secrets,
  }
}

/** Runs work once for each key. A failure is repeated. */
const onceForEach = <T>(work: (key: string) => Promise<T>): ((key: string) => Promise<T>) => {
  const results = new Map<string, Promise<T>>()
  return (key) => {
    const known = results.get(key) ?? work(key)
    results.set(key, known)
    return known
  }
}

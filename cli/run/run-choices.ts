import type { CacheMode } from '../../engine/cache/call-cache.ts'
import { UsageError } from '../../engine/json.ts'
import type { Selection } from '../../engine/runner/cells/cells.ts'
import type { RunOptions } from '../../engine/runner/run-suite.ts'
import { STORE_POLICIES } from '../../engine/suite/shape/suite-shape.ts'
import type { StorePolicy, Suite } from '../../engine/suite/suite.ts'
import type { RunCommandOptions } from './options.ts'

type Env = Readonly<Record<string, string | undefined>>

const YES = ['1', 'true', 'yes', 'on']
const NO = ['0', 'false', 'no', 'off', '']

/** What a run selects: flags, and SERVICE_PROVIDER in place of `--provider`. */
export const selectionOf = (options: RunCommandOptions, env: Env): Selection => ({
  tags: options.tag ?? [],
  filters: options.filter ?? [],
  providers: options.provider ?? splitList(env['SERVICE_PROVIDER'] ?? ''),
  prompts: options.prompt ?? [],
  repeat: options.repeat,
})

/** How a run differs from its suite: flags win over variables, variables over the suite. Throws `UsageError`. */
export const runOptionsOf = (
  options: RunCommandOptions,
  env: Env,
  { runner, cache }: Pick<Suite, 'runner' | 'cache'>,
): RunOptions & { readonly graderCache: boolean } => {
  const reasons = options.fallbackOnEmptyReason ?? env['SERVICE_FALLBACK_ON_EMPTY_REASON']
  const retries = options.retries === false ? 0 : options.retries
  return {
    concurrency: options.concurrency ?? runner.concurrency,
    retries: typeof retries === 'number' ? { ...runner.retries, max: retries } : runner.retries,
    cacheMode: cacheModeOf(options),
    storeEmptyOutputs: options.storeEmptyOutputs ?? storePolicyOf(env) ?? cache.store_empty_outputs,
    fallbackOnEmptyReason: reasons === undefined ? runner.fallback_on_empty_reason : splitList(reasons),
    withFallback: options.fallback && !switchOf('SERVICE_NO_FALLBACK', env),
    withRaw: options.raw,
    graderCache: options.graderCache && cache.grader,
  }
}

/** Warnings about options of which one has no effect. */
export const warningsOf = ({ cache, cacheOnly }: RunCommandOptions): readonly string[] =>
  !cache && cacheOnly === true
    ? ['--cache-only has no effect with --no-cache: every answer is a call, and the cache is neither read nor written']
    : []

const cacheModeOf = ({ cache, cacheOnly }: RunCommandOptions): CacheMode =>
  cache ? (cacheOnly === true ? 'only' : 'normal') : 'off'

const storePolicyOf = (env: Env): StorePolicy | undefined => {
  const name = 'SERVICE_CACHE_STORE_EMPTY_OUTPUTS'
  const value = env[name] ?? ''
  if (value === '') return undefined
  const policy = STORE_POLICIES.find((known) => known === value)
  if (policy === undefined) throw new UsageError(`${name} is \`${value}\`; accepted are ${STORE_POLICIES.join(', ')}`)
  return policy
}

const switchOf = (name: string, env: Env): boolean => {
  const value = (env[name] ?? '').toLowerCase()
  if (YES.includes(value)) return true
  if (NO.includes(value)) return false
  throw new UsageError(`${name} is \`${env[name]}\`; accepted are ${[...YES, ...NO.slice(0, -1)].join(', ')}`)
}

const splitList = (text: string): readonly string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

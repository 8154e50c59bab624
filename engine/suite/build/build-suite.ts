import type { AuthoredPrompt, AuthoredTool } from '../shape/prompt-shape.ts'
import { RUNNER_DEFAULTS, type AuthoredCache, type AuthoredRunner, type AuthoredSuite } from '../shape/suite-shape.ts'
import type { CacheSpec, PromptSpec, RunnerSpec, Suite, Tool } from '../suite.ts'
import { buildGrader, buildProvider } from './build-provider.ts'
import { buildDefaults, buildTestSource, buildTurn } from './build-test.ts'

const buildPrompt = ({ id, template, messages = [] }: AuthoredPrompt): PromptSpec =>
  template === undefined
    ? { id, messages: messages.map((message) => (typeof message === 'string' ? message : buildTurn(message))) }
    : { id, template }

const buildTool = (tool: AuthoredTool): Tool => tool

/** 0 cells at the same time would run nothing. */
const atLeastOne = (concurrency: number): number => Math.max(1, concurrency)

const buildRunner = ({ concurrency, retries, rate_limit, timeout_ms, ...rest }: AuthoredRunner): RunnerSpec => ({
  concurrency: atLeastOne(concurrency ?? RUNNER_DEFAULTS.concurrency),
  retries: { ...RUNNER_DEFAULTS.retries, ...retries },
  ...(rate_limit === undefined ? {} : { rate_limit }),
  ...(timeout_ms === undefined ? {} : { timeout_ms }),
  short_circuit: rest.short_circuit ?? true,
  skip_on_empty_reason: rest.skip_on_empty_reason ?? [],
  refusal_patterns: rest.refusal_patterns ?? [],
  fallback_on_empty_reason: rest.fallback_on_empty_reason ?? RUNNER_DEFAULTS.fallback_on_empty_reason,
})

const buildCache = ({
  backend = 'disk',
  s3,
  store_empty_outputs = 'reproducible',
  grader = true,
}: AuthoredCache): CacheSpec => ({
  backend,
  ...(s3 === undefined ? {} : { s3: { ...s3, force_path_style: s3.force_path_style ?? false } }),
  store_empty_outputs,
  grader,
})

/** Returns an accepted suite with its defaults filled in. */
export const buildSuite = (authored: AuthoredSuite): Suite => {
  const { version, providers, prompts = [], tools = [], tests = [], defaults, grader } = authored
  const { project, suite, description, runner = {}, cache = {}, baseline } = authored
  return {
    version,
    ...(project === undefined ? {} : { project }),
    ...(suite === undefined ? {} : { suite }),
    ...(description === undefined ? {} : { description }),
    providers: providers.map(buildProvider),
    prompts: prompts.map(buildPrompt),
    tools: tools.map(buildTool),
    tests: tests.map(buildTestSource),
    ...(defaults === undefined ? {} : { defaults: buildDefaults(defaults) }),
    ...(grader === undefined ? {} : { grader: buildGrader(grader) }),
    runner: buildRunner(runner),
    cache: buildCache(cache),
    ...(baseline === undefined ? {} : { baseline }),
  }
}

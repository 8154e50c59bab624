import { graderBlock, provider } from './provider-shape.ts'
import { prompt, tool } from './prompt-shape.ts'
import {
  boolean,
  closed,
  integer,
  list,
  choice,
  optional,
  positive,
  required,
  text,
  type Accepted,
  type Field,
  type Shape,
} from './shape.ts'
import { defaults, testSource } from './test-shape.ts'

const VERSION = 1

const version: Shape<typeof VERSION> = {
  check: (value, at, report) => {
    if (value === VERSION) return true
    report(at, `version ${JSON.stringify(value)} is not supported; expected ${VERSION}`, {
      kind: 'value',
      onKey: false,
    })
    return false
  },
  schema: () => ({ const: VERSION }),
}

/** When empty outputs are stored in the cache. */
export const STORE_POLICIES = ['never', 'reproducible', 'always'] as const

/** Defaults of `runner`. */
export const RUNNER_DEFAULTS = {
  concurrency: 1,
  retries: { max: 2, initial_ms: 500, max_ms: 8000, jitter: false, retry_after_max_ms: 120_000 },
  fallback_on_empty_reason: ['refusal', 'content_filter'],
} as const

const retries = closed('the retries block', {
  max: required(integer(0), 'Attempts after the first.'),
  initial_ms: optional(integer(0), 'The first wait, in milliseconds.', RUNNER_DEFAULTS.retries.initial_ms),
  max_ms: optional(integer(0), 'The longest computed wait, in milliseconds.', RUNNER_DEFAULTS.retries.max_ms),
  jitter: optional(boolean, 'Whether waits are random, up to the computed wait.', RUNNER_DEFAULTS.retries.jitter),
  retry_after_max_ms: optional(
    integer(0),
    'Give up when the server asks for a longer wait, in milliseconds.',
    RUNNER_DEFAULTS.retries.retry_after_max_ms,
  ),
})

const runner = closed('the runner block', {
  concurrency: optional(integer(0), 'Cells that run at the same time. 0 counts as 1.', RUNNER_DEFAULTS.concurrency),
  retries: optional(retries, 'Further attempts after a failed call. Without this block: 2.'),
  rate_limit: optional(
    closed('the rate_limit block', {
      rps: required(positive, 'Calls started per second, for each provider.'),
    }),
    'How fast calls are started.',
  ),
  timeout_ms: optional(integer(1), 'The longest time of one cell, in milliseconds.'),
  short_circuit: optional(
    boolean,
    'Whether graded assertions are skipped when the other assertions have decided the case.',
    true,
  ),
  skip_on_empty_reason: optional(list(text), 'Empty outputs with one of these reasons are skipped.', []),
  refusal_patterns: optional(list(text), 'Regular expressions: an output that matches one counts as a refusal.', []),
  fallback_on_empty_reason: optional(
    list(text),
    'Empty outputs with one of these reasons go to the fallback providers.',
    RUNNER_DEFAULTS.fallback_on_empty_reason,
  ),
})

const s3 = closed('the s3 block', {
  bucket: required(text, 'The bucket.'),
  endpoint: optional(text, 'The address of the store, if it is not that of the vendor.'),
  region: optional(text, 'The region.'),
  prefix: optional(text, 'What the names of all entries start with.'),
  force_path_style: optional(boolean, 'Whether the bucket is part of the path instead of the host name.', false),
})

const cache = closed('the cache block', {
  backend: optional(
    choice('cache backend', ['disk', 'layered', 'http', 's3']),
    'Where responses are cached: `disk`, or `layered` for a disk in front of a shared cache.',
    'disk',
  ),
  s3: optional(s3, 'The shared half of a layered cache in an object store.'),
  store_empty_outputs: optional(choice('policy', STORE_POLICIES), 'Which empty outputs are stored.', 'reproducible'),
  grader: optional(boolean, 'Deprecated: whether verdicts are cached. Use --no-grader-cache.', true),
})

/** The keys of a suite. `extends` and `imports` are gone when a composed suite is checked. */
const SUITE_FIELDS = {
  version: required(version, 'The version of the suite language.'),
  project: optional(text, 'The project of the results on the server.'),
  suite: optional(text, 'The name of the suite on the server.'),
  description: optional(text, 'A note for the results.'),
  extends: optional(text, 'A suite file that this one builds on. Its path is relative to this file.'),
  imports: optional(list(text), 'Files with parts of a suite. Later ones win over earlier ones.', []),
  providers: required(list(provider, { min: 1 }), 'What is evaluated.'),
  prompts: optional(list(prompt), 'What is sent. Without prompts, programs and HTTP endpoints work from the vars.', []),
  tools: optional(list(tool), 'Tools that are sent with every call.', []),
  tests: optional(list(testSource), 'Tests, `file://` globs of test files, and generators of tests.', []),
  defaults: optional(defaults, 'What all tests have in common.'),
  grader: optional(graderBlock, 'The model that judges `llm-rubric` assertions.'),
  runner: optional(runner, 'How cells are run.'),
  cache: optional(cache, 'Where responses are cached.'),
  baseline: optional(
    closed('the baseline block', { branch: required(text, 'The branch whose newest results are the comparison.') }),
    'What a run is compared with.',
  ),
} satisfies Record<string, Field<unknown>>

export const suiteShape = closed('a suite', SUITE_FIELDS)
export type AuthoredSuite = Accepted<typeof suiteShape>
export type AuthoredRunner = Accepted<typeof runner>
export type AuthoredCache = Accepted<typeof cache>

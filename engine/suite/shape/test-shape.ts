import type { Json } from '../../json.ts'
import { hasKey, isMapping } from '../values.ts'
import { PROGRAM_TIMEOUT_MS, passEnv } from './provider-shape.ts'
import { assertion } from './assertion-shape.ts'
import { history } from './prompt-shape.ts'
import {
  anything,
  boolean,
  closed,
  either,
  integer,
  list,
  mapOf,
  mapping,
  named,
  number,
  optional,
  required,
  text,
  type Accepted,
  type Shape,
} from './shape.ts'

const expectFail = either('true, false or a reason', [boolean, text], (value) =>
  typeof value === 'boolean' ? boolean : typeof value === 'string' ? text : undefined,
)

const joinable = {
  tags: optional(list(text), 'Words to select tests by.', []),
  vars: optional(
    mapping,
    'Values for the prompt. Texts are templates over `env`. `{$raw: x}` is used as it is, `{$file: path}` is read.',
    {},
  ),
  assert: optional(list(assertion), 'What the output must fulfil.', []),
  threshold: optional(number, 'The case passes when its score is at least this, instead of when all assertions pass.'),
  cache_salt: optional(
    text,
    'A text that is part of the cache key. `$digest:<glob>` represents the digest of the files that match.',
  ),
  history: optional(history, 'Turns before the prompt, or a `file://` reference to a list of turns.'),
}

export const test = named(
  'test',
  closed('a test', {
    id: optional(text, 'The name of the test in results. Default: the place of the test.'),
    description: optional(text, 'A name for display.'),
    tags: joinable.tags,
    vars: joinable.vars,
    matrix: optional(
      mapOf(list(anything, { min: 1 })),
      'Lists of values by name. The test runs once for each combination; a value overrides the var of its name.',
      {},
    ),
    matrix_id: optional(text, 'A template over the matrix values that makes the ids of the combinations.'),
    assert: joinable.assert,
    threshold: joinable.threshold,
    cache_salt: joinable.cache_salt,
    only_providers: optional(
      list(text),
      'Ids of the only providers that run this test. An empty list restricts nothing.',
      [],
    ),
    skip_providers: optional(list(text), 'Ids of providers that do not run this test.', []),
    history: joinable.history,
    expect_fail: optional(expectFail, '`true` or a reason: the test is known to fail.', false),
  }),
)
export type AuthoredTest = Accepted<typeof test>

export const defaults = named('defaults', closed('the defaults block', joinable))
export type AuthoredDefaults = Accepted<typeof defaults>

const generator = closed('a generator entry', {
  generator: required(
    closed('a generator', {
      command: required(list(text, { min: 1 }), 'The program that prints tests, and its arguments; no shell.'),
      config: optional(anything, 'What the program gets as `config`. Default: {}.'),
      pass_env: passEnv,
      timeout_ms: optional(integer(1), 'When the program is stopped, in milliseconds.', PROGRAM_TIMEOUT_MS),
    }),
    'A program that generates tests.',
  ),
})
export type AuthoredGenerator = Accepted<typeof generator>

const isGenerator = (value: Json): boolean => isMapping(value) && hasKey(value, 'generator')

/** An entry of `tests`. */
export const testSource: Shape<string | AuthoredGenerator | AuthoredTest> = either(
  'a `file://` glob, a generator or a test',
  [text, generator, test],
  (value) => (typeof value === 'string' ? text : isGenerator(value) ? generator : isMapping(value) ? test : undefined),
)

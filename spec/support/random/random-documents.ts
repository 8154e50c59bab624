import fc from 'fast-check'
import { aCase, aDocument, realDocuments } from '../documents/documents.ts'
import { BRANCHES, cell, FIRST_INSTANT, optional, project, run, runPlace, suite, TAGS, word } from './names.ts'

const text = fc.oneof(
  { weight: 6, arbitrary: fc.array(word, { maxLength: 6 }).map((words) => words.join(' ')) },
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constant(`${'filler '.repeat(400)}needle`),
)
/** Removes undefined fields. */
const withoutUndefined = <T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  JSON.parse(JSON.stringify(fields)) as { [K in keyof T]: Exclude<T[K], undefined> }
const money = fc.constantFrom(0, 0.000001, 0.1, 0.30000000000000004, 1e-7, 12.5)

const oneCase = fc
  .record({
    cell,
    status: fc.constantFrom('pass', 'pass', 'fail', 'error', 'skip', 'xfail', 'xpass'),
    score: fc.constantFrom(0, 1, 0.1, 1 / 3, 0.30000000000000004),
    output: fc.oneof(text, fc.constant(null), fc.record({ answer: text, n: fc.constantFrom(1, 1e21, 0.1) })),
    name: optional(text),
    error: optional(text),
    tags: optional(fc.array(fc.constantFrom(...TAGS), { maxLength: 3 })),
    cached: optional(fc.boolean()),
    cost_usd: optional(money),
    latency_ms: fc.constantFrom(0, 10, 12_345),
    stop_reason: optional(fc.constantFrom('end_turn', 'refusal')),
    empty_reason: optional(fc.constantFrom('refusal', 'Refusal')),
    error_class: optional(fc.constantFrom('timeout', 'Timeout')),
    usage: optional(fc.record({ input_tokens: fc.nat({ max: 999 }), output_tokens: fc.nat({ max: 99 }) })),
    asserts: fc.array(
      fc
        .record({
          kind: fc.constantFrom('contains', 'llm-rubric'),
          status: fc.constantFrom('pass', 'fail'),
          score: fc.constantFrom(0, 0.5, 1),
          weight: fc.constantFrom(1, 2),
          reason: text,
        })
        // Without a draw of its own, so that other specs keep their documents.
        .map((assertion) => ({ ...assertion, criteria: { judge: `m-${assertion.weight}`, value: 'Be kind' } })),
      { maxLength: 2 },
    ),
  })
  .map(({ status, ...fields }) => aCase({ ...withoutUndefined(fields), status: status as never }))

export const document = fc
  .record({
    of: fc.oneof(
      { weight: 7, arbitrary: runPlace },
      { weight: 1, arbitrary: fc.record({ run_id: run, project, suite }) },
    ),
    cases: fc.array(oneCase, { maxLength: 8 }),
    at: fc.nat({ max: 40 }),
    took: fc.constantFrom(0, 0, 500, 90_000),
    git: optional(
      fc.record({ branch: fc.constantFrom(...BRANCHES), commit: fc.constantFrom('abc', 'ABC'), dirty: fc.boolean() }),
    ),
    origin: optional(
      fc.record({ actor: fc.constantFrom('mira', 'Mira', 'write'), host: fc.constant('h'), note: word }),
    ),
    ci: optional(fc.record({ provider: fc.constantFrom('github', 'GitHub') })),
    filters: optional(fc.record({ tags: fc.array(fc.constantFrom(...TAGS), { maxLength: 3 }) })),
    config_digest: fc.constantFrom('', '', 'sha256:c'),
    config_snapshot: fc.constantFrom(null, { a: [1, 'é'] }, 'text'),
  })
  .map(({ at: halfSecond, took, of: place, ...fields }) => {
    const finished = FIRST_INSTANT + Math.floor(halfSecond / 2) * 1000
    return JSON.stringify(
      aDocument({
        ...place,
        ...withoutUndefined(fields),
        cases: fields.cases,
        started_at: new Date(finished - took).toISOString(),
        finished_at: new Date(finished).toISOString(),
      }),
    )
  })

export const REAL = realDocuments()
  .filter(({ bytes }) => bytes.length < 400_000)
  .map(({ bytes }) => bytes.toString())

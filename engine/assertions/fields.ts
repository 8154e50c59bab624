import { z } from 'zod'
import type { AssertionKind } from './assertion.ts'

/** One field of an assertion as a suite writes it. */
export type AssertionField = {
  /** What is accepted. Its JSON Schema completes the field in editors. */
  readonly schema: z.ZodType
  readonly required: boolean
  readonly description: string
  /** `{$file: path}` may take the place of the whole value. */
  readonly mayBeFile: boolean
}

/** A kind of assertion: every field but those of `COMMON_FIELDS`. All other fields are refused. */
export type AssertionFields = {
  readonly description: string
  readonly fields: Readonly<Record<string, AssertionField>>
}

const field = (
  schema: z.ZodType,
  description: string,
  { required = false, mayBeFile = false }: { required?: boolean; mayBeFile?: boolean } = {},
): AssertionField => ({ schema, required, description, mayBeFile })

const text = (description: string) => field(z.string(), description, { required: true })
const json = z.unknown().refine((value) => value !== undefined)
const mapping = z.record(z.string(), z.unknown())
const jsonSchema = (description: string) => field(z.union([mapping, z.boolean()]), description, { mayBeFile: true })
const count = z.int().nonnegative()
const share = z.number().min(0).max(1)
/** No sum of weights up to this one overflows. */
const MAX_WEIGHT = 1e9
const weight = z.number().nonnegative().max(MAX_WEIGHT)

/** The fields of every assertion. A type may be spelled `not-<kind>`, which sets `negate`. */
export const COMMON_FIELDS: Readonly<Record<'type' | 'weight' | 'negate', AssertionField>> = {
  type: text('The kind of assertion; `not-<kind>` negates it.'),
  weight: field(weight, 'How much the assertion counts in the score of its case, from 0. Default: 1.'),
  negate: field(z.boolean(), 'Passes when the assertion fails. Default: false.'),
}

/** What each kind of assertion accepts in addition to the common fields. */
export const ASSERTION_FIELDS: Readonly<Record<AssertionKind, AssertionFields>> = {
  contains: {
    description: 'The output contains a text.',
    fields: { value: text('The text, exactly as it must appear.') },
  },
  icontains: {
    description: 'The output contains a text, in upper or lower case.',
    fields: { value: text('The text in any case.') },
  },
  'icontains-any': {
    description: 'The output contains at least one of several texts, in upper or lower case.',
    fields: { values: field(z.array(z.string()).min(1), 'The texts in any case.', { required: true }) },
  },
  regex: {
    description: 'A regular expression matches somewhere in the output.',
    fields: { value: text('The regular expression (RE2 syntax: no look-around, no back-references).') },
  },
  equals: {
    description: 'The output equals a value: a text exactly, any other value as parsed JSON.',
    fields: {
      value: field(json, 'The expected value. Texts in it are templates.', { required: true, mayBeFile: true }),
    },
  },
  'starts-with': {
    description: 'The output starts with a text.',
    fields: { value: text('The text, exactly as it must appear.') },
  },
  'is-json': { description: 'The whole output is JSON.', fields: {} },
  'contains-json': {
    description: 'The output is or contains JSON, and that JSON matches a schema.',
    fields: {
      schema: jsonSchema('A JSON Schema. Default draft: 2020-12; `$schema` may name 2019-09, draft-07 or draft-06.'),
    },
  },
  length: {
    description: 'The number of characters (Unicode code points) of the output is within bounds.',
    fields: {
      min: field(count, 'The smallest accepted number of characters.'),
      max: field(count, 'The largest accepted number of characters.'),
    },
  },
  jinja: {
    description: 'An expression is true.',
    fields: { value: text('An expression over the vars, `vars`, `env`, `output` and `output_json`, without braces.') },
  },
  exec: {
    description: 'A program judges the output.',
    fields: {
      command: field(z.array(z.string()).min(1), 'The program and its arguments.', { required: true }),
      config: field(json, 'What the program gets as `config`, unchanged. Default: {}.'),
      cache_salt: field(z.string(), 'Change it to discard the cached verdicts of the program.'),
    },
  },
  'llm-rubric': {
    description: 'A model judges the output by a rubric.',
    fields: {
      value: text('The rubric: a template over the vars and `env`.'),
      grader: field(mapping, 'A grader of its own. It replaces the whole `grader` block of the suite.'),
      threshold: field(share, 'Pass when the score is at least this. Without it the judge decides.'),
      params: field(mapping, 'Merged over the `params` of the grader.'),
    },
  },
  cost: {
    description: 'The call costs at most an amount.',
    fields: { max: field(z.number().nonnegative(), 'The largest accepted cost in USD.', { required: true }) },
  },
  latency: {
    description: 'The call takes at most a time. Such a test never reads a response from the cache.',
    fields: { max: field(count, 'The longest accepted time in milliseconds.', { required: true }) },
  },
  tokens: {
    description: 'The call uses at most a number of tokens.',
    fields: {
      max: field(count, 'The largest accepted number of tokens.', { required: true }),
      count: field(
        z.enum(['total', 'billable']),
        '`total` (default): input, output and cache reads. `billable`: cache writes too.',
      ),
    },
  },
  similar: {
    description: 'The meaning of the output is close to a reference (cosine of their embeddings).',
    fields: {
      value: field(json, 'The reference. Texts in it are templates.', { required: true, mayBeFile: true }),
      threshold: field(z.number().min(-1).max(1), 'The smallest accepted cosine. Default: 0.8.'),
    },
  },
  'tool-call': {
    description: 'The model called a tool.',
    fields: {
      name: text('The name of the tool.'),
      args: field(mapping, 'Arguments that the call must have. Further arguments are accepted.', { mayBeFile: true }),
      schema: jsonSchema('A JSON Schema of the arguments.'),
    },
  },
}

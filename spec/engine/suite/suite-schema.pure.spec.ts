import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../engine/json.ts'
import { suiteShape } from '../../../engine/suite/shape/suite-shape.ts'
import { suiteSchema } from '../../../engine/suite/suite-schema.ts'

const validate = new Ajv2020({ strict: false }).compile(suiteSchema())
/** Whether loading accepts a suite: it checks the normal form. */
const accepts = (suite: Json): boolean => suiteShape.check(suiteShape.normal!(suite), null, () => {})

/** A suite with every block. Random edits of it lead to the edge of what is accepted. */
const WHOLE: JsonObject = {
  version: 1,
  project: 'p',
  description: 'd',
  providers: [
    { id: 'a', type: 'exec', command: ['x', 'y'], env: { A: 'b' }, pass_env: ['K'], timeout_ms: 5, fallback: ['b'] },
    {
      id: 'b',
      type: 'openai',
      model: 'm',
      api_key_env: ['A', 'B'],
      params: { temperature: 0 },
      pricing: { input_per_mtok: 1 },
      request: { auth: 'none', path: '/p', query: { a: 'b' }, body: [1] },
    },
    { id: 'c', type: 'http', url: 'u', method: 'get', headers: { a: 'b' }, body: null, output_expr: 'e' },
    { id: 'e', type: 'embeddings', model: 'm', label: 'l', fallback_only: false },
  ],
  prompts: [
    { id: 'p', template: 't' },
    {
      id: 'q',
      messages: [
        { role: 'system', content: [{ type: 'text', text: 't' }] },
        'history',
        { role: 'assistant', tool_calls: [{ id: 'i', name: 'n', arguments: { a: 1 } }] },
        { role: 'tool', content: 'c', tool_call_id: 'i' },
        { role: 'user', content: [{ type: 'thinking', thinking: 't', signature: 's' }] },
      ],
    },
  ],
  tools: [{ name: 'n', description: 'd', input_schema: { type: 'object' } }],
  defaults: {
    vars: { a: 1 },
    assert: [{ type: 'is-json' }],
    tags: ['t'],
    threshold: 0.5,
    cache_salt: 's',
    history: [],
  },
  tests: [
    'file://a',
    { generator: { command: ['g'], config: 1, timeout_ms: 1 } },
    {
      id: 'i',
      description: 'd',
      tags: [],
      vars: { v: { $file: 'f' } },
      matrix: { a: [1] },
      matrix_id: 'm',
      expect_fail: 'r',
    },
    { only_providers: ['a'], skip_providers: [], history: 'file://h', expect_fail: true },
    {
      assert: [
        { type: 'contains', value: 'x', weight: 2, negate: true },
        { type: 'not-icontains-any', values: ['x'] },
        { type: 'equals', value: { $file: 'f', parse: false } },
        { type: 'contains-json', schema: true },
        { type: 'length', min: 1, max: 2 },
        { type: 'exec', command: ['x'], config: null, cache_salt: 's' },
        { type: 'cost', max: 0.5 },
        { type: 'tokens', max: 5, count: 'billable' },
        { type: 'similar', value: 'x', threshold: -1 },
        { type: 'tool-call', name: 'n', args: { a: 1 }, schema: {} },
        {
          type: 'llm-rubric',
          value: 'v',
          threshold: 1,
          params: {},
          grader: { provider: { type: 'anthropic', model: 'm' }, include_tool_calls: true, timeout_ms: 1 },
        },
      ],
    },
  ],
  grader: { provider: { type: 'openai', model: 'm' }, template: 'file://t', verdict_mode: 'forced', pricing: {} },
  runner: {
    concurrency: 0,
    retries: { max: 1, initial_ms: 0, max_ms: 0, jitter: true, retry_after_max_ms: 0 },
    rate_limit: { rps: 0.5 },
    timeout_ms: 1,
    short_circuit: false,
    skip_on_empty_reason: ['r'],
  },
  cache: {
    backend: 'layered',
    s3: { bucket: 'b', force_path_style: true },
    store_empty_outputs: 'always',
    grader: true,
  },
  baseline: { branch: 'b' },
}

const values = fc.constantFrom<Json>(
  ...[null, true, false, 0, 1, -1, 0.5, 2 ** 60, '', 'x', 'file://x', 'history', 'none', 'GET', 'forced', 'auto'],
  ...[[], ['x'], [1], {}, { $file: 'f' }, { $file: 1 }, { type: 'is-json' }, { type: 'not-cost', max: 1 }, { a: 1 }],
)
const keys = fc.constantFrom('type', 'id', 'value', 'max', 'x-mine', 'grader', 'generator', 'template', '$file')

/** Returns the value with one place changed. The random `steps` lead to that place. */
const changed = (value: Json, steps: readonly number[], change: (value: Json) => Json): Json => {
  const [step, ...rest] = steps
  if (step === undefined || typeof value !== 'object' || value === null) return change(value)
  if (Array.isArray(value)) {
    if (value.length === 0) return change(value)
    return value.map((item: Json, index) => (index === step % value.length ? changed(item, rest, change) : item))
  }
  const names = Object.keys(value)
  const name = names[step % names.length]
  return name === undefined ? change(value) : { ...value, [name]: changed((value as JsonObject)[name]!, rest, change) }
}

const change = fc.oneof(
  values.map((value) => () => value),
  fc.tuple(keys, values).map(
    ([key, value]) =>
      (before: Json): Json =>
        typeof before === 'object' && before !== null && !Array.isArray(before) ? { ...before, [key]: value } : before,
  ),
  fc.nat().map((step) => (before: Json): Json => {
    if (typeof before !== 'object' || before === null || Array.isArray(before)) return before
    const names = Object.keys(before)
    return Object.fromEntries(Object.entries(before).filter(([name]) => name !== names[step % names.length]))
  }),
)
const edits = fc.array(fc.tuple(fc.array(fc.nat(), { maxLength: 6 }), change), { minLength: 1, maxLength: 2 })

/** Compares the schema with the parser on suites, and counts what they accept and refuse. */
const comparison = () => {
  const seen = { accepted: 0, refused: 0 }
  const compare = (suite: Json): void => {
    const accepted = accepts(suite)
    seen[accepted ? 'accepted' : 'refused']++
    expect({ suite, accepted: validate(suite) }).toEqual({ suite, accepted })
  }
  return { seen, compare }
}

describe('suiteSchema', () => {
  it('accepts a suite with every block, as the parser does', () => {
    expect(accepts(WHOLE)).toBe(true)
    validate(WHOLE)
    expect(validate.errors).toBeNull()
  })

  it('accepts what loading accepts, and refuses what it refuses', () => {
    const { seen, compare } = comparison()
    fc.assert(
      fc.property(edits, (all) =>
        compare(all.reduce<Json>((before, [steps, edit]) => changed(before, steps, edit), WHOLE)),
      ),
      { numRuns: 1000, seed: 11 },
    )
    expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(100)
  })

  it('accepts null where the parser does', () => {
    const { seen, compare } = comparison()
    /** Compares suites with null in each place of `value` in turn; `put` puts a value where `value` is. */
    const walk = (value: Json, put: (value: Json) => Json): void => {
      compare(put(null))
      if (Array.isArray(value))
        value.forEach((item: Json, index) => walk(item, (changed) => put(value.toSpliced(index, 1, changed))))
      else if (typeof value === 'object' && value !== null)
        for (const [name, member] of Object.entries(value))
          walk(member, (changed) => put({ ...(value as JsonObject), [name]: changed }))
    }
    walk(WHOLE, (value) => value)
    expect(accepts({ ...WHOLE, prompts: null, tests: null, extends: null })).toBe(true)
    expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(30)
  })

  it('requires no key in a file that extends or imports another', () => {
    expect(validate({ extends: 'base.yaml' })).toBe(true)
    expect(validate({ imports: ['a.yaml'] })).toBe(true)
    expect(validate({ version: 1 })).toBe(false)
  })

  it('explains every key', () => {
    const unexplained: string[] = []
    const walk = (schema: Json, path: string): void => {
      if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return
      for (const [name, member] of Object.entries((schema as JsonObject)['properties'] ?? {}))
        if (!Object.hasOwn(member as object, 'title') || !Object.hasOwn(member as object, 'description'))
          unexplained.push(`${path}.${name}`)
      for (const [name, member] of Object.entries(schema)) {
        if (Array.isArray(member)) member.forEach((item: Json, index) => walk(item, `${path}.${name}[${index}]`))
        else walk(member, `${path}.${name}`)
      }
    }
    walk(suiteSchema(), '')
    expect(unexplained).toEqual([])
  })

  it('knows both spellings of an assertion', () =>
    expect(JSON.stringify(suiteSchema())).toContain('["contains","not-contains"]'))
})

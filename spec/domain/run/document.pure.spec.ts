import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, parseExact } from '../../../domain/run/canonical-json.ts'
import { caseKey } from '../../../domain/run/case-key.ts'
import { InvalidDocument } from '../../../domain/run/invalid-document.ts'
import {
  ASSERTION_KINDS,
  CASE_STATUSES,
  contentHasher,
  firstCodePoints,
  instantMs,
  openDocument,
  outputText,
  promptProse,
  readCase,
  SCHEMA_WINDOW,
} from '../../../domain/run/document.ts'

type Members = Record<string, unknown>

/** The worked example of the wire format. */
const EXAMPLE = `{
 "schema_version":3,
 "run_id":"01K2ZQ7C8V4T9E6M3B5N1R0WXA",
 "project":"support-desk",
 "suite":"refunds",
 "started_at":"2026-05-04T09:00:00Z",
 "finished_at":"2026-05-04T09:00:42.250Z",
 "config_digest":"blake3:5d1f",
 "config_snapshot":{"description":"Refund answers","providers":["fast-model","crm-bot"]},
 "git":{"branch":"main","commit":"9f3c2ab","dirty":false},
 "ci":{"provider":"github","run_url":"https://ci.example/runs/812"},
 "origin":{"actor":"mira","host":"runner-3","version":"1.4.0"},
 "digests":{"prompts":"blake3:p1","providers":"blake3:v1","tests":"blake3:t1","asserts":"blake3:a1","grader":"blake3:g1"},
 "filters":{"tags":["nightly"]},
 "cases":[
  {"cell":{"provider_id":"fast-model","prompt_id":"terse","test_id":"refund/eligible","repeat":0},"case_key":"07f1c0919d4689f8",
   "name":"eligible refund","tags":["smoke"],"vars":{"order":"A-77"},"status":"pass","score":0.93,
   "output":"Yes, you can return it within 30 days.","prompt":{"text":"How long can I return it?"},"stop_reason":"end_turn","model":"fast-model-2026-04",
   "asserts":[{"kind":"icontains","status":"pass","score":1,"weight":1,"reason":"found","criteria":{"type":"icontains","value":"30 days"},"cached":false},
    {"kind":"llm-rubric","status":"pass","score":0.9,"weight":2,"reason":"States the window.",
     "criteria":{"type":"llm-rubric","value":"States the return window"},"cached":false,"cost_usd":0.0042}],
   "usage":{"input_tokens":420,"output_tokens":12,"cache_read_tokens":300},"cost_usd":0.00031,"latency_ms":810,"wall_ms":1900,"cached":false,
   "attempts":1,"prompt_digest":"blake3:c1","provider_digest":"blake3:d1","assert_digest":"blake3:e1"},
  {"cell":{"provider_id":"fast-model","prompt_id":"terse","test_id":"refund/eligible","repeat":1},"case_key":"8cb9b3fd0ce1b8d1","status":"fail","score":0.6,
   "output":"Yes - 30 days from delivery.",
   "asserts":[{"kind":"icontains","status":"pass","score":1,"weight":1,"reason":"found","cached":false},
    {"kind":"llm-rubric","status":"fail","score":0.4,"weight":2,"reason":"Start of the window is wrong.","cached":false,"cost_usd":0.0041}],
   "usage":{"input_tokens":720,"output_tokens":8},"cost_usd":0.00044,"latency_ms":1290,"cached":false,"attempts":1},
  {"cell":{"provider_id":"fast-model","prompt_id":"terse","test_id":"refund/abuse","repeat":0},"case_key":"bd75180fbe9cd7fa","status":"skip","score":0,
   "output":"","stop_reason":"refusal","empty_reason":"refusal",
   "asserts":[{"kind":"contains","status":"fail","score":0,"weight":1,"reason":"nothing to check",
    "criteria":{"type":"contains","value":"voucher","negate":true},"cached":false}],
   "usage":{"input_tokens":715,"output_tokens":0},"cost_usd":0.00036,"latency_ms":350,"cached":false,"attempts":1},
  {"cell":{"provider_id":"fast-model","prompt_id":"terse","test_id":"shipping/eta","repeat":0},"case_key":"b5f8bbee625b5b36","status":"xpass","score":1,
   "output":{"eta_days":3},"expect_fail_reason":"ticket 4411",
   "asserts":[{"kind":"contains-json","status":"pass","score":1,"weight":1,"reason":"","cached":false}],
   "usage":{"input_tokens":610,"output_tokens":9},"cost_usd":0.00033,"latency_ms":700,"cached":false,"attempts":1},
  {"cell":{"provider_id":"crm-bot","test_id":"refund/eligible","repeat":0},"case_key":"2e729be0ea27d081","status":"pass","score":1,
   "output":"Yes, you can return it within 30 days.",
   "asserts":[{"kind":"icontains","status":"pass","score":1,"weight":1,"reason":"found","cached":false}],"latency_ms":45,"cached":true,
   "cache_key":"sha256:4f33837d5e632cd7e12e0455eaffe005939799519d6618415e387cff311e4af6","attempts":1}
 ],
 "summary":{"total":5,"passed":2,"failed":1,"errored":0,"skipped":1,"prompt_tokens":2765,"completion_tokens":29,"cost_usd":0.00144,"cache_hits":1,
  "cache_misses":4,"retried_cases":0,"cache_read_tokens":300,"grader_cost_usd":0.0083,"empty_counts":{"refusal":1},"xpassed":1}
}`

const SMALL_CASE = { cell: { provider_id: 'p', test_id: 't' }, case_key: 'k', status: 'pass', score: 1, latency_ms: 0 }
const SMALL = {
  schema_version: 3,
  run_id: 'r',
  started_at: '2026-05-04T09:00:00Z',
  finished_at: '2026-05-04T09:00:00Z',
  config_digest: '',
  config_snapshot: null,
  cases: [SMALL_CASE],
  summary: { total: 1, passed: 1, failed: 0, errored: 0, skipped: 0 },
}
const withCase = (fields: Members) => ({ ...SMALL, cases: [{ ...SMALL_CASE, ...fields }] })
const assertion = { kind: 'equals', status: 'pass', score: 1, weight: 1 }

const bytesOf = (document: unknown) => Buffer.from(typeof document === 'string' ? document : JSON.stringify(document))
const openAll = (document: unknown) => {
  const open = openDocument(bytesOf(document))
  return { run: open.run, cases: Array.from({ length: open.caseCount }, (_, index) => open.caseAt(index)) }
}
const hashOf = (document: unknown) => {
  const { run, cases } = openAll(document)
  const hasher = contentHasher(run)
  for (const normal of cases) hasher.add(normal)
  return hasher.digest()
}
const refusal = (document: unknown) => {
  try {
    openAll(document)
    return 'accepted'
  } catch (error) {
    return error instanceof InvalidDocument ? `${error.reason}: ${error.message}` : error
  }
}
const caseOf = (fields: Members) => openAll(withCase(fields)).cases[0]
const caseRefusal = (fields: Members) => refusal(withCase(fields))

describe('the normal form', () => {
  it('of the worked example is the example with sorted keys, without trailing zeros', () => {
    const { run, cases } = openAll(EXAMPLE)
    const { cases: sentCases, ...sentRun } = JSON.parse(EXAMPLE.replace('.250Z', '.25Z')) as Members
    expect(run).toEqual(sentRun)
    expect(cases).toEqual(sentCases)
    expect(JSON.stringify(run)).toBe(canonicalJson(run))
    for (const { cell, case_key } of cases) expect(caseKey(cell)).toBe(case_key)
  })

  it('of a minimal document has the required fields and the defaults, and nothing else', () => {
    const { run, cases } = openAll(SMALL)
    const { cases: _, ...sent } = SMALL
    expect(run).toEqual({
      ...sent,
      filters: {},
      summary: {
        ...SMALL.summary,
        prompt_tokens: 0,
        completion_tokens: 0,
        cache_hits: 0,
        cache_misses: 0,
        retried_cases: 0,
      },
    })
    expect(cases).toEqual([
      { ...SMALL_CASE, cell: { ...SMALL_CASE.cell, repeat: 0 }, asserts: [], cached: false, attempts: 0 },
    ])
  })

  it('drops unknown keys at every depth, and nulls that mean absent', () => {
    const fields = {
      x: 1,
      name: null,
      output: null,
      prompt: null,
      usage: { input_tokens: 1, cache_read_tokens: null, y: 2 },
      raw: null,
      error_class: null,
      asserts: [{ ...assertion, details: null, criteria: null, cost_usd: null, z: 1 }],
      cell: { ...SMALL_CASE.cell, prompt_id: null, w: 0 },
    }
    expect(caseOf(fields)).toEqual({
      ...SMALL_CASE,
      cell: { ...SMALL_CASE.cell, repeat: 0 },
      asserts: [{ ...assertion, reason: '', cached: false }],
      cached: false,
      attempts: 0,
      usage: { input_tokens: 1, output_tokens: 0 },
    })
  })

  it('leaves out empty or zero fields as specified', () => {
    const zeros = {
      xfailed: 0,
      xpassed: 0,
      cache_read_tokens: 0,
      cache_write_tokens: 0,
      fallback_cases: 0,
      empty_counts: {},
      cost_usd: null,
    }
    const filters = { tags: [], filters: [], providers: [], prompts: [] }
    expect(openAll({ ...SMALL, filters, git: null, summary: { ...SMALL.summary, ...zeros } })).toEqual(openAll(SMALL))
    expect(caseOf({ tags: [], vars: {}, tool_calls: [], fallback_attempts: [] })).toEqual(caseOf({}))
  })

  it('preserves prompts, turns, blocks and tool calls', () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'thinking', thinking: 'hm', signature: 's' },
          { type: 'thinking', thinking: '' },
        ],
      },
      {
        role: 'assistant',
        content: '',
        tool_calls: [
          { id: 'c1', name: 'find', arguments: { b: 1, a: 2 } },
          { name: 'now', arguments: null },
        ],
      },
      { role: 'tool', content: '42', tool_call_id: 'c1' },
    ]
    expect(caseOf({ prompt: { messages } })?.prompt).toEqual({ messages })
    expect(caseOf({ prompt: { text: '', x: 1 } })?.prompt).toEqual({ text: '' })
    expect(caseOf({ tool_calls: [{ name: 'now', id: null }] })?.tool_calls).toEqual([{ name: 'now', arguments: null }])
  })

  it('preserves free-form values, inexact numbers and __proto__ included', () => {
    const free = '{"z":12345678901234567890,"a":[-0,1e400,{"__proto__":{"x":0.1234567890123456789}}]}'
    const source = JSON.stringify(
      withCase({ output: 'FREE', vars: 'FREE', raw: 'FREE', request: 'FREE', error_details: 'FREE' }),
    ).replaceAll('"FREE"', free)
    const open = openDocument(Buffer.from(source.replace('"config_snapshot":null', `"config_snapshot":${free}`)))
    const normal = open.caseAt(0)
    for (const value of [
      normal.output,
      normal.vars,
      normal.raw,
      normal.request,
      normal.error_details,
      open.run.config_snapshot,
    ]) {
      expect(JSON.stringify(value)).toBe(free)
    }
    expect(outputText(normal.output)).toBe(free)
  })

  it('reads an inexact number in a number field as a double', () => {
    expect(openAll(JSON.stringify(withCase({ score: 'N' })).replace('"N"', '-0.0')).cases[0]?.score).toBe(0)
    expect(
      openAll(JSON.stringify(withCase({ score: 'N' })).replace('"N"', '0.12345678901234567890')).cases[0]?.score,
    ).toBe(0.12345678901234568)
    expect(refusal(JSON.stringify(withCase({ score: 'N' })).replace('"N"', '1e400'))).toMatch(
      /cases\[0\]\.score: expected a number, got 1e400$/,
    )
    expect(openAll(JSON.stringify(withCase({ attempts: 'N' })).replace('"N"', '1.0')).cases[0]?.attempts).toBe(1)
  })

  it('has sorted keys at every known depth', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(Object.entries(JSON.parse(EXAMPLE) as Members), { minLength: 15 }), (entries) => {
        const { run, cases } = openAll(Object.fromEntries(entries))
        expect(JSON.stringify(run)).toBe(canonicalJson(run))
        // Criteria are free-form and keep the order of their keys.
        const ordered = JSON.stringify(cases, (key, value: unknown) => (key === 'criteria' ? undefined : value))
        expect(ordered).toBe(canonicalJson(JSON.parse(ordered)))
      }),
    )
  })
})

describe('a single case', () => {
  it('is equal whether read from its span or from the document', () => {
    const bytes = bytesOf(EXAMPLE)
    const open = openDocument(bytes)
    expect(open.caseCount).toBe(5)
    for (let index = 0; index < open.caseCount; index++) {
      const { offset, length } = open.caseSpan(index)
      expect(readCase(bytes.subarray(offset, offset + length))).toEqual(open.caseAt(index))
    }
    expect(() => open.caseSpan(5)).toThrow(RangeError)
  })
})

describe('a rejected document', () => {
  it.each([
    '',
    '{',
    'x',
    '{"schema_version":3,"cases":[1,]}',
    '{"schema_version":3} x',
    '\ufeff{}',
    "{'schema_version':3}",
  ])('%j is malformed', (source) => {
    expect(refusal(source)).toMatch(/^malformed: invalid JSON body: /)
  })

  it.each([
    'null',
    '3',
    '[]',
    '[3]',
    '"x"',
    '{}',
    '{"schema_version":null}',
    '{"schema_version":"3"}',
    '{"schema_version":2.5}',
    '{"schema_version":-1}',
    '{"schema_version":true}',
    '{"schema_version":1e400}',
  ])('%s has no version', (source) => {
    expect(refusal(source)).toBe('missing_version: missing schema_version')
  })

  it.each(['0', '1', '4', '1e300', '12345678901234567000'])('version %s is outside of the window', (version) => {
    const message = refusal(`{"schema_version":${version}}`)
    expect(message).toMatch(/^version: /)
    for (const part of [`schema_version ${Number(version)}`, '2..=3', 'upgrade the CLI', 'upgrade the server'])
      expect(message).toContain(part)
  })

  it('accepts both versions of the window, as integers in any spelling', () => {
    expect(SCHEMA_WINDOW).toEqual({ min: 2, max: 3 })
    for (const version of ['2', '3', '3.0', '0.2e1'])
      expect(refusal(JSON.stringify(SMALL).replace(':3,', `:${version},`))).toBe('accepted')
  })

  it('reports malformed text before a wrong version before a wrong shape', () => {
    expect(refusal('{"schema_version":9,"cases":[1,{]}')).toMatch(/^malformed: /)
    expect(refusal('{"cases":[{},{},{"a":01}]}')).toBe('malformed: invalid JSON body: cases[2]: Unexpected number')
    expect(refusal('{"schema_version":3,"run_id":1,"cases":[{},tru]}')).toMatch(
      /^malformed: invalid JSON body: cases\[1\]/,
    )
    expect(refusal(JSON.stringify(SMALL).replace('"cases":[', '"cases":[{},{},nul,'))).toMatch(
      /^malformed: invalid JSON body: cases\[2\]/,
    )
    expect(refusal('{"schema_version":9,"cases":7}')).toMatch(/^version: /)
  })

  it.each(['run_id', 'started_at', 'finished_at', 'config_digest', 'config_snapshot', 'cases', 'summary'])(
    'a run requires %s',
    (field) => {
      expect(refusal({ ...SMALL, [field]: undefined })).toMatch(
        new RegExp(`^invalid: invalid run document: ${field}: missing`),
      )
      if (field !== 'config_snapshot')
        expect(refusal({ ...SMALL, [field]: null })).toMatch(new RegExp(`^invalid: invalid run document: ${field}: `))
    },
  )

  it.each(['cell', 'case_key', 'status', 'score', 'latency_ms'])('a case requires %s', (field) => {
    expect(caseRefusal({ [field]: undefined })).toMatch(
      new RegExp(`^invalid: invalid run document: cases\\[0\\]\\.${field}: missing`),
    )
  })

  it.each(['total', 'passed', 'failed', 'errored', 'skipped'])('a summary requires %s', (field) => {
    expect(refusal({ ...SMALL, summary: { ...SMALL.summary, [field]: undefined } })).toMatch(
      new RegExp(`summary\\.${field}: missing`),
    )
  })

  it.each<[Members, string]>([
    [{ status: 'passed' }, 'status'],
    [{ status: 'skipped' }, 'status'],
    [{ score: '1' }, 'score'],
    [{ latency_ms: 1.5 }, 'latency_ms'],
    [{ latency_ms: -1 }, 'latency_ms'],
    [{ wall_ms: -1 }, 'wall_ms'],
    [{ attempts: 0.5 }, 'attempts'],
    [{ attempts: null }, 'attempts'],
    [{ cached: 'no' }, 'cached'],
    [{ tags: 'x' }, 'tags'],
    [{ tags: [1] }, 'tags[0]'],
    [{ tags: null }, 'tags'],
    [{ vars: [] }, 'vars'],
    [{ asserts: null }, 'asserts'],
    [{ asserts: [{ ...assertion, kind: 'not-contains' }] }, 'asserts[0].kind'],
    [{ asserts: [{ ...assertion, status: 'skip' }] }, 'asserts[0].status'],
    [{ asserts: [assertion, { ...assertion, weight: null }] }, 'asserts[1].weight'],
    [{ asserts: [{ ...assertion, reason: null }] }, 'asserts[0].reason'],
    [{ usage: { input_tokens: -1 } }, 'usage.input_tokens'],
    [{ usage: [] }, 'usage'],
    [{ cell: { test_id: 't' } }, 'cell.provider_id'],
    [{ cell: { provider_id: 'p' } }, 'cell.test_id'],
    [{ cell: { ...SMALL_CASE.cell, repeat: -1 } }, 'cell.repeat'],
    [{ prompt: 'x' }, 'prompt'],
    [{ prompt: {} }, 'prompt'],
    [{ prompt: { text: 'x', messages: [] } }, 'prompt'],
    [{ prompt: { text: null } }, 'prompt.text'],
    [{ prompt: { messages: {} } }, 'prompt.messages'],
    [{ prompt: { messages: [{ role: 'developer', content: '' }] } }, 'prompt.messages[0].role'],
    [{ prompt: { messages: [{ role: 'user' }] } }, 'prompt.messages[0].content'],
    [{ prompt: { messages: [{ role: 'user', content: [{ type: 'image' }] }] } }, 'prompt.messages[0].content[0].type'],
    [{ prompt: { messages: [{ role: 'user', content: [{ type: 'text' }] }] } }, 'prompt.messages[0].content[0].text'],
    [{ tool_calls: [{}] }, 'tool_calls[0].name'],
    [{ case_key: '' }, 'case_key'],
    [{ case_key: 'a\0' }, 'case_key'],
    [{ fallback_attempts: [{}] }, 'fallback_attempts[0].provider_id'],
  ])('a case with %j is reported at %s', (fields, path) => {
    expect(caseRefusal(fields)).toContain(`invalid: invalid run document: cases[0].${path}: `)
  })

  it.each<[Members, string]>([
    [{ run_id: '' }, 'run_id'],
    [{ run_id: 7 }, 'run_id'],
    [{ project: 7 }, 'project'],
    [{ cases: {} }, 'cases'],
    [{ filters: null }, 'filters'],
    [{ filters: { tags: [null] } }, 'filters.tags[0]'],
    [{ git: { dirty: null } }, 'git.dirty'],
    [{ git: [] }, 'git'],
    [{ digests: { prompts: 1 } }, 'digests.prompts'],
    [{ finished_at: '2026-02-30T00:00:00Z' }, 'finished_at'],
    [{ started_at: '2026-05-04T09:00:00' }, 'started_at'],
    [{ started_at: 0 }, 'started_at'],
    [{ summary: { ...SMALL.summary, empty_counts: { a: 1.5 } } }, 'summary.empty_counts["a"]'],
    [{ origin: { redacted: 'yes' } }, 'origin.redacted'],
  ])('a run with %j is reported at %s', (fields, path) => {
    expect(refusal({ ...SMALL, ...fields })).toContain(`invalid: invalid run document: ${path}: `)
  })

  it('checks every filterable name', () => {
    const cell = SMALL_CASE.cell
    for (const bad of ['a\0', '\ud800', 'é'.repeat(201)]) {
      for (const fields of [
        { run_id: bad },
        { project: bad },
        { suite: bad },
        { git: { branch: bad } },
        { filters: { tags: [bad] } },
        { origin: { actor: bad } },
        { ci: { provider: bad } },
      ])
        expect(refusal({ ...SMALL, ...fields })).toMatch(/^invalid: .*a name/)
      for (const fields of [
        { case_key: bad },
        { cell: { ...cell, provider_id: bad } },
        { cell: { ...cell, prompt_id: bad } },
        { cell: { ...cell, test_id: bad } },
        { tags: [bad] },
        { stop_reason: bad },
        { error_class: bad },
        { empty_reason: bad },
        { answered_by_provider_id: bad },
        { cache_key: bad },
      ])
        expect(caseRefusal(fields)).toMatch(/^invalid: .*a name/)
      expect(refusal({ ...SMALL, origin: { note: bad, version: bad }, git: { commit: bad } })).toBe('accepted')
      expect(caseRefusal({ name: bad, model: bad, error: bad, output: bad })).toBe('accepted')
    }
  })

  it('accepts every status and every kind of assertion', () => {
    for (const status of CASE_STATUSES) expect(caseRefusal({ status })).toBe('accepted')
    expect(ASSERTION_KINDS).toHaveLength(17)
    for (const kind of ASSERTION_KINDS) expect(caseRefusal({ asserts: [{ ...assertion, kind }] })).toBe('accepted')
  })

  it('has a short message for any input', () => {
    const long = '\ud800x"'.repeat(50_000)
    const texts = [long, `{"schema_version":${'9'.repeat(300)}}`, `{"a":${'x'.repeat(1_000_000)}}`]
    for (const document of [...texts, { ...SMALL, run_id: long }, withCase({ status: long })]) {
      const message = refusal(document)
      expect(message).not.toBe('accepted')
      expect(String(message).length).toBeLessThan(500)
      expect(String(message).isWellFormed()).toBe(true)
    }
  })
})

describe('the content hash', () => {
  const example = JSON.parse(EXAMPLE) as Members

  it('is the SHA-256 of the canonical JSON of the normalized document', () => {
    for (const document of [EXAMPLE, JSON.stringify(SMALL), JSON.stringify({ ...SMALL, cases: [] })]) {
      const { run, cases } = openAll(document)
      expect(hashOf(document)).toBe(
        `sha256:${createHash('sha256')
          .update(canonicalJson({ ...run, cases }))
          .digest('hex')}`,
      )
    }
  })

  it('does not change for the example', () => {
    expect(hashOf(EXAMPLE)).toBe('sha256:f406b956e3e3cb178efadb3a40da609ad6c630cda4a468956565a814a0a94234')
  })

  const reordered = (value: unknown, order: (keys: string[]) => string[]): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map((item) => reordered(item, order))
    return Object.fromEntries(order(Object.keys(value)).map((key) => [key, reordered((value as Members)[key], order)]))
  }

  it('ignores key order, white space and unknown keys', () => {
    const hash = hashOf(EXAMPLE)
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat()), fc.constantFrom(0, 1, '\t'), (stream, space) => {
        const shuffled = (keys: string[]) =>
          keys
            .map((key) => ({ key, rank: Number(stream.next().value) }))
            .sort((a, b) => a.rank - b.rank)
            .map(({ key }) => key)
        expect(hashOf(JSON.stringify(reordered(example, shuffled), null, space))).toBe(hash)
      }),
      { numRuns: 50 },
    )
    const cases = (example['cases'] as Members[]).map((member) => ({ ...member, later_field: { x: 1 } }))
    expect(hashOf({ ...example, cases, git: { ...(example['git'] as Members), tag: 'v1' }, unknown: [1e300] })).toBe(
      hash,
    )
  })

  it('ignores explicit defaults and other spellings of the same values', () => {
    const hash = hashOf(SMALL)
    const source = JSON.stringify(SMALL)
    const cell = { ...SMALL_CASE.cell, repeat: 0, prompt_id: null }
    expect(
      hashOf(withCase({ cached: false, attempts: 0, asserts: [], tags: [], vars: {}, name: null, usage: null, cell })),
    ).toBe(hash)
    const summary = { ...SMALL.summary, xfailed: 0, cache_hits: 0 }
    expect(hashOf({ ...SMALL, filters: {}, git: null, finished_at: '2026-05-04T11:00:00.000+02:00', summary })).toBe(
      hash,
    )
    expect(hashOf(source.replace('"score":1', '"score":1.0').replace('"latency_ms":0', '"latency_ms":-0.0'))).toBe(hash)
    expect(hashOf(source.replace('"total":1', '"total":10e-1'))).toBe(hash)
    expect(hashOf(source.replace('"cases"', '"c\\u0061ses"').replace('"k"', '"\\u006b"'))).toBe(hash)
  })

  it('detects any other change', () => {
    const withRaw = (source: string) => JSON.stringify(withCase({ raw: 'N' })).replace('"N"', source)
    const changed = [
      { ...SMALL, schema_version: 2 },
      { ...SMALL, run_id: 'R' },
      { ...SMALL, project: '' },
      { ...SMALL, config_snapshot: {} },
      { ...SMALL, cases: [] },
      { ...SMALL, finished_at: '2026-05-04T09:00:00.000000001Z' },
      { ...SMALL, cases: [SMALL_CASE, SMALL_CASE] },
      { ...SMALL, git: {} },
      { ...SMALL, summary: { ...SMALL.summary, total: 2 } },
      withCase({ score: 0.1 }),
      withCase({ usage: {} }),
      withCase({ cached: true }),
      ...['', [], [1, 2], [2, 1], 0, '0', '\ud800', '\ud801', '\ufffd'].map((output) => withCase({ output })),
      ...['9007199254740992', '9007199254740993', '9007199254740994', '-0', '0'].map(withRaw),
    ]
    expect(new Set([SMALL, ...changed].map(hashOf)).size).toBe(changed.length + 1)
  })

  it('detects a change of a free-form value, and only changes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const same = canonicalJson(a) === canonicalJson(b)
        expect(hashOf({ ...SMALL, config_snapshot: a }) === hashOf({ ...SMALL, config_snapshot: b })).toBe(same)
      }),
    )
  })
})

describe('the texts of a case', () => {
  it('returns an output as text', () => {
    expect([undefined, null, '', 'x', 0, false, { a: [1, null] }].map(outputText)).toEqual([
      null,
      null,
      '',
      'x',
      '0',
      'false',
      '{"a":[1,null]}',
    ])
    expect(outputText(parseExact('[1e400, 12345678901234567890]'))).toBe('[1e400,12345678901234567890]')
  })

  it('returns texts and tool calls of a prompt as lines, without thinking and roles', () => {
    expect(promptProse(undefined)).toBe('')
    expect(promptProse({ text: 'Say hi' })).toBe('Say hi')
    expect(
      promptProse({
        messages: [
          { role: 'system', content: 'Be brief.' },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'a' },
              { type: 'thinking', thinking: 'secret' },
              { type: 'text', text: 'b' },
            ],
          },
          {
            role: 'assistant',
            content: '',
            tool_calls: [
              { name: 'find', arguments: { q: 1 } },
              { name: 'now', arguments: null },
            ],
          },
        ],
      }),
    ).toBe('Be brief.\na\nb\nfind {"q":1}\nnow null')
  })

  it('cuts text between code points', () => {
    expect(firstCodePoints('a😀b', 2)).toBe('a😀')
    expect(firstCodePoints('\ud800\ud800x', 2)).toBe('\ud800\ud800')
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat({ max: 12 }), (text, n) => {
        expect(firstCodePoints(text, n)).toBe([...text].slice(0, n).join(''))
      }),
    )
  })

  it('rounds an instant down to its millisecond', () => {
    expect(instantMs('2026-05-04T09:00:42.25Z')).toBe(1777885242250)
    expect(instantMs('2026-05-04T09:00:42Z')).toBe(1777885242000)
    expect(instantMs('1969-12-31T23:59:59.9999Z')).toBe(-1)
    expect(instantMs('1969-12-31T23:59:59.123456789Z')).toBe(-877)
    expect(instantMs('0000-01-01T00:00:00Z')).toBe(-62167219200000)
    expect(instantMs('9999-12-31T23:59:59.999999999Z')).toBe(253402300799999)
  })
})

describe('real documents', () => {
  const paths = globSync('spec/data/**/*.json.gz')

  it.each(paths)('%s has correct case keys and a stable normal form', (path) => {
    const bytes = gunzipSync(readFileSync(path))
    const { run, cases } = openAll(bytes.toString('utf8'))
    expect(cases.length).toBe(run.summary.total)
    for (const { cell, case_key } of cases) expect(caseKey(cell)).toBe(case_key)
    // A normal form does not change when it is read again.
    expect(hashOf(canonicalJson({ ...run, cases }))).toBe(hashOf(bytes.toString('utf8')))
  })
})

import { globSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../../../domain/run/canonical-json.ts'
import { caseKey } from '../../../../domain/run/case-key.ts'
import { openDocument, outputText, readCase } from '../../../../domain/run/document.ts'
import {
  assertion,
  bytesOf,
  EXAMPLE,
  hashOf,
  openAll,
  refusal,
  SMALL,
  SMALL_CASE,
  withCase,
} from '../../../support/documents/opened-document.ts'
import type { Members } from '../../../support/documents/opened-document.ts'

const caseOf = (fields: Members) => openAll(withCase(fields)).cases[0]

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

it('a single case is equal whether read from its span or from the document', () => {
  const bytes = bytesOf(EXAMPLE)
  const open = openDocument(bytes)
  expect(open.caseCount).toBe(5)
  for (let index = 0; index < open.caseCount; index++) {
    const { offset, length } = open.caseSpan(index)
    expect(readCase(bytes.subarray(offset, offset + length))).toEqual(open.caseAt(index))
  }
  expect(() => open.caseSpan(5)).toThrow(RangeError)
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

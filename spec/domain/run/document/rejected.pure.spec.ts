import { describe, expect, it } from 'vitest'
import { ASSERTION_KINDS, CASE_STATUSES, SCHEMA_WINDOW } from '../../../../domain/run/document.ts'
import { assertion, refusal, SMALL, SMALL_CASE, withCase } from '../../../support/documents/opened-document.ts'
import type { Members } from '../../../support/documents/opened-document.ts'

const caseRefusal = (fields: Members) => refusal(withCase(fields))

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

import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readCase } from '../../../domain/run/document.ts'
import type { CaseFacts } from '../../../domain/run/case-columns.ts'
import { InvalidDocument } from '../../../domain/run/invalid-document.ts'
import { prepareRun } from '../../../domain/run/prepare.ts'
import type { RunFacts } from '../../../domain/run/run-columns.ts'
import { aCase, aDocument, realDocuments, theExample } from '../../support/documents/documents.ts'
import type { ACase, ADocument } from '../../support/documents/documents.ts'

const bytesOf = (document: unknown): Buffer => Buffer.from(JSON.stringify(document))
const prepare = (document: ADocument) => prepareRun(bytesOf(document))
const runOf = (overrides: Partial<ADocument> = {}): RunFacts => prepare(aDocument(overrides)).run

/** The facts of a single case with these fields. */
const caseOf = (
  overrides: Partial<Omit<ACase, 'cell'>> & { readonly cell?: Partial<ACase['cell']> } = {},
): CaseFacts => {
  const [single] = prepare(aDocument({ cases: [aCase(overrides)] })).cases
  if (!single) throw new Error('no case')
  return single
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

describe('the worked example', () => {
  const example = theExample()
  const { run, cases } = prepare(example)

  it('has the row and the detail of the wire format', () =>
    expect(run).toMatchObject({
      id: '01K2ZQ7C8V4T9E6M3B5N1R0WXA',
      project: 'support-desk',
      suite: 'refunds',
      created_at: 1777885242250,
      started_at: 1777885200000,
      schema_version: 3,
      config_digest: 'blake3:5d1f',
      git_branch: 'main',
      git_commit: '9f3c2ab',
      git_dirty: false,
      case_count: 5,
      pass_count: 2,
      fail_count: 1,
      error_count: 0,
      xfail_count: 0,
      xpass_count: 1,
      prompt_tokens: 2765,
      completion_tokens: 29,
      cost_micro: 1440,
      grader_cost_micro: 8300,
      cache_savings_micro: null,
      duration_ms: 42250,
      cache_hits: 1,
      cache_misses: 4,
      cache_read_tokens: 300,
      cache_write_tokens: 0,
      empty_count: 1,
      empty_counts: { refusal: 1 },
      assert_labels: ['contains', 'contains-json', 'icontains', 'llm-rubric'],
      actor: 'mira',
      host: 'runner-3',
      ci_provider: 'github',
      ci_run_url: 'https://ci.example/runs/812',
      note: 'Refund answers',
      service_version: '1.4.0',
      tags: ['nightly'],
      digests: {
        prompts: 'blake3:p1',
        providers: 'blake3:v1',
        tests: 'blake3:t1',
        asserts: 'blake3:a1',
        grader: 'blake3:g1',
      },
    }))

  it('has the case rows of the wire format', () => {
    expect(cases.map(({ n, case_key }) => [n, case_key])).toEqual(example.cases.map(({ case_key }, n) => [n, case_key]))
    expect(cases[2]).toMatchObject({
      name: null,
      status: 'skip',
      output_preview: '',
      asserts: [{ label: 'contains', kind: 'contains', passed: false, score: 0 }],
      prompt_tokens: 715,
      completion_tokens: 0,
      cost_micro: 360,
      latency_ms: 350,
      provider_id: 'fast-model',
      prompt_id: 'terse',
      test_id: 'refund/abuse',
      repeat: 0,
      score: 0,
      stop_reason: 'refusal',
      cached: false,
      error: null,
      error_class: null,
      empty_reason: 'refusal',
    })
    expect(cases[4]).toMatchObject({
      name: null,
      prompt_tokens: null,
      completion_tokens: null,
      cost_micro: null,
      prompt_id: null,
      stop_reason: null,
      cached: true,
      output_preview: 'Yes, you can return it within 30 days.',
    })
    // The 300 tokens from a cache are only in the run's total.
    expect([cases[0]?.prompt_tokens, cases[3]?.output_preview]).toEqual([420, '{"eta_days":3}'])
    expect(cases[1]?.output_hash).toBe('4e0ea5a68f409c33958c2a0259991d363e24ede606730bf6c49d2cc48ba4bf88')
  })

  it('has the search text that users see', () => {
    expect(run.search).toMatchObject({
      name: expect.stringMatching(/support-desk[\s\S]*refunds[\s\S]*main[\s\S]*9f3c2ab[\s\S]*Refund answers/) as string,
      tags: 'nightly',
    })
    expect(cases[0]?.search).toMatchObject({
      name: 'eligible refund',
      tags: 'smoke',
      prompt: 'How long can I return it?',
      output: 'Yes, you can return it within 30 days.',
    })
    expect(cases[1]?.search.reasons).toContain('Start of the window is wrong.')
  })
})

describe('a run', () => {
  it('has the totals of its summary, not of its cases', () =>
    expect(
      runOf({ summary: { total: 9, passed: 8, failed: 7, errored: 6, skipped: 5, xfailed: 4, xpassed: 3 } }),
    ).toMatchObject({
      case_count: 9,
      pass_count: 8,
      fail_count: 7,
      error_count: 6,
      xfail_count: 4,
      xpass_count: 3,
    }))

  it('counts empty outputs of its cases, not of its summary', () => {
    const cases = ['refusal', 'blank', 'refusal', ''].map((empty_reason, repeat) =>
      aCase({ cell: { repeat }, empty_reason }),
    )
    expect(runOf({ cases, summary: { empty_counts: { truncated: 7 } } })).toMatchObject({
      empty_count: 3,
      empty_counts: { blank: 1, refusal: 2 },
    })
    expect(runOf({ summary: { empty_counts: { truncated: 7 } } })).toMatchObject({ empty_count: 0, empty_counts: {} })
  })

  it.each([
    ['2026-05-04T09:00:00Z', '2026-05-04T09:00:01.9999Z', 1999, 1777885201999],
    ['2026-05-04T11:00:00+02:00', '2026-05-04T09:00:00Z', 0, 1777885200000],
    ['2026-05-04T09:00:01Z', '2026-05-04T09:00:00Z', 0, 1777885200000],
    ['1969-12-31T23:59:59Z', '1969-12-31T23:59:59.9995Z', 999, -1],
  ])('from %s to %s took %i ms and is dated by its end', (started_at, finished_at, duration_ms, created_at) =>
    expect(runOf({ started_at, finished_at })).toMatchObject({ duration_ms, created_at }),
  )

  it.each([
    ['its own note', { origin: { note: 'mine' }, config_snapshot: { description: 'theirs' } }, 'mine'],
    ['the description of its configuration', { origin: {}, config_snapshot: { description: 'theirs' } }, 'theirs'],
    ['nothing if its own note is blank', { origin: { note: ' \n' }, config_snapshot: { description: 'theirs' } }, null],
    ['nothing if the description is not text', { config_snapshot: { description: { a: 1 } } }, null],
    ['nothing if the configuration is not an object', { config_snapshot: 'description' }, null],
    ['nothing if the configuration is null', { config_snapshot: null }, null],
    ['replacements for characters that some databases reject', { origin: { note: 'a\0b\ud800' } }, 'a\ufffdb\ufffd'],
  ] as const)('is labelled with %s', (_, overrides, note) => expect(runOf(overrides).note).toBe(note))

  it('has distinct tags in the order of their bytes', () =>
    expect(runOf({ filters: { tags: ['b', '\u{1f600}', 'a', 'b', '\uffee', ''] } }).tags).toEqual([
      '',
      'a',
      'b',
      '\uffee',
      '\u{1f600}',
    ]))

  it('has costs in whole micro-USD, and null for an unknown cost', () => {
    expect(
      runOf({ summary: { cost_usd: 0.1234567, cache_savings_usd: 0, grader_cost_usd: -0.0000001 } }),
    ).toMatchObject({
      cost_micro: 123457,
      cache_savings_micro: 0,
      grader_cost_micro: 0,
    })
    expect(Object.is(runOf({ summary: { cost_usd: -0.0000001 } }).cost_micro, 0)).toBe(true)
    expect(runOf()).toMatchObject({ cost_micro: null, cache_savings_micro: null, grader_cost_micro: null })
  })

  it('rejects money that would not be exact', () => {
    for (const document of [
      aDocument({ summary: { cost_usd: 1e10 } }),
      aDocument({ cases: [aCase({ cost_usd: -1e10 })] }),
    ]) {
      expect(() => prepare(document)).toThrow(InvalidDocument)
      expect(() => prepare(document)).toThrow('cost_usd')
    }
  })

  it('has null for an unknown digest, an empty one and a missing object', () => {
    expect(runOf({ config_digest: '', digests: { prompts: '', grader: 'g' } })).toMatchObject({
      config_digest: null,
      digests: { prompts: null, providers: null, grader: 'g' },
    })
    expect(runOf({ digests: null, git: null, ci: null, origin: null })).toMatchObject({
      git_branch: null,
      git_dirty: null,
      ci_provider: null,
      actor: null,
      host: null,
      service_version: null,
    })
    expect(runOf({ git: {}, ci: {} })).toMatchObject({
      git_branch: null,
      git_dirty: false,
      ci_provider: null,
      ci_run_url: null,
    })
  })

  it('stores its configuration as JSON with every digit', () => {
    const text = JSON.stringify(aDocument({ config_snapshot: 'HERE' })).replace(
      '"HERE"',
      '{"seed":9007199254740993,"b":[1e400]}',
    )
    expect(prepareRun(Buffer.from(text)).run.config).toBe('{"seed":9007199254740993,"b":[1e400]}')
  })

  it('has the distinct kinds of its assertions, sorted', () => {
    const assert = (kind: string) => ({ kind, status: 'pass', score: 1, weight: 1 })
    const cases = [
      aCase({ asserts: [assert('regex'), assert('contains')] }),
      aCase({ cell: { repeat: 1 }, asserts: [assert('contains')] }),
    ]
    expect(runOf({ cases }).assert_labels).toEqual(['contains', 'regex'])
    expect(runOf({ cases: [] }).assert_labels).toEqual([])
  })

  it('has only the first of several cases with the same key, at its position', () => {
    const key = { case_key: 'same' }
    const cases = [
      aCase({ ...key, name: 'first' }),
      aCase({ cell: { repeat: 1 } }),
      aCase({ ...key, name: 'second', empty_reason: 'blank' }),
    ]
    const prepared = prepare(aDocument({ cases }))
    expect(prepared.cases.map(({ n, name }) => [n, name])).toEqual([
      [0, 'first'],
      [1, null],
    ])
    expect(prepared.run).toMatchObject({ case_count: 3, empty_count: 0 })
    expect(prepared.hidden).toMatchObject([{ n: 2, hidden_by: 0, provider_id: 'model' }])
    // The content hash covers all of them.
    expect(prepared.run.content_hash).not.toBe(
      prepare(aDocument({ cases: cases.slice(0, 2), summary: { total: 3, passed: 3, cache_misses: 3 } })).run
        .content_hash,
    )
  })
})

describe('the text in lists', () => {
  const long = '\u{1f600}'.repeat(2001)
  const shown = '\u{1f600}'.repeat(2000)

  it('is the first 2,000 code points of the free texts of a run', () => {
    const run = runOf({
      config_digest: long,
      git: { commit: long },
      ci: { run_url: long },
      origin: { host: long, version: long, note: long },
      digests: { prompts: long, providers: long, tests: long, asserts: long, grader: long },
    })
    expect(run).toMatchObject({
      config_digest: shown,
      git_commit: shown,
      ci_run_url: shown,
      host: shown,
      service_version: shown,
      note: shown,
      digests: { prompts: shown, providers: shown, tests: shown, asserts: shown, grader: shown },
    })
    expect(runOf({ config_snapshot: { description: long } }).note).toBe(shown)
    expect(runOf({ origin: { host: shown } }).host).toBe(shown)
  })

  it('is the first 2,000 code points of a case; the document has the rest', () => {
    const bytes = bytesOf(
      aDocument({
        cases: [aCase({ name: long, error: long, prompt_digest: long, provider_digest: long, assert_digest: long })],
      }),
    )
    const [single] = prepareRun(bytes).cases
    expect(single).toMatchObject({
      name: shown,
      error: shown,
      prompt_digest: shown,
      provider_digest: shown,
      assert_digest: shown,
    })
    const { document_offset = 0, document_length = 0 } = single ?? {}
    expect(readCase(bytes.subarray(document_offset, document_offset + document_length))).toMatchObject({
      name: long,
      error: long,
      prompt_digest: long,
    })
  })

  it('may include a host that is too long for an identity', () =>
    expect(runOf({ origin: { host: 'h'.repeat(500) } }).host).toBe('h'.repeat(500)))
})

it.each([
  ['2026-05-04T09:00:00.000900Z', '2026-05-04T09:00:01.000100Z', 999],
  ['2026-05-04T09:00:00.000100Z', '2026-05-04T09:00:01.000900Z', 1000],
  ['2026-05-04T09:00:00.000000001Z', '2026-05-04T09:00:00.001Z', 0],
  ['2026-05-04T09:00:00.999999999Z', '2026-05-04T09:00:01.000999999Z', 1],
  ['1969-12-31T23:59:59.9995Z', '1970-01-01T00:00:00.0005Z', 1],
  ['2026-05-04T11:00:00.0009+02:00', '2026-05-04T09:00:01.0001Z', 999],
  ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999999999Z', 315_569_519_999_999],
  ['2026-05-04T09:00:01Z', '2026-05-04T09:00:00.9999Z', 0],
])('the duration of a run from %s to %s is %d ms, the exact difference rounded down', (started_at, finished_at, ms) =>
  expect(runOf({ started_at, finished_at }).duration_ms).toBe(ms),
)

describe('the limits of a run document', () => {
  const tags = (count: number) => Array.from({ length: count }, (_, i) => `tag-${i}`)
  const refused = (document: ADocument, message: string) => {
    expect(() => prepare(document)).toThrow(InvalidDocument)
    expect(() => prepare(document)).toThrow(`invalid run document: ${message}`)
  }

  it('are 200 tags on a run and on a case; an error names the path of the tags', () => {
    expect(runOf({ filters: { tags: tags(200) } }).tags).toHaveLength(200)
    expect(caseOf({ tags: tags(200) }).tags).toHaveLength(200)
    refused(aDocument({ filters: { tags: tags(201) } }), 'filters.tags: at most 200 tags, got 201')
    refused(
      aDocument({ cases: [aCase(), aCase({ cell: { repeat: 1 }, tags: tags(201) })] }),
      'cases[1].tags: at most 200 tags, got 201',
    )
  })

  it.each([
    'total',
    'passed',
    'failed',
    'errored',
    'skipped',
    'xfailed',
    'xpassed',
    'prompt_tokens',
    'completion_tokens',
    'cache_hits',
    'cache_misses',
    'cache_read_tokens',
    'cache_write_tokens',
  ])('are 2^53 - 1 on the summary counter %s; an error names the counter', (name) => {
    expect(
      Object.values(runOf({ summary: { total: 1, [name]: Number.MAX_SAFE_INTEGER } })).includes(
        Number.MAX_SAFE_INTEGER,
      ),
    ).toBe(name !== 'skipped')
    refused(
      aDocument({ summary: { [name]: Number.MAX_SAFE_INTEGER + 1 } }),
      `summary.${name}: expected a non-negative integer, got 9007199254740992`,
    )
  })
})

describe('the content hash', () => {
  const hashOf = (document: unknown): string =>
    prepareRun(Buffer.isBuffer(document) ? document : bytesOf(document)).run.content_hash
  const example = hashOf(theExample())

  it('names its method', () => expect(example).toMatch(/^sha256:[0-9a-f]{64}$/))

  it('ignores spelling, key order, unknown keys, and whether a default or an absent value is written out', () => {
    const { schema_version, ...rest } = theExample()
    expect(hashOf(Buffer.from(JSON.stringify(theExample(), null, 2)))).toBe(example)
    expect(hashOf({ ...rest, schema_version })).toBe(example)
    expect(hashOf({ ...theExample(), unknown: { a: 1 }, share_url: null })).toBe(example)
    expect(hashOf({ ...theExample(), finished_at: '2026-05-04T11:00:42.25+02:00' })).toBe(example)
    expect(
      hashOf({
        ...theExample(),
        cases: theExample().cases.map((exampleCase) => ({
          ...exampleCase,
          attempts: exampleCase['attempts'] ?? 0,
          unknown: 1,
          name: exampleCase['name'] ?? null,
        })),
      }),
    ).toBe(example)
  })

  it('depends on every value, the order of cases and the version', () => {
    expect(hashOf({ ...theExample(), config_digest: 'blake3:5d20' })).not.toBe(example)
    expect(hashOf({ ...theExample(), cases: theExample().cases.toReversed() })).not.toBe(example)
    expect(hashOf({ ...theExample(), schema_version: 2 })).not.toBe(example)
  })
})

describe('a case', () => {
  it.each([
    ['a text', 'Hello', 'Hello', 'Hello'],
    ['an empty text', '', '', ''],
    ['an object', { b: [1, null], a: 'x' }, '{"b":[1,null],"a":"x"}', '{"b":[1,null],"a":"x"}'],
    ['a number', 0, '0', '0'],
    ['false', false, 'false', 'false'],
    [
      '300 characters outside of the first plane',
      '\u{1f600}'.repeat(300),
      '\u{1f600}'.repeat(300),
      '\u{1f600}'.repeat(300),
    ],
    ['301 of them', '\u{1f600}'.repeat(301), '\u{1f600}'.repeat(301), '\u{1f600}'.repeat(300)],
  ] as const)('with %s as its output has the hash and the start of the output', (_, output, text, preview) =>
    expect(caseOf({ output })).toMatchObject({ output_hash: sha256(text), output_preview: preview }),
  )

  it.each([null, undefined])('with %s as its output has no output hash and no preview', (output) =>
    expect(caseOf({ output })).toMatchObject({ output_hash: null, output_preview: null }),
  )

  it('replaces NUL and lone surrogates in its text', () =>
    expect(caseOf({ name: 'a\0', error: '\udc00', output: '\ud800\0', prompt_digest: '\0' })).toMatchObject({
      name: 'a\ufffd',
      error: '\ufffd',
      output_preview: '\ufffd\ufffd',
      prompt_digest: '\ufffd',
    }))

  it('marks an assertion as passed only if its status is pass', () => {
    const asserts = ['pass', 'fail', 'error', 'skipped'].map((status) => ({
      kind: 'equals',
      status,
      score: 1,
      weight: 1,
    }))
    expect(caseOf({ asserts }).asserts).toEqual(
      [true, false, false, false].map((passed) => ({ label: 'equals', kind: 'equals', passed, score: 1 })),
    )
  })

  it('reads an empty prompt id, error and reason as null', () =>
    expect(caseOf({ cell: { prompt_id: '' }, error: '', empty_reason: '' })).toMatchObject({
      prompt_id: null,
      error: null,
      empty_reason: null,
    }))

  it('has its position in the bytes of the document', () => {
    for (const { bytes } of [{ bytes: bytesOf(theExample()) }, ...realDocuments().slice(0, 3)]) {
      const { cases } = prepareRun(bytes)
      for (const { case_key, document_offset, document_length } of cases)
        expect(JSON.parse(bytes.toString('utf8', document_offset, document_offset + document_length))).toMatchObject({
          case_key,
        })
    }
  })
})

it.each(realDocuments().map(({ name, bytes }) => [name, bytes] as const))(
  'real documents %s agrees with the summary of its client',
  (_, bytes) => {
    const { run, cases, matrix } = prepareRun(bytes)
    const { summary } = JSON.parse(bytes.toString()) as ADocument
    expect(run.case_count).toBe(summary['total'])
    expect(cases.filter(({ status }) => status === 'pass')).toHaveLength(run.pass_count)
    expect(matrix.rows.flatMap(({ cells }) => cells).reduce((sum, [, { total }]) => sum + total, 0)).toBe(
      cases.filter(({ test_id, provider_id }) => test_id !== '' && provider_id !== '').length,
    )
  },
)

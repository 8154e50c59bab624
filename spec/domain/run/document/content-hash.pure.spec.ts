import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../../../domain/run/canonical-json.ts'
import { EXAMPLE, hashOf, openAll, SMALL, SMALL_CASE, withCase } from '../../../support/documents/opened-document.ts'
import type { Members } from '../../../support/documents/opened-document.ts'

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

  it('does not change for the example', () =>
    expect(hashOf(EXAMPLE)).toBe('sha256:f406b956e3e3cb178efadb3a40da609ad6c630cda4a468956565a814a0a94234'))

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

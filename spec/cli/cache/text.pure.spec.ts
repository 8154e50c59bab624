import { describe, expect, it } from 'vitest'
import { entryLine, totalsLine } from '../../../cli/cache/text.ts'

describe('totalsLine', () => {
  it('prints one line for a directory', () =>
    expect(totalsLine({ entries: 2, total_bytes: 1_572_864, oldest_entry_at: null })).toBe('2 entries, 1.50 MiB'))
  it('prints one lookup in the singular', () =>
    expect(totalsLine({ entries: 2, total_bytes: 0, hits: 1, misses: 1, oldest_entry_at: null })).toBe(
      '2 entries, 0.00 MiB\n1 hit, 1 miss',
    ))
  it('prints lookups and the number of unindexed entries', () =>
    expect(
      totalsLine({
        entries: 1,
        total_bytes: 0,
        hits: 3,
        misses: 4,
        unindexed: 1,
        oldest_entry_at: '2026-05-03T22:10:00+00:00',
      }),
    ).toBe('1 entries, 0.00 MiB, since 2026-05-03T22:10:00+00:00\n3 hits, 4 misses\n1 not yet indexed'))
})

it('entryLine prints a field for each value, a dash for an unknown one', () =>
  expect(
    entryLine({
      created_at: 'now',
      key: 'k',
      size: 3,
      kind: null,
      model: 'm\tn',
      cost_usd: 0,
      request_summary: null,
      output_preview: '💬'.repeat(100),
    }),
  ).toBe(['now', 'k', '-', 'm\\u0009n', '3', '0', '-', '💬'.repeat(80)].join('\t')))

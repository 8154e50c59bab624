import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { lostSilently } from '../../../support/interchange/accounting.ts'
import {
  SAMPLES,
  countsOf,
  importBytes,
  importFile,
  importFiles,
  importFolder,
  lossesOf,
} from '../../../support/interchange/import-files.ts'

const SAMPLE = join(SAMPLES, 'langfuse', 'experiment-items.jsonl')
afterAll(() => rmSync(scratch, { recursive: true }))

/** The pages of an older version: items of a dataset run, their traces, scores and dataset items. */
const PAGES: Readonly<Record<string, readonly object[]>> = {
  'dataset-run-items.json': [1, 2, 3].map((n) => ({
    ...{ id: `ri-${n}`, datasetRunId: 'run-1', datasetRunName: 'base', datasetItemId: `item-${n}`, traceId: `t-${n}` },
    createdAt: '2025-03-02T09:00:00.000Z',
  })),
  'traces.json': [1, 2].map((n) => ({
    ...{
      id: `t-${n}`,
      timestamp: `2025-03-02T09:00:0${n}.000Z`,
      htmlPath: '/t',
      name: 'geo',
      latency: 1.5,
      totalCost: 0.001,
    },
    ...{ input: { city: `c${n}` }, output: `out ${n}`, metadata: { model: 'm' }, tags: ['geo'] },
  })),
  'scores.json': [
    { id: 's1', traceId: 't-1', name: 'correct', value: 1, dataType: 'BOOLEAN', source: 'API' },
    {
      id: 's2',
      traceId: 't-2',
      name: 'correct',
      value: 0,
      dataType: 'BOOLEAN',
      source: 'ANNOTATION',
      authorUserId: 'u7',
    },
    { id: 's3', traceId: 't-2', name: 'note', value: 'fine', dataType: 'TEXT', source: 'ANNOTATION' },
  ],
  'dataset-items.json': [
    {
      id: 'item-1',
      datasetId: 'ds',
      datasetName: 'capitals',
      input: { city: 'c1' },
      expectedOutput: 'France',
      status: 'ACTIVE',
    },
  ],
}
const scratch = mkdtempSync(join(tmpdir(), 'langfuse-'))

describe('the importer of Langfuse', () => {
  it('reads experiment items with their scores, and loses nothing silently', async () => {
    const [result] = await importFile(SAMPLE)
    expect(countsOf([result!])).toEqual(['1 / 1 / 1 / 0'])
    // The sample has its rows in the list `data` of each page.
    expect((await lostSilently(SAMPLE)).filter(({ path }) => !path.startsWith('meta'))).toEqual([])
    expect(result).toMatchObject({ identity: 'exp-1' })
    const { run, cases } = result!.document!
    expect(run).toMatchObject({
      suite: 'ds-1',
      config_snapshot: { description: 'table answers', experimentName: 'table-small' },
    })
    expect(cases[1]).toMatchObject({
      ...{ cell: { test_id: 'item-2', provider_id: 'table-small' }, latency_ms: 1500, output: 'Lima, Peru' },
      vars: { city: 'Lima', expected: { country: 'Peru' } },
      asserts: [
        { status: 'pass' },
        { status: 'fail', score: 0.2 },
        { status: 'fail', reason: 'too short', details: { source: 'ANNOTATION' } },
      ],
    })
    expect(cases[0]!.asserts[2]).toMatchObject({
      status: 'skipped',
      weight: 0,
      details: { value: 'neutral', dataType: 'CATEGORICAL' },
    })
    expect(cases[2]).toMatchObject({ status: 'error', error: 'level ERROR' })
  })

  it('joins the files of older versions', async () => {
    for (const [name, data] of Object.entries(PAGES))
      writeFileSync(join(scratch, name), JSON.stringify({ data, meta: { page: 1, totalPages: 1 } }))
    const results = await importFolder(scratch)
    expect(countsOf(results)).toEqual(['1 / 1 / 1 / 0'])
    const { run, cases } = results[0]!.document!
    expect(run).toMatchObject({
      suite: 'capitals',
      started_at: '2025-03-02T09:00:00Z',
      finished_at: '2025-03-02T09:00:03.5Z',
    })
    expect(cases[0]).toMatchObject({
      ...{ cell: { test_id: 'item-1', provider_id: 'm' }, latency_ms: 1500, cost_usd: 0.001, tags: ['geo'] },
      ...{ vars: { city: 'c1', expected: 'France' }, output: 'out 1' },
    })
    expect(cases[1]!.asserts).toMatchObject([
      { status: 'fail', details: { authorUserId: 'u7' } },
      { status: 'skipped', reason: 'fine', weight: 0 },
    ])
    expect(cases[2]).toMatchObject({ status: 'error', error: 'the trace of this item is missing' })
  })

  it('joins older files next to one that cannot be read, and records items without a run or a dataset item', async () => {
    const files = Object.entries(PAGES).map(([name, data]) => [name, JSON.stringify({ data, meta: {} })] as const)
    const items = PAGES['dataset-run-items.json']!
    const lost = [
      { ...items[0], datasetRunId: null },
      { ...items[0], datasetItemId: null },
    ]
    const results = await importFiles({
      ...Object.fromEntries(files),
      'dataset-run-items.json': JSON.stringify({ data: [...items, ...lost], meta: {} }),
      'notes.json': Buffer.from('{"notes": []}', 'utf16le'),
    })
    expect(countsOf(results)).toContain('1 / 1 / 1 / 0')
    expect(lossesOf(results)).toContainEqual(
      expect.objectContaining({ path: '*', count: 2, note: 'without datasetRunId or datasetItemId' }),
    )
  })

  it('reads a trace whose duration ends after all times', async () => {
    const [trace, ...traces] = PAGES['traces.json']!
    const pages = { ...PAGES, 'traces.json': [{ ...trace, latency: 1e300 }, ...traces] }
    const files = Object.entries(pages).map(([name, data]) => [name, JSON.stringify({ data, meta: {} })] as const)
    const results = await importFiles(Object.fromEntries(files))
    expect(countsOf(results)).toEqual(['1 / 1 / 1 / 0'])
    expect(results[0]!.document!.run).toMatchObject({ finished_at: '2025-03-02T09:00:03.5Z' })
  })

  it('refuses scores alone, and items without traces', async () => {
    const page = (name: string) => JSON.stringify({ data: PAGES[name], meta: {} })
    expect(countsOf(await importBytes('scores.json', page('scores.json')))[0]).toMatch(
      /^refused: langfuse: scores without/,
    )
    expect(countsOf(await importBytes('items.json', page('dataset-run-items.json')))[0]).toMatch(
      /^refused: dataset run items need/,
    )
    const [first = {}, ...rest] = PAGES['dataset-run-items.json'] ?? []
    const pages = [[first], rest].map((data, n) => [`items-${n}.json`, JSON.stringify({ data, meta: {} })] as const)
    expect(countsOf(await importFiles({ ...Object.fromEntries(pages), 'scores.json': page('scores.json') }))).toEqual([
      expect.stringMatching(/^refused: dataset run items need/),
    ])
  })
})

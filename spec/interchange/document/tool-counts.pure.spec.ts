import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compareCounts, contradictionsIn } from '../../../interchange/document/tool-counts.ts'
import { newLosses } from '../../../interchange/document/losses.ts'
import { SAMPLES, countsOf, importBytes, importFiles } from '../../support/interchange/import-files.ts'

const createdAt = '2026-01-01T00:00:00Z'
const sample = (path: string) => readFileSync(join(SAMPLES, path), 'utf8')

const promptfooRow = (testIdx: number, success: boolean) => ({
  ...{ success, score: Number(success), promptIdx: 0, testIdx, latencyMs: 1, provider: { id: 'p' }, namedScores: {} },
  ...{
    prompt: { raw: 'x', label: 'x' },
    vars: { n: testIdx },
    testCase: { vars: { n: testIdx } },
    gradingResult: null,
  },
  response: { output: 'o' },
})
const promptfoo = (more: object) =>
  JSON.stringify({
    evalId: 'e1',
    results: { version: 3, results: [promptfooRow(0, true), promptfooRow(1, false)], ...more },
    config: {},
  })
const metrics = (...counts: readonly [number, number, number][]) => ({
  prompts: counts.map(([testPassCount, testFailCount, testErrorCount], n) => ({
    raw: `p${n}`,
    metrics: { testPassCount, testFailCount, testErrorCount },
  })),
})
const ctrf = (summary: object) =>
  JSON.stringify({
    reportFormat: 'CTRF',
    results: {
      tool: { name: 't' },
      summary: { start: 1767225600000, stop: 1767225600000, ...summary },
      tests: [
        { name: 'a', status: 'passed', duration: 1 },
        { name: 'b', status: 'pending', duration: 1 },
      ],
    },
  })
const inspect = (total_samples: number, completed_samples = total_samples) =>
  JSON.stringify({
    version: 2,
    status: 'success',
    eval: { eval_id: 'i', created: createdAt, task: 't', model: 'm' },
    results: { total_samples, completed_samples },
    samples: [{ id: 1, epoch: 1, input: 'q', target: 'a', messages: [], scores: { s: { value: 'C' } } }],
  })
const langfuse = (meta: object) =>
  JSON.stringify({
    data: [{ experimentId: 'x', experimentItemId: 'i', input: 'q', output: 'o', scores: [] }],
    meta,
  })
const junit = (suite: string, root = '') =>
  `<testsuites ${root}><testsuite name="s" ${suite}><testcase name="a"/><testcase name="b"><skipped/></testcase>` +
  '<testcase name="c"><failure/></testcase></testsuite></testsuites>'
const deepeval = (testPassed: number, testFailed: number) =>
  JSON.stringify({ ...JSON.parse(sample('deepeval/test_run_sample.json')), testPassed, testFailed })
const sweBench = (resolved_instances: number) =>
  JSON.stringify({
    schema_version: 2,
    ...{ total_instances: 300, resolved_instances, unresolved_instances: 1 },
    ...{ resolved_ids: ['a__b-1'], unresolved_ids: ['a__b-2'], error_ids: [], empty_patch_ids: [], incomplete_ids: [] },
  })

/** For each case: a title, the files of a run, and the contradictions that are expected. */
const CASES: ReadonlyArray<readonly [string, Readonly<Record<string, string>>, readonly string[]]> = [
  ['promptfoo', { 'r.json': promptfoo({ stats: { successes: 1, failures: 0, errors: 1 } }) }, []],
  ['promptfoo without errors', { 'r.json': promptfoo({ stats: { successes: 1, failures: 1 } }) }, []],
  [
    'promptfoo with rows that are missing',
    { 'r.json': promptfoo({ stats: { successes: 200, failures: 0, errors: 0 } }) },
    [
      'the tool counts 200, the file holds 2',
      'the tool counts 200 passed, the file holds 1',
      'the tool counts 0 failed, the file holds 1',
    ],
  ],
  ['promptfoo with totals of columns', { 'r.json': promptfoo(metrics([1, 0, 0], [0, 1, 0])) }, []],
  [
    'promptfoo with other totals of columns',
    { 'r.json': promptfoo(metrics([1, 0, 0], [0, 1, 1])) },
    ['the tool counts 3, the file holds 2', 'the tool counts 2 failed, the file holds 1'],
  ],
  ['CTRF', { 'r.json': ctrf({ tests: 2, passed: 1, failed: 0, skipped: 0, pending: 1, other: 0 }) }, []],
  [
    'CTRF with a failure that is missing',
    { 'r.json': ctrf({ tests: 3, passed: 1, failed: 1, skipped: 0, pending: 1, other: 0 }) },
    ['the tool counts 3, the file holds 2', 'the tool counts 1 failed, the file holds 0'],
  ],
  ['Inspect', { 'r.json': inspect(1) }, []],
  ['Inspect with samples that are missing', { 'r.json': inspect(10) }, ['the tool counts 10, the file holds 1']],
  [
    'Inspect with other completed samples',
    { 'r.json': inspect(1, 9) },
    ['the tool counts 9 completed, the file holds 1'],
  ],
  ['Langfuse', { 'r.json': langfuse({ page: 1, totalItems: 1 }) }, []],
  [
    'Langfuse with pages that are missing',
    { 'r.json': langfuse({ totalItems: 200 }) },
    ['the tool counts 200, the file holds 1'],
  ],
  [
    'Langfuse with both pages',
    { 'items-1.json': langfuse({ totalItems: 2 }), 'items-2.json': langfuse({ totalItems: 2 }) },
    [],
  ],
  ['JUnit', { 'r.xml': junit('tests="3" failures="1" errors="0" skipped="1"') }, []],
  ['JUnit that does not count skipped tests', { 'r.xml': junit('tests="2" failures="1"') }, []],
  ['JUnit with totals at the root', { 'r.xml': junit('', 'tests="3" failures="1" errors="0"') }, []],
  ['JUnit without totals', { 'r.xml': junit('') }, []],
  [
    'JUnit with tests that are missing',
    { 'r.xml': junit('tests="5" failures="2" errors="1" skipped="1"') },
    ['the tool counts 5, the file holds 3', 'the tool counts 3 failed, the file holds 1'],
  ],
  [
    'JUnit with more tests than its root says',
    { 'r.xml': junit('', 'tests="1" skipped="0"') },
    ['the tool counts 1, the file holds 3'],
  ],
  ['DeepEval', { 'r.json': deepeval(0, 1) }, []],
  ['DeepEval with other tests', { 'r.json': deepeval(3, 1) }, ['the tool counts 3 passed, the file holds 0']],
  ['SWE-bench', { 'm.r.json': sweBench(1) }, []],
  ['SWE-bench with other instances', { 'm.r.json': sweBench(2) }, ['the tool counts 2 resolved, the file holds 1']],
]

describe('the totals of a tool', () => {
  it.each(CASES)('are compared with the file: %s', async (_, files, expected) => {
    const results = await importFiles(files, { createdAt })
    const [result] = results
    if (!result || !('run' in result)) throw new Error(countsOf(results)[0])
    expect(contradictionsOf(result.run.losses)).toEqual(expected.toSorted())
    const { origin, config_snapshot } = result.document!.run
    for (const note of expected) {
      expect(origin?.note).toContain(note)
      expect(JSON.stringify(config_snapshot)).toContain(note)
    }
    const [strict] = await importFiles(files, { createdAt, strict: true })
    if (expected.length === 0) expect(strict?.outcome).toBe('converted')
    else expect(countsOf([strict!])[0]).toMatch(/^refused: the tool counts .*--strict/)
  })

  it('are compared with the samples of lm-evaluation-harness', async () => {
    const results = { results: { t: { 'acc,none': 1 } }, configs: { t: {} }, 'n-shot': { t: 0 }, date: 1767225600 }
    const files = (effective: number) => ({
      'results_x.json': JSON.stringify({ ...results, 'n-samples': { t: { original: 100, effective } } }),
      'samples_t.jsonl':
        '{"doc_id":0,"doc":{},"target":"a","resps":[["a"]],"filtered_resps":["a"],"acc":1,"metrics":["acc"]}\n',
    })
    const notes = async (effective: number) => {
      const [result] = await importFiles(files(effective))
      return result && 'run' in result ? contradictionsOf(result.run.losses) : countsOf([result!])
    }
    expect(await notes(1)).toEqual([])
    expect(await notes(100)).toEqual(['the tool counts 100, the file holds 1'])
  })

  it('are compared with the rows of Every Eval Ever', async () => {
    const name = 'f3a1c0de-4b2e-4c1a-9f6d-1b7e5a2c8d40'
    const top = JSON.parse(sample(`every-eval-ever/${name}.json`)) as {
      evaluation_results: [{ score_details: object }]
      detailed_evaluation_results: { total_rows: number }
    }
    top.detailed_evaluation_results.total_rows = 9
    top.evaluation_results[0].score_details = { score: 0.75, uncertainty: { num_samples: 8 } }
    const [result] = await importFiles({
      [`${name}.json`]: JSON.stringify(top),
      [`${name}_samples.jsonl`]: sample(`every-eval-ever/${name}_samples.jsonl`),
    })
    expect(result && 'run' in result && contradictionsOf(result.run.losses)).toEqual([
      'the tool counts 8, the file holds 1',
      'the tool counts 9 rows, the file holds 1',
    ])
  })

  it('are unknown if pages have only cursors; a cursor on every page is recorded as cut', async () => {
    const cut = async (...cursors: readonly (string | null)[]) => {
      const pages = cursors.map((nextCursor, n) => [`items-${n}.json`, langfuse({ nextCursor })])
      const [result] = await importFiles(Object.fromEntries(pages) as Record<string, string>, { createdAt })
      return result && 'run' in result
        ? result.run.losses.filter(({ kind }) => kind === 'cut').map(({ note }) => note)
        : []
    }
    expect(await cut('a', 'b')).toEqual(['the last page says that more follow'])
    expect(await cut('a', null)).toEqual([])
  })

  it('are compared by outcome only if the tool decides outcomes', async () => {
    const files = promptfoo({ stats: { successes: 1, failures: 1, errors: 0 } })
    const [result] = await importBytes('r.json', files.replaceAll('"success":false', '"success":true'), {
      passThreshold: 0.5,
      createdAt,
    })
    expect(result && 'run' in result && contradictionsOf(result.run.losses)).toEqual([])
  })

  it('are named in a note up to three, if the file contradicts them', () => {
    const losses = newLosses()
    const counts = { path: 'p', cases: 1, passed: 1, failed: 1, errored: 1, skipped: 1 }
    compareCounts(counts, { pass: 2, fail: 2, error: 2, skip: 2 }, losses, false)
    expect(contradictionsIn(losses)).toMatch(/^the tool counts 1, the file holds 8; .*; 2 more such differences$/)
    expect(contradictionsIn(newLosses())).toBeNull()
  })
})

const contradictionsOf = (losses: ReadonlyArray<{ readonly kind: string; readonly note?: string }>) =>
  losses.flatMap(({ kind, note }) => (kind === 'contradicted' ? [note] : [])).toSorted()

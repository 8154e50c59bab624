import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { lostSilently } from '../../../support/interchange/accounting.ts'
import { SAMPLES, countsOf, importBytes, importFile, importFiles } from '../../../support/interchange/import-files.ts'

const sample = (name: string) => join(SAMPLES, 'phoenix', name)

describe('the importer of Phoenix', () => {
  it.each(['base.json', 'base.csv'])('gives the counts of %s', async (name) =>
    expect(countsOf(await importFile(sample(name)))).toEqual(['2 / 0 / 4 / 0']),
  )

  it('loses nothing of the JSON download silently', async () =>
    expect(await lostSilently(sample('base.json'))).toEqual([]))

  it('gives the same cases for CSV and JSON', async () => {
    const [json] = await importFile(sample('base.json'))
    const [csv] = await importFile(sample('base.csv'))
    const plain = ({
      raw: _,
      ...item
    }: NonNullable<typeof json>['document'] extends infer D
      ? D extends { cases: ReadonlyArray<infer C> }
        ? C
        : never
      : never) => item
    expect(csv!.document!.cases.map(plain)).toEqual(json!.document!.cases.map(plain))
    expect(json!.document!.run).toMatchObject({ suite: 'base', started_at: '2026-11-22T05:01:37.469736Z' })
  })

  it('is imported next to files of another tool that have the names of its descriptions', async () => {
    const utf16 = Buffer.from('{"notes": []}', 'utf16le')
    const files = { 'base.json': readFileSync(sample('base.json')), 'experiment.json': utf16, 'dataset.json': utf16 }
    expect(countsOf(await importFiles(files))).toContain('2 / 0 / 4 / 0')
  })

  it('keeps all digits of numbers in cells of a CSV download', async () => {
    const csv = 'example_id,repetition_number,input,output\na,1,"{""order"":12345678901234567890}",x\n'
    const [result] = await importBytes('e.csv', csv, { createdAt: '2026-01-01T00:00:00Z' })
    expect(Buffer.from(result!.document!.bytes).toString()).toContain('"order":12345678901234567890')
  })

  it('reads errors of the task and of evaluators, trials, and inputs', async () => {
    const [result] = await importFile(sample('base.json'))
    const { cases } = result!.document!
    expect(cases[1]).toMatchObject({
      cell: { test_id: 'RGF0YXNldEV4YW1wbGU6MQ==', repeat: 1, provider_id: 'unknown' },
      vars: { city: 'Paris', expected: { country: 'France' } },
      output: 'Paris is the capital of France.',
    })
    expect(cases[2]).toMatchObject({
      status: 'error',
      error_class: 'grader_failed',
      asserts: [{ status: 'error', reason: "ValueError('the judge did not answer')" }, {}, {}],
    })
    expect(cases[4]).toMatchObject({ status: 'error', error: "RuntimeError('503 from upstream')" })
  })

  it('reads a label as the result if there is no score', async () => {
    const annotation = (label: string, score: number | null, annotator_kind = 'CODE') => ({
      name: 'n',
      label,
      score,
      annotator_kind,
    })
    const row = (id: string, annotations: readonly object[]) => ({
      example_id: id,
      repetition_number: 1,
      output: 'x',
      annotations,
    })
    const rows = [
      row('a', [annotation('Correct', null, 'LLM')]),
      row('b', [annotation('no', null)]),
      row('c', [annotation('long', null)]),
      row('d', [annotation('correct', 0.2)]),
      row('e', [annotation('Passed', null)]),
    ]
    const [result] = await importBytes('e.json', JSON.stringify(rows), { createdAt: '2026-01-01T00:00:00Z' })
    expect(result!.document!.cases.map(({ status }) => status)).toEqual(['pass', 'fail', 'skip', 'fail', 'pass'])
    expect(result!.document!.cases[0]!.asserts[0]).toMatchObject({ kind: 'llm-rubric', details: { label: 'Correct' } })
  })

  it('takes experiments of two servers, which have the same id, as two runs, and a renamed one as the same', async () => {
    const runs = readFileSync(sample('base.json'), 'utf8')
    const runIdOf = async (experiment: object) => {
      const data = { id: 'RXhwZXJpbWVudDox', dataset_id: 'd', dataset_version_id: 'v', repetitions: 2, ...experiment }
      const results = await importFiles({ 'runs.json': runs, 'experiment.json': JSON.stringify({ data }) })
      return results.find(({ document }) => document)!.document!.run.run_id
    }
    const [first, renamed, second, old, older] = await Promise.all(
      [
        { name: 'base', project_name: 'Experiment-98240fe0363db17b55e496a1', created_at: '2026-11-27T02:09:55+00:00' },
        { name: 'best', project_name: 'Experiment-98240fe0363db17b55e496a1', created_at: '2026-11-27T02:09:55+00:00' },
        { name: 'base', project_name: 'Experiment-7f4c283c30073283703b486c', created_at: '2026-11-27T02:09:55+00:00' },
        { name: 'base', project_name: null, created_at: '2026-11-27T02:09:55+00:00' },
        { name: 'base', project_name: null, created_at: '2026-11-27T02:09:54+00:00' },
      ].map(runIdOf),
    )
    expect(renamed).toBe(first)
    expect(new Set([first, second, old, older]).size).toBe(4)
  })
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SAMPLES, countsOf, importFiles, importFolder } from '../../support/interchange/import-files.ts'
import { leavesOf, missingLeaves } from '../../support/interchange/leaves.ts'

const FOLDER = join(SAMPLES, 'swe-bench')
const REPORT = 'gpt-4.1-mini.first-try.json'
const TIME = { createdAt: '2026-01-01T00:00:00Z' }

const report = {
  total_instances: 7,
  submitted_instances: 5,
  completed_ids: ['a__a-1', 'a__a-2'],
  incomplete_ids: ['a__a-6'],
  empty_patch_ids: ['a__a-3'],
  submitted_ids: ['a__a-1', 'a__a-2', 'a__a-3', 'a__a-4', 'a__a-5'],
  resolved_ids: ['a__a-1'],
  unresolved_ids: ['a__a-2'],
  error_ids: ['a__a-4'],
  schema_version: 2,
}

const prediction = (id: string) => ({ instance_id: id, model_name_or_path: 'gpt-4.1-mini', model_patch: `diff ${id}` })

describe('the importer of SWE-bench', () => {
  it('gives the results of the older report with its predictions, and loses nothing silently', async () => {
    const imported = await importFolder(FOLDER, TIME)
    expect(countsOf(imported)).toEqual(['79 / 221 / 0 / 0'])
    const [result] = imported
    if (!result || !('run' in result)) throw new Error('not imported')
    const leaves = ['results.json', 'astropy__astropy-12907.json'].flatMap((name) =>
      leavesOf(JSON.parse(readFileSync(join(FOLDER, name), 'utf8'))),
    )
    expect(missingLeaves(leaves, [result.run.bytes], result.run.losses)).toEqual([])
    expect(result.document?.cases[0]).toMatchObject({
      cell: { provider_id: 'aider--gpt-4o--openrouter-anthropic-claude-3-opus', test_id: 'astropy__astropy-12907' },
      cost_usd: 0.20686500000000002,
    })
  })

  it('gives each instance of a report by the list that has it', async () => {
    const [result] = await importFiles({ [REPORT]: JSON.stringify(report) }, TIME)
    const cases = result?.document?.cases ?? []
    expect(cases.map(({ cell, status, empty_reason }) => [cell.test_id, status, empty_reason]).sort()).toEqual([
      ['a__a-1', 'pass', undefined],
      ['a__a-2', 'fail', undefined],
      ['a__a-3', 'fail', 'blank'],
      ['a__a-4', 'error', undefined],
      ['a__a-5', 'skip', undefined],
      ['a__a-6', 'skip', undefined],
    ])
    expect(result?.document?.run.origin?.note).toBe('first-try')
    expect(cases[0]?.cell.provider_id).toBe('gpt-4.1-mini')
  })

  it.each([
    ['lines', 'preds.jsonl', ['a__a-2', 'a__a-1'].map((id) => JSON.stringify(prediction(id))).join('\n')],
    ['a list', 'all_preds.json', JSON.stringify([prediction('a__a-2'), prediction('a__a-1')])],
    [
      'a list with a byte order mark',
      'all_preds.json',
      `\ufeff \n${JSON.stringify([prediction('a__a-2'), prediction('a__a-1')])}`,
    ],
    ['an object', 'preds.json', JSON.stringify({ 'a__a-2': prediction('a__a-2'), 'a__a-1': prediction('a__a-1') })],
  ])('takes the patches of predictions that are %s', async (_, name, content) => {
    const [result] = await importFiles({ [REPORT]: JSON.stringify(report), [name]: content }, TIME)
    expect(result?.document?.cases.slice(0, 2).map(({ output }) => output)).toEqual(['diff a__a-2', 'diff a__a-1'])
    expect(countsOf([result!])).toEqual(['1 / 2 / 1 / 2'])
  })

  it('records a prediction of no instance, and refuses an empty report', async () => {
    const [result] = await importFiles(
      { [REPORT]: JSON.stringify(report), 'preds.jsonl': JSON.stringify(prediction('b__b-1')) },
      TIME,
    )
    expect('run' in result! ? result.run.losses : []).toContainEqual(
      expect.objectContaining({
        path: 'predictions.*',
        note: 'a prediction of no instance of the report, or another one of an instance',
      }),
    )
    const empty = { resolved_ids: [], unresolved_ids: [] }
    expect(countsOf(await importFiles({ 'a.b.json': JSON.stringify(empty) }, TIME))).toEqual([
      'refused: holds no instances',
    ])
  })

  it('says of a report of one instance what it is', async () => {
    const one = { 'a__a-1': { patch_exists: true, patch_successfully_applied: true, resolved: true, tests_status: {} } }
    expect(countsOf(await importFiles({ 'report.json': JSON.stringify(one) }, TIME))).toEqual([
      'refused: swe-bench: a report of one instance: import the report of the whole run, <model>.<run id>.json',
    ])
  })
})

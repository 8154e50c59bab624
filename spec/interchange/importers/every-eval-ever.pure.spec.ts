import { createHash } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SAMPLES, countsOf, importFiles, importFolder } from '../../support/interchange/import-files.ts'
import { leavesOf, missingLeaves } from '../../support/interchange/leaves.ts'

const FOLDER = join(SAMPLES, 'every-eval-ever')
const [AGGREGATE, ROWS] = readdirSync(FOLDER).sort() as [string, string]
const aggregate = JSON.parse(readFileSync(join(FOLDER, AGGREGATE), 'utf8')) as Record<string, unknown>
const row = JSON.parse(readFileSync(join(FOLDER, ROWS), 'utf8')) as Record<string, unknown>

/** The sample with other rows, and the checksum of these. */
const importRows = (rows: readonly object[], changes: object = {}, options = {}) => {
  const text = rows.map((value) => `${JSON.stringify(value)}\n`).join('')
  const checksum = createHash('sha256').update(text).digest('hex')
  const details = { file_path: `data/${ROWS}`, hash_algorithm: 'sha256', checksum }
  return importFiles(
    { [AGGREGATE]: JSON.stringify({ ...aggregate, detailed_evaluation_results: details, ...changes }), [ROWS]: text },
    options,
  )
}

describe('the importer of Every Eval Ever', () => {
  it('gives the counts of its sample, and loses nothing silently', async () => {
    const imported = await importFolder(FOLDER)
    expect(countsOf(imported)).toEqual(['1 / 0 / 0 / 0'])
    const [result] = imported
    if (!result || !('run' in result)) throw new Error('not imported')
    expect(
      missingLeaves([...leavesOf(aggregate), ...leavesOf(row, 'rows.*')], [result.run.bytes], result.run.losses),
    ).toEqual([])
    expect(result.document?.run).toMatchObject({
      suite: 'demo-source.demo_bench',
      finished_at: '2025-06-15T15:06:40Z',
    })
    expect(result.document?.cases[0]).toMatchObject({
      cell: { provider_id: 'demo-org/demo-model', test_id: 'demo_0001' },
      output: 'The answer is 4.',
      prompt: { text: 'Q: What is 2 + 2?\nA:' },
      vars: { input: 'What is 2 + 2?', target: ['4'] },
      usage: { input_tokens: 12, output_tokens: 5 },
      asserts: [{ kind: 'equals', status: 'pass', score: 1, criteria: { name: 'accuracy' } }],
    })
  })

  it('has no usage if it counts no tokens', async () => {
    const [result] = await importRows([{ ...row, token_usage: { total_tokens: 17 } }])
    expect(result?.document?.cases[0]).not.toHaveProperty('usage')
  })

  it('refuses samples with another checksum', async () => {
    const changes = { detailed_evaluation_results: { file_path: ROWS, hash_algorithm: 'sha256', checksum: 'aa' } }
    expect(countsOf(await importRows([row], changes))[0]).toMatch(/^refused: .* is not the file of these results/)
  })

  it('says that samples without a checksum were not checked', async () => {
    const [result] = await importRows([row], { detailed_evaluation_results: { file_path: ROWS } })
    expect(result && 'run' in result ? result.run.losses : []).toContainEqual(
      expect.objectContaining({ kind: 'assumed', path: '(checksum)' }),
    )
  })

  it('gives a run for each evaluation', async () => {
    const other = { ...row, evaluation_name: 'other', evaluation: { score: 0.25, is_correct: false } }
    const imported = await importRows([row, other, { ...other, sample_id: 'x' }])
    expect(countsOf(imported)).toEqual(['1 / 0 / 0 / 0', '0 / 2 / 0 / 0'])
    expect(imported.map(({ document }) => document?.run.suite)).toEqual(['demo-source.demo_bench', 'other'])
  })

  it('gives totals as cases with --aggregates alone', async () => {
    const files = { [AGGREGATE]: JSON.stringify({ ...aggregate, detailed_evaluation_results: null }) }
    expect(countsOf(await importFiles(files))).toEqual([
      'refused: holds totals only: --aggregates imports them as cases',
    ])
    const [result] = await importFiles(files, { aggregates: true })
    expect(result?.document?.cases[0]).toMatchObject({ status: 'skip', score: 0.75 })
  })

  it('takes a conversation, and an unknown answer as not correct only if it says so', async () => {
    const messages = [
      { turn_idx: 0, role: 'user', content: 'Hello' },
      { turn_idx: 1, role: 'agent', content: 'Hi' },
    ]
    const { formatted: _, ...input } = row['input'] as Record<string, unknown>
    const [result] = await importRows([{ ...row, input, messages, evaluation: { score: 0.6 } }])
    expect(result?.document?.cases[0]).toMatchObject({
      status: 'pass',
      score: 0.6,
      prompt: {
        messages: [
          { role: 'user', content: 'Hello' },
          { role: 'user', content: 'Hi' },
        ],
      },
    })
  })
})

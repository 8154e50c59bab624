import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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

const FOLDER = join(SAMPLES, 'langsmith')
const runs = readFileSync(join(FOLDER, 'runs.jsonl'), 'utf8').trim().split('\n')
const scratch = mkdtempSync(join(tmpdir(), 'langsmith-'))
afterAll(() => rmSync(scratch, { recursive: true }))

describe('the importer of LangSmith', () => {
  it('joins runs, feedback and examples of a folder, and loses nothing silently', async () => {
    const results = await importFolder(FOLDER)
    expect(countsOf(results)).toEqual(['2 / 2 / 1 / 0'])
    const parts = ['feedback.jsonl', 'examples.jsonl'].map((name) => join(FOLDER, name))
    expect(await lostSilently(join(FOLDER, 'runs.jsonl'), ...parts)).toEqual([])
    expect(results[0]).toMatchObject({ identity: '00000000-0000-4000-8000-0000000000aa' })
    const { run, cases } = results[0]!.document!
    expect(run).toMatchObject({ git: { commit: 'abc1234' }, started_at: '2026-03-02T09:00:01Z' })
    expect(cases[1]).toMatchObject({
      ...{ cell: { test_id: '00000000-0000-4000-8000-000000000201', provider_id: 'table-small', repeat: 1 } },
      ...{ vars: { city: 'Paris', expected: { country: 'France' } }, output: 'Paris is in France.', tags: ['geo'] },
      ...{ latency_ms: 800, cost_usd: 0.0002, usage: { input_tokens: 20, output_tokens: 8 } },
      asserts: [
        { kind: 'llm-rubric', status: 'pass', criteria: { name: 'correct' } },
        { kind: 'exec', score: 0.5, reason: '0.5', details: { value: 'short' } },
      ],
    })
    expect(cases[4]).toMatchObject({ status: 'error', error: "RuntimeError('503 from upstream')" })
  })

  it('numbers trials by their start, and not by their place in the file', async () => {
    const [first] = await importBytes('runs.jsonl', runs.join('\n'))
    const [second] = await importBytes('runs.jsonl', runs.toReversed().join('\n'))
    expect(second!.document!.cases.map(({ cell, output }) => [cell.test_id, cell.repeat, output]).toSorted()).toEqual(
      first!.document!.cases.map(({ cell, output }) => [cell.test_id, cell.repeat, output]).toSorted(),
    )
  })

  it('takes averages where feedback is missing, and passes over steps and other traces', async () => {
    const run = { ...JSON.parse(runs[0]!), feedback_stats: { correct: { n: 2, avg: 0.25 } } } as Record<string, unknown>
    const step = { ...run, id: 's', parent_run_id: run['id'] }
    const trace = { ...run, id: 't', reference_example_id: null }
    const cached = { ...run, id: 'c', session_id: 'b', prompt_token_details: { cache_read: 5 } }
    const results = await importBytes('runs.json', JSON.stringify([run, step, trace, cached]))
    expect(countsOf(results)).toEqual(['0 / 1 / 0 / 0', '0 / 1 / 0 / 0'])
    expect(results[0]!.document!.cases[0]!.asserts).toMatchObject([
      { score: 0.25, details: { n: 2, is_average: true } },
    ])
    expect(results[1]!.document!.cases[0]!.usage).toMatchObject({ input_tokens: 15, cache_read_tokens: 5 })
    expect('run' in results[0]! && results[0].run.losses.map(({ note }) => note)).toEqual(
      expect.arrayContaining(['a step of a run', 'a run of no example']),
    )
  })

  it('records feedback on steps next to feedback that names no experiment, and of runs of no experiment', async () => {
    const lines = readFileSync(join(FOLDER, 'feedback.jsonl'), 'utf8').trim().split('\n')
    const [first = {}, ...feedback] = lines.map((line) => JSON.parse(line) as object)
    const results = await importFiles({
      'runs.jsonl': [...runs, JSON.stringify({ ...JSON.parse(runs[0]!), session_id: null })].join('\n'),
      'feedback.json': JSON.stringify([{ ...first, session_id: null }, ...feedback, { ...first, run_id: 'a step' }]),
    })
    expect(lossesOf(results).map(({ note }) => note)).toEqual(
      expect.arrayContaining(['1 on steps of runs, or on runs of no example', 'a run of no experiment']),
    )
    expect(countsOf(results)).toEqual(['2 / 2 / 1 / 0'])
  })

  it('reads pages of the API', async () => {
    const page = JSON.stringify({ runs: runs.map((line) => JSON.parse(line) as object), cursors: { next: 'x' } })
    const [result] = await importBytes('runs.json', page)
    expect(result!.document!.cases).toHaveLength(5)
    const notes = 'run' in result! ? result.run.losses.map(({ note }) => note) : []
    expect(notes).not.toContain('torn')
    expect(notes).toContain('the last page says that more follow')
  })

  it('says that a last line is torn, and refuses feedback alone', async () => {
    const [cut] = await importBytes('runs.jsonl', runs.join('\n').slice(0, -20))
    expect('run' in cut! && cut.run.losses).toContainEqual(
      expect.objectContaining({ kind: 'cut', note: 'cut off after 4 lines' }),
    )
    cpSync(join(FOLDER, 'feedback.jsonl'), join(scratch, 'feedback.jsonl'))
    expect(countsOf(await importFolder(scratch))[0]).toMatch(/^refused: langsmith: feedback of runs/)
    writeFileSync(join(scratch, 'runs.jsonl'), runs.slice(0, 2).join('\n'))
    expect(countsOf(await importFile(join(scratch, 'runs.jsonl')))).toEqual(['2 / 0 / 0 / 0'])
  })
})

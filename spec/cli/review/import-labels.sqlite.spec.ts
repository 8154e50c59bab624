import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { judgedRun } from '../../support/documents/queues.ts'
import { postRubric, RUBRIC_FIELDS } from '../../support/documents/rubrics.ts'
import { openApp, TOKENS } from '../../support/servers/app.ts'
import { runErs } from '../../support/servers/run-ers.ts'

const spec = await openApp()
const url = await spec.app.listen({ host: '127.0.0.1', port: 0 })
const folder = mkdtempSync(join(tmpdir(), 'ers-labels-'))
afterAll(async () => {
  await spec.close()
  rmSync(folder, { recursive: true })
})
expect((await spec.ingest(judgedRun('judged', 6, 4))).statusCode).toBe(201)
const rubric = await postRubric(spec.sendAs('write'), { project: 'chat', suite: 'review', ...RUBRIC_FIELDS })
const ers = (...args: readonly string[]) =>
  runErs(
    [
      'labels',
      'import',
      ...args,
      '--rubric',
      rubric,
      '--run',
      'judged',
      '--metric',
      'llm-rubric',
      '--match',
      'test_id',
    ],
    { cwd: folder, env: { SERVICE_SERVER_URL: url, SERVICE_TOKEN: TOKENS.write } },
  )
const file = (name: string, rows: string): string => {
  writeFileSync(join(folder, name), `case,reviewer,answer,comment\n${rows}`)
  return name
}

it('imports a file, says what is left out, and nothing of the same file again', async () => {
  const labels = file('labels.csv', 'test-0,ann,yes,\ntest-0,ben,sure,fine\ntest-1,ann,no,\ntest-9,ann,no,\n')
  const args = [labels, '--from', 'csv', '--pass', 'yes', '--pass', 'sure', '--random-sample'] as const
  const { code, stdout, stderr } = await ers(...args)
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout.split('\n')).toEqual([
    expect.stringMatching(/^queue [0-9A-Z]{26} with 3 labels of 2 cases$/),
    'left out: 1 of no case of the run (row 5: test_id test-9)',
    'left out: 1 comments, because the rubric has no question for one (row 3)',
    '',
  ])
  const again = await ers(...args)
  expect([again.code, again.stdout.split('\n')[0]]).toEqual([
    0,
    'nothing new: 3 labels of the file were imported before',
  ])
  expect(JSON.parse((await ers(...args, '--json')).stdout)).toMatchObject({ queue: null, labels: 0, repeated: 3 })
})

it('ends with 2 and the place in the file for what cannot be imported', async () => {
  const bad = await ers(file('bad.csv', 'test-0,ann,perhaps,\n'), '--from', 'csv')
  expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining('row 2: "perhaps" is neither pass nor fail')])
  const absent = await ers('absent.csv', '--from', 'csv')
  expect([absent.code, absent.stderr]).toEqual([2, expect.stringContaining('absent.csv cannot be read')])
  const unnamed = await ers('bad.csv', '--from', 'langfuse')
  expect([unnamed.code, unnamed.stderr]).toEqual([
    2,
    expect.stringContaining('question: name the question of the tool'),
  ])
})

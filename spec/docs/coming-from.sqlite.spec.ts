import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { afterAll, expect, it } from 'vitest'
import { bareEnvironment } from '../support/bare-environment.ts'
import { SAMPLES } from '../support/interchange/import-files.ts'
import { PROGRAM } from '../support/servers/program.ts'
import { startServer } from '../support/servers/server.ts'
import { blocksOf, matches, stepsOf } from './read-page.ts'

const PAGES = fileURLToPath(new URL('../../docs/coming-from/', import.meta.url))
const CAPITALS = '2026-11-22T05-08-39-00-00_capitals_exatjY97WfVN4TUXF2ajWf.eval'

/** The files that each page speaks of, put into a folder. */
const FILES: Readonly<Record<string, (folder: string) => void>> = {
  promptfoo: (folder) => copyFileSync(join(SAMPLES, 'promptfoo/v3-capitals.json'), join(folder, 'capitals.json')),
  inspect: (folder) => {
    mkdirSync(join(folder, 'logs'))
    for (const name of [CAPITALS, 'theory-of-mind.eval'])
      copyFileSync(join(SAMPLES, 'inspect', name), join(folder, 'logs', name))
  },
  langfuse: (folder) => cpSync(join(SAMPLES, 'langfuse'), folder, { recursive: true }),
  mlflow: (folder) => {
    copyFileSync(join(SAMPLES, 'mlflow/traces.json'), join(folder, 'traces.json'))
    writeFileSync(join(folder, 'mlflow.db'), gunzipSync(readFileSync(join(SAMPLES, 'mlflow/mlflow-3.17.db.gz'))))
  },
  'lm-eval': (folder) => cpSync(join(SAMPLES, 'lm-eval'), join(folder, 'out'), { recursive: true }),
}

/** The runs that are stored after the commands of a page: their project, suite and cases by status. */
const STORED: Readonly<Record<string, readonly string[]>> = {
  promptfoo: ['promptfoo/Capitals, two prompts by two providers: 24 pass, 16 fail, 8 error of 48'],
  inspect: [
    'inspect/capitals: 9 pass, 0 fail, 3 error of 12',
    'inspect/theory_of_mind: 83 pass, 17 fail, 0 error of 100',
    'style/capitals: 6 pass, 3 fail, 3 error of 12',
  ],
  langfuse: ['langfuse/ds-1: 0 pass, 2 fail, 1 error of 3'],
  mlflow: ['mlflow/experiment 1: 1 pass, 0 fail, 2 error of 3'],
  'lm-eval': [
    'lm-eval/math_perturbed_full: 0 pass, 10 fail, 0 error of 10',
    'lm-eval/math_rephrased_full: 0 pass, 0 fail, 0 error of 1',
  ],
}

/** The runs of the service, by their ids. */
const storedRuns = async (): Promise<ReadonlyMap<string, string>> => {
  const headers = { authorization: `Bearer ${server.token}` }
  const answer = await fetch(`${server.url}/api/v1/runs?limit=200&cached=all`, { headers })
  const { runs } = (await answer.json()) as { runs: readonly StoredRun[] }
  return new Map(
    runs.map(({ id, project, suite, case_count, pass_count, fail_count, error_count }) => [
      id,
      `${project}/${suite}: ${pass_count} pass, ${fail_count} fail, ${error_count} error of ${case_count}`,
    ]),
  )
}

type StoredRun = Readonly<
  Record<'id' | 'project' | 'suite', string> &
    Record<'case_count' | 'pass_count' | 'fail_count' | 'error_count', number>
>

const folder = mkdtempSync(join(tmpdir(), 'ers-coming-from-'))
const server = await startServer()
mkdirSync(join(folder, 'bin'))
const ers = join(folder, 'bin', 'ers')
writeFileSync(ers, `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`)
chmodSync(ers, 0o755)
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

// One after the other: each page has a project of its own, but all export from one service.
it.each(Object.keys(FILES))('coming from another tool works as the page says: %s', async (name) => {
  const before = await storedRuns()
  const place = join(folder, name)
  mkdirSync(place)
  FILES[name]?.(place)
  const blocks = blocksOf(readFileSync(join(PAGES, `${name}.md`), 'utf8')).filter(({ language }) => language === 'sh')
  const steps = blocks.flatMap(stepsOf)
  expect(steps.length).toBeGreaterThan(1)
  for (const { command, expected, line } of steps) {
    const { stdout, stderr } = spawnSync('sh', ['-c', command], {
      cwd: place,
      encoding: 'utf8',
      env: {
        ...bareEnvironment(),
        PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`,
        SERVICE_SERVER_URL: server.url,
        SERVICE_TOKEN: server.token,
      },
    })
    expect(stderr, `${name}.md:${line}`).toBe('')
    if (!matches(expected, stdout)) expect(stdout, `${name}.md:${line}`).toBe(expected)
  }
  const added = [...(await storedRuns())].flatMap(([id, run]) => (before.has(id) ? [] : [run]))
  expect(added.sort()).toEqual(STORED[name])
})

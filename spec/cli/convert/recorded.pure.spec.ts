import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { afterAll, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { convertPromptfoo } from '../../../engine/convert/promptfoo/convert.ts'
import type { JsonObject } from '../../../engine/json.ts'
import { bareEnvironment } from '../../support/bare-environment.ts'
import { PROGRAM } from '../../support/servers/program.ts'

const DATA = fileURLToPath(new URL('../../data/promptfoo/', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'ers-recorded-'))
afterAll(() => rmSync(folder, { recursive: true }))

type Recorded = {
  readonly config_snapshot: { readonly config: JsonObject | null }
  readonly cases: ReadonlyArray<{
    readonly vars: JsonObject
    readonly output?: string
    readonly prompt?: { readonly text?: string }
    readonly asserts: ReadonlyArray<{ readonly kind: string; readonly status: string; readonly criteria?: JsonObject }>
  }>
}

const DOCUMENTS = globSync('*/*.json.gz', { cwd: DATA })
  .toSorted()
  .map((file) => [file, JSON.parse(gunzipSync(readFileSync(join(DATA, file))).toString()) as Recorded] as const)
  // A prompt in a file that is not recorded cannot be asked again.
  .filter(
    ([
      ,
      {
        config_snapshot: { config },
      },
    ]) => config !== null && !JSON.stringify(config['prompts']).includes('.txt'),
  )

/** Answers with the output that was recorded for the same rendered prompt. */
const REPLAY = `import { readFileSync } from 'node:fs'
let text = ''
for await (const chunk of process.stdin) text += chunk
const { prompt } = JSON.parse(text)
const output = JSON.parse(readFileSync('answers.json', 'utf8'))[prompt.text] ?? null
process.stdout.write(JSON.stringify({ output }))`

it('has recorded configurations to convert', () => expect(DOCUMENTS.length).toBeGreaterThanOrEqual(2))

it.each(DOCUMENTS)(
  'the configuration of %s is asked the same prompts, and judges recorded answers alike',
  (_file, run) => {
    const directory = mkdtempSync(join(folder, 'run-'))
    // A run document keeps the configuration without its tests; each case has their vars and assertions.
    const tests = new Map(
      run.cases.map(({ vars, asserts }) => [
        JSON.stringify(vars),
        { vars, assert: asserts.map(({ kind, criteria }) => ({ type: kind, ...criteria })) },
      ]),
    )
    const { suite } = convertPromptfoo({ ...run.config_snapshot.config, tests: [...tests.values()] })
    const converted = suite['tests'] as ReadonlyArray<{ readonly assert?: readonly JsonObject[] }>
    const offline = {
      ...suite,
      providers: [{ id: 'p0', type: 'exec', command: ['node', 'replay.mjs'] }],
      // No judge is asked here, and how long a program takes is chance.
      tests: converted.map((test) => ({
        ...test,
        assert: test.assert?.filter(({ type }) => type !== 'llm-rubric' && type !== 'latency') ?? [],
      })),
    }
    const textOf = (recorded: Recorded['cases'][number]): string =>
      recorded.prompt?.text?.replaceAll('&#39;', "'") ?? ''
    // The first recorded answer to each prompt: several providers may have answered.
    const answers = new Map<string, string>()
    const recordedFor = new Map<string, string | undefined>()
    for (const recorded of run.cases) {
      if (answers.has(textOf(recorded))) continue
      answers.set(textOf(recorded), recorded.output ?? '')
      recordedFor.set(textOf(recorded), recorded.asserts.find(({ kind }) => kind === 'contains')?.status)
    }
    writeFileSync(join(directory, 'service.yaml'), stringify(offline))
    writeFileSync(join(directory, 'replay.mjs'), REPLAY)
    writeFileSync(join(directory, 'answers.json'), JSON.stringify(Object.fromEntries(answers)))

    const result = spawnSync(process.execPath, [PROGRAM, 'run', '--format', 'json'], {
      cwd: directory,
      env: bareEnvironment(),
      encoding: 'utf8',
    })
    const { cases } = JSON.parse(result.stdout) as { cases: Recorded['cases'] }
    expect(new Set(cases.map((asked) => asked.prompt?.text))).toEqual(new Set(answers.keys()))
    for (const asked of cases) {
      const text = asked.prompt?.text ?? ''
      expect(asked.output).toBe(answers.get(text))
      expect(asked.asserts.find(({ kind }) => kind === 'contains')?.status).toBe(recordedFor.get(text))
    }
  },
)

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { bareEnvironment } from '../bare-environment.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

export type ActionStep = {
  readonly id: string
  readonly if?: string
  readonly shell?: string
  readonly run?: string
  readonly uses?: string
  readonly env?: Readonly<Record<string, string>>
  readonly with?: Readonly<Record<string, string>>
}

export type Action = {
  readonly inputs: Readonly<Record<string, { readonly description?: string; readonly default?: string }>>
  readonly outputs: Readonly<Record<string, { readonly description?: string; readonly value: string }>>
  readonly runs: { readonly using: string; readonly steps: readonly ActionStep[] }
}

export const readAction = (): Action => parse(readFileSync(join(ROOT, 'action.yml'), 'utf8')) as Action

type Place = {
  /** The folder of the job; the files of the runner are in a folder of it. */
  readonly folder: string
  readonly inputs: Readonly<Record<string, string>>
  /** Variables of the job. */
  readonly env?: Readonly<Record<string, string>>
  /** The event, as GitHub describes it. */
  readonly event?: unknown
  readonly actionPath?: string
  /** Runs this step alone, after steps with these outputs, each named `step.output`. */
  readonly only?: { readonly step: string; readonly after: Readonly<Record<string, string>> }
  readonly repository?: string
}

type RanStep = {
  readonly code: number | null
  readonly log: string
  readonly outputs: Readonly<Record<string, string>>
}

export type RanAction = {
  readonly steps: Readonly<Record<string, RanStep>>
  readonly outputs: Readonly<Record<string, string>>
  readonly isSuccess: boolean
  /** The summary of the job. */
  readonly summary: string
  readonly log: string
}

/** Replaces the expressions of a value. Only the forms that the action uses are known. */
const evaluated = (value: string, known: Readonly<Record<string, string>>): string =>
  value.replace(/\$\{\{\s*([\w.-]+)\s*\}\}/g, (_, name: string) => {
    const found = known[name]
    if (found === undefined) throw new Error(`the expression ${name} is not known`)
    return found
  })

/**
 * Runs the steps of the action as the runner of GitHub does: each `run` with `bash -eo pipefail`, its inputs as expressions in
 * `env`, its outputs from a file. `uses` steps are passed over. After a failure only steps with a condition run.
 */
export const runAction = async ({
  folder,
  inputs,
  env = {},
  event,
  actionPath = ROOT,
  only,
  repository = '',
}: Place): Promise<RanAction> => {
  const action = readAction()
  const runner = join(folder, '.runner')
  rmSync(runner, { recursive: true, force: true })
  mkdirSync(join(runner, 'temp'), { recursive: true })
  const file = (name: string, content = ''): string => {
    writeFileSync(join(runner, name), content)
    return join(runner, name)
  }
  const summary = file('summary.md')
  const known: Record<string, string> = { 'github.action_repository': repository, 'github.token': 'job-token' }
  for (const [name, { default: value = '' }] of Object.entries(action.inputs))
    known[`inputs.${name}`] = inputs[name] ?? evaluated(value, known)
  for (const { value } of Object.values(action.outputs))
    for (const [, name = ''] of value.matchAll(/\{\{\s*([\w.-]+)/g)) known[name] = ''
  for (const [name, value] of Object.entries(only?.after ?? {})) {
    const [step = '', output = ''] = name.split('.')
    known[`steps.${step}.outputs.${output}`] = value
  }
  const job = {
    ...bareEnvironment(),
    PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    HOME: folder,
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTION_PATH: actionPath,
    GITHUB_REPOSITORY: 'shop/app',
    GITHUB_EVENT_PATH: file('event.json', JSON.stringify(event ?? {})),
    GITHUB_STEP_SUMMARY: summary,
    RUNNER_TEMP: join(runner, 'temp'),
    ...env,
  }
  const steps: Record<string, RanStep> = {}
  let isSuccess = true
  for (const step of action.runs.steps) {
    if (step.run === undefined || (!isSuccess && step.if === undefined)) continue
    if (only !== undefined && step.id !== only.step) continue
    const output = file(`output-${step.id}.txt`)
    const own = Object.fromEntries(
      Object.entries(step.env ?? {}).map(([name, value]) => [name, evaluated(value, known)]),
    )
    const ran = await runBash(step.run, folder, { ...job, ...own, GITHUB_OUTPUT: output })
    const outputs = outputsIn(readFileSync(output, 'utf8'))
    for (const [name, value] of Object.entries(outputs)) known[`steps.${step.id}.outputs.${name}`] = value
    steps[step.id] = { ...ran, outputs }
    if (ran.code !== 0) isSuccess = false
  }
  return {
    steps,
    outputs: Object.fromEntries(
      Object.entries(action.outputs).map(([name, { value }]) => [name, evaluated(value, known)]),
    ),
    isSuccess,
    summary: readFileSync(summary, 'utf8'),
    log: Object.values(steps)
      .map(({ log }) => log)
      .join(''),
  }
}

/** Runs a script as a step does. */
const runBash = async (script: string, cwd: string, env: Record<string, string>) => {
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', `exec 2>&1\n${script}`], { cwd, env })
  child.stdin.end()
  const [log] = await Promise.all([text(child.stdout), once(child, 'close')])
  return { code: child.exitCode, log }
}

const outputsIn = (content: string): Record<string, string> =>
  Object.fromEntries(
    content
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )

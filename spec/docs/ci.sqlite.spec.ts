import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readAction, runAction } from '../support/ci/composite-action.ts'
import { startGithub } from '../support/ci/stand-in-github.ts'
import { bareEnvironment } from '../support/bare-environment.ts'
import { PROGRAM } from '../support/servers/program.ts'
import { startServer } from '../support/servers/server.ts'
import { blocksOf, matches, stepsOf } from './read-page.ts'

const BLOCKS = blocksOf(readFileSync(new URL('../../docs/ci.md', import.meta.url), 'utf8'))
const fileOf = (name: string): string => {
  const found = BLOCKS.find(({ file }) => file === name)
  if (!found) throw new Error(`the page has no file ${name}`)
  return found.text
}

const folder = mkdtempSync(join(tmpdir(), 'ers-ci-'))
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

/** A folder with the suite and the results of the page. Each has a suite of its own on the service. */
const checkout = (name: string): string => {
  const directory = join(folder, name)
  for (const { file, text: content } of BLOCKS) {
    if (file === null) continue
    mkdirSync(dirname(join(directory, file)), { recursive: true })
    const own = name === 'page' ? content : content.replace('suite: refunds', `suite: ${name}`)
    // A comment is no part of JSON.
    writeFileSync(join(directory, file), file.endsWith('.json') ? own.replace(/^\/\/.*\n/, '') : own)
  }
  return directory
}

/** Runs a script as a CI system does: it ends at the first command that fails, unless `options` are others. */
const run = async (script: string, directory: string, options = '-e') => {
  const env = {
    ...bareEnvironment(),
    PATH: [join(folder, 'bin'), dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
    HOME: directory,
    SERVICE_SERVER_URL: server.url,
    SERVICE_TOKEN: server.token,
  }
  const child = spawn('bash', [options, '-c', `exec 2>&1\n${script}`], { cwd: directory, env })
  child.stdin.end()
  const [printed] = await Promise.all([text(child.stdout), once(child, 'close')])
  return { printed, code: child.exitCode }
}
const server = await startServer()
// `ers` is the program as it was built for the specs, and `npm ci` installs it only.
mkdirSync(join(folder, 'bin'))
const write = (name: string, script: string): void => {
  writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`)
  chmodSync(join(folder, 'bin', name), 0o755)
}
write('ers', `exec "${process.execPath}" "${PROGRAM}" "$@"`)
write(
  'npm',
  `[ "$*" = ci ] || exit 99\nmkdir -p node_modules/.bin && ln -sf "${join(folder, 'bin', 'ers')}" node_modules/.bin/ers`,
)

describe('docs/ci.md', () => {
  it('prints what it shows: all commands, in order', async () => {
    const directory = checkout('page')
    for (const { command, expected, line } of BLOCKS.filter(({ language }) => language === 'sh').flatMap(stepsOf)) {
      const { printed, code } = await run(command, directory, '+e')
      expect({ line, code, printed: matches(expected, printed) ? expected : printed }).toEqual({
        line,
        code: 0,
        printed: expected,
      })
    }
  })

  type Gitlab = { readonly evals: { readonly script: readonly string[]; readonly after_script: readonly string[] } }
  type Buildkite = { readonly steps: ReadonlyArray<{ readonly commands: readonly string[] }> }
  type Circle = {
    readonly jobs: {
      readonly evals: { readonly steps: ReadonlyArray<string | { run?: string | { command: string } }> }
    }
  }
  const commandsOf = {
    gitlab: () => {
      const { script, after_script } = (parse(fileOf('.gitlab-ci.yml')) as Gitlab).evals
      return [...script, ...after_script]
    },
    jenkins: () => [...fileOf('Jenkinsfile').matchAll(/\bsh '([^']+)'/g)].map(([, command = '']) => command),
    buildkite: () => (parse(fileOf('.buildkite/pipeline.yml')) as Buildkite).steps.flatMap(({ commands }) => commands),
    circleci: () =>
      (parse(fileOf('.circleci/config.yml')) as Circle).jobs.evals.steps.flatMap((step) => {
        const given = typeof step === 'string' ? undefined : step.run
        return given === undefined ? [] : [typeof given === 'string' ? given : given.command]
      }),
  }

  it.each(Object.entries(commandsOf))(
    '%s: runs, judges, and leaves results and the table of the gate',
    async (name, commands) => {
      const directory = checkout(name)
      const list = commands()
      expect(list.filter((command) => command.startsWith('node_modules/.bin/ers ')).length).toBeGreaterThanOrEqual(2)
      for (const command of list) expect(await run(command, directory)).toMatchObject({ code: 0 })
      const reports = name === 'circleci' ? join(directory, 'reports') : directory
      expect(readFileSync(join(reports, 'results.xml'), 'utf8')).toContain('tests="2" failures="1"')
      expect(readFileSync(join(reports, 'gate.md'), 'utf8')).toContain('| `errors:0` | `0 errors (at most 0)` | PASS |')
      expect(existsSync(join(directory, 'summary.md'))).toBe(name === 'gitlab')
      // A suite that is wrong still fails the job.
      writeFileSync(join(directory, 'evals/service.yaml'), 'version: 9\n')
      expect((await run(list.find((command) => command.includes('ers run')) ?? '', directory)).code).toBe(1)
    },
  )

  it('github: both jobs run the action with inputs that it has', async () => {
    type Workflow = {
      readonly jobs: Readonly<
        Record<string, { steps: ReadonlyArray<{ uses: string; with?: Readonly<Record<string, string>> }> }>
      >
    }
    const { jobs } = parse(fileOf('.github/workflows/evals.yml')) as Workflow
    const known: Readonly<Record<string, string>> = {
      'vars.SERVICE_SERVER_URL': server.url,
      'secrets.SERVICE_TOKEN': server.token,
    }
    const github = await startGithub()
    const directory = checkout('github')
    for (const [job, { steps }] of Object.entries(jobs)) {
      const given = steps.find(({ uses }) => uses.startsWith('your-org/'))?.with ?? {}
      expect(Object.keys(readAction().inputs)).toEqual(expect.arrayContaining(Object.keys(given)))
      const inputs = Object.fromEntries(
        Object.entries(given).map(([name, value]) => [
          name,
          value.replace(/\$\{\{ ([\w.]+) \}\}/g, (_, expression: string) => known[expression] ?? ''),
        ]),
      )
      const { isSuccess, outputs, log } = await runAction({
        folder: directory,
        inputs: { ...inputs, 'binary-path': PROGRAM },
        event: { pull_request: { number: 7 } },
        env: { GITHUB_API_URL: github.url },
      })
      expect([job, isSuccess, isSuccess ? '' : log]).toEqual([job, true, ''])
      expect(outputs['gate']).toBe('not_judged')
    }
    expect(github.comments.map(({ body }) => body.split('\n')[0])).toEqual([
      '<!-- ers:service-results -->',
      '<!-- ers:nightly-results -->',
    ])
    await github.close()
  })
})

import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { Argument, Command } from 'commander'
import { formatIssue } from '../../engine/suite/issues.ts'
import { loadSuite } from '../../engine/suite/load-suite.ts'
import type { LoadedSuite, ProviderSpec } from '../../engine/suite/suite.ts'
import { withUsageExit } from '../../maintenance/user-error.ts'
import { exitWithEngine } from '../terminal/engine-exit.ts'
import { writeStdout } from '../terminal/stdout.ts'
import { untilStopped } from '../terminal/stop-signals.ts'

const SUBJECTS = ['tests', 'providers', 'prompts'] as const
type Subject = (typeof SUBJECTS)[number]
type Options = { readonly json?: boolean; readonly generators?: boolean }

/** An entry of a list: its id, and its line in the list for people. */
type Entry = { readonly id: string; readonly line: string }

export const listCommand = (): Command =>
  withUsageExit(new Command('list'))
    .addArgument(new Argument('<subject>', 'what to list').choices(SUBJECTS))
    .argument('[path]', 'the suite file, or a folder with service.yaml', '.')
    .option('--json', 'as a JSON array of ids')
    .option('--generators', 'tests: run generators too, and list what they generate')
    .addHelpText('after', '\nExit code 0: listed; 2: the suite is not valid; 3: a generator did not run.')
    .action((subject: Subject, path: string, options: Options) =>
      exitWithEngine(() => untilStopped(async ({ signal }) => list(subject, path, options, signal))),
    )

const list = async (subject: Subject, path: string, options: Options, signal: AbortSignal): Promise<number> => {
  const loaded = await loadSuite(path, { env: process.env })
  if (options.json !== true) for (const warning of loaded.warnings) console.error(formatIssue(warning))
  const entries = await listSubject(subject, loaded, options, signal)
  await writeStdout(
    options.json === true
      ? `${JSON.stringify(entries.map(({ id }) => id))}\n`
      : entries.map(({ line }) => `${line}\n`).join(''),
  )
  return 0
}

const listSubject = async (
  subject: Subject,
  loaded: LoadedSuite,
  options: Options,
  signal: AbortSignal,
): Promise<readonly Entry[]> => {
  if (subject === 'providers')
    return loaded.suite.providers.map((provider) => ({ id: provider.id, line: providerLine(provider) }))
  if (subject === 'prompts') return loaded.suite.prompts.map(({ id }) => ({ id, line: id }))
  return listTests(loaded, options, signal)
}

const providerLine = ({ id, fallback, fallback_only }: ProviderSpec): string =>
  `${id}${fallback_only ? ' (fallback_only)' : ''}${fallback.length === 0 ? '' : ` -> fallback: [${fallback.join(', ')}]`}`

const listTests = async (
  loaded: LoadedSuite,
  { json = false, generators = false }: Options,
  signal: AbortSignal,
): Promise<readonly Entry[]> => {
  const [{ expandTests }, { createTemplates }, { createPrograms }] = await Promise.all([
    import('../../engine/data/expand-tests.ts'),
    import('../../engine/templates/templates.ts'),
    import('../../engine/processes/run-program.ts'),
  ])
  const { tests, warnings, skippedGenerators } = await expandTests(loaded, {
    templates: createTemplates({ now: Date.now, env: process.env }),
    programs: createPrograms({
      spawn,
      monotonic: () => performance.now(),
      sleep: (ms, stop) => sleep(ms, undefined, stop === undefined ? {} : { signal: stop }),
    }),
    env: process.env,
    generators,
    signal,
  })
  if (!json) {
    for (const warning of warnings) console.error(formatIssue(warning))
    if (skippedGenerators.length > 0)
      console.error(`not listed, use --generators to run them: ${skippedGenerators.join('; ')}`)
  }
  return tests.map(({ id }) => ({ id, line: id }))
}

import { Command } from 'commander'
import * as z from 'zod'
import { printable } from '../../domain/text/printable.ts'
import { dropBody } from '../../engine/http/read-body.ts'
import { HarnessError, UsageError } from '../../engine/json.ts'
import type { SuiteName } from '../../engine/store/baseline.ts'
import { withUsageExit } from '../../maintenance/user-error.ts'
import { pinnedRun, send, unexpected } from '../client/baseline-server.ts'
import { requiredServer, type EngineServer, type ServerUrlOptions } from '../client/engine-server.ts'
import { errorText, isAbsent, readAnswer } from '../client/answer.ts'
import type { GlobalOptions } from '../suite/global-options.ts'
import { writeStdout } from '../terminal/stdout.ts'
import { note, runCommand, runsCommandNamed, withServerOptions } from './command.ts'
import { resolveRunId } from './run-id.ts'
import { suiteNameOf } from './suite-name.ts'

export const baselineCommand = (): Command => {
  const baseline = withUsageExit(new Command('baseline')).addHelpText(
    'after',
    '\nThe suite needs a project and a name. SERVICE_TOKEN is the bearer token. Exit code 0: done; 2: the suite, the run or the service is not known; 3: the service failed.',
  )
  for (const command of [showCommand(), setCommand(), clearCommand()]) {
    baseline.addCommand(withServerOptions(command))
  }
  return baseline
}

type ShowOptions = GlobalOptions & ServerUrlOptions

const showCommand = (): Command =>
  runsCommandNamed('show')
    .description('print the id of the run that a suite is compared with')
    .argument('[path]', 'the suite: its file or its folder', '.')
    .action((path: string, options: ShowOptions) =>
      runCommand(options, async ({ signal }) => {
        const server = requiredServer(options, process.env, signal)
        const suite = await suiteNameOf(path, 'a baseline')
        const id = await pinnedRun(server, suite)
        if (id === null) note(`no run is pinned for ${nameText(suite)}`)
        else await writeStdout(`${printable(id)}\n`)
        return 0
      }),
    )

type SetOptions = ShowOptions & { readonly branch?: string; readonly path: string }

const setCommand = (): Command =>
  runsCommandNamed('set')
    .description('compare a suite with a run, or with the newest results of a branch where the service can do that')
    .argument(
      '[run]',
      'latest, a file, a folder with result.json, the id of a stored run, or the id of a run of the service',
    )
    .option('--branch <name>', 'the newest results of this branch, instead of a run')
    .option('--path <path>', 'the suite: its file or its folder', '.')
    .action((reference: string | undefined, options: SetOptions) =>
      runCommand(options, async ({ signal, store }) => {
        const { branch, path } = options
        if ((reference === undefined) === (branch === undefined))
          throw new UsageError('give a run or --branch, not both')
        const server = requiredServer(options, process.env, signal)
        const suite = await suiteNameOf(path, 'a baseline')
        const pin = reference === undefined ? { branch } : { run_id: await resolveRunId(reference, store) }
        await send(
          server,
          baselinePath(suite),
          { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify(pin) },
          (response) => readPin(server, response, branch !== undefined),
        )
        await writeStdout(
          `${nameText(suite)} is compared with ${printable(branch === undefined ? (pin.run_id ?? '') : `the branch ${branch}`)}\n`,
        )
        return 0
      }),
    )

const Pinned = z.object({ project: z.string(), suite: z.string() })

const readPin = async (server: EngineServer, response: Response, isBranch: boolean): Promise<void> => {
  const { status } = response
  if (status === 200) return void (await readAnswer(response, Pinned))
  if (status === 404) {
    const reason = await errorText(response)
    throw new UsageError(`${server.client.url}: ${reason}; upload the run first, with ers share`)
  }
  // The form of the request is known to be right: such a service does not know branches.
  if (isBranch && (status === 400 || status === 422)) {
    await dropBody(response)
    throw new HarnessError(`${server.client.url} pins runs only, not branches: name a run in place of --branch`)
  }
  throw await unexpected(server, response)
}

const clearCommand = (): Command =>
  runsCommandNamed('clear')
    .description('remove the baseline of a suite')
    .argument('[path]', 'the suite: its file or its folder', '.')
    .action((path: string, options: ShowOptions) =>
      runCommand(options, async ({ signal }) => {
        const server = requiredServer(options, process.env, signal)
        const suite = await suiteNameOf(path, 'a baseline')
        await send(server, baselinePath(suite), { method: 'DELETE' }, async (response) => {
          // Without a pin there is nothing to do.
          if (response.status !== 204 && !(await isAbsent(response))) throw await unexpected(server, response)
        })
        await writeStdout(`${nameText(suite)} has no baseline\n`)
        return 0
      }),
    )

const baselinePath = ({ project, suite }: SuiteName): string =>
  `/projects/${encodeURIComponent(project)}/suites/${encodeURIComponent(suite)}/baseline`

const nameText = ({ project, suite }: SuiteName): string => printable(`${project}/${suite}`)

import type { Command } from 'commander'
import { HarnessError } from '../../engine/json.ts'
import { resolveRun } from '../../engine/store/resolve-run.ts'
import { requiredServer, serverUrlOptions } from '../client/engine-server.ts'
import type { ServerUrlOptions } from '../client/engine-server.ts'
import { ShareFailed, uploadRun } from '../client/upload-run.ts'
import { EXIT_HARNESS } from '../terminal/engine-exit.ts'
import { writeStdout } from '../terminal/stdout.ts'
import { localStore, note, runCommand, runsCommandNamed } from './command.ts'

type ShareOptions = ServerUrlOptions & { readonly strict?: boolean }

export const shareCommand = (): Command => {
  const command = runsCommandNamed('share')
    .argument('[run]', 'latest, a file, a folder with result.json, or the id of a stored run', 'latest')
    .option('--strict', 'end with exit code 3 if the upload fails')
  for (const option of serverUrlOptions()) command.addOption(option)
  return command
    .addHelpText(
      'after',
      '\nSERVICE_TOKEN is the bearer token. Exit code 0: uploaded, or failed with a warning; 2: the run is not known, or no service is named; 3: failed, with --strict.',
    )
    .action((reference: string, options: ShareOptions) =>
      runCommand(async (signal) => {
        const store = localStore()
        const { run, isStored } = await resolveRun(reference, store)
        const server = requiredServer(options, process.env, signal)
        try {
          const url = await uploadRun(server, run)
          await writeStdout(`View run: ${url}\n`)
          if (isStored && run.share_url !== url) await store.rewrite({ ...run, share_url: url })
          return 0
        } catch (error) {
          // A run that cannot be written again is uploaded all the same.
          if (error instanceof HarnessError) return warn(error.message, 0)
          if (!(error instanceof ShareFailed)) throw error
          return warn(error.message, options.strict ? EXIT_HARNESS : 0)
        }
      }),
    )
}

const warn = (message: string, code: number): number => {
  note(`${code === 0 ? 'warning' : 'error'}: ${message}`)
  return code
}

import { dirname } from 'node:path'
import type { Command } from 'commander'
import { hiddenNote } from '../../domain/lists/hidden-cases.ts'
import { HarnessError } from '../../engine/json.ts'
import { provenanceMode, readProvenance } from '../../engine/runner/provenance.ts'
import type { RunDocument } from '../../engine/runner/run-document.ts'
import { resolveRun } from '../../engine/store/resolve-run.ts'
import { requiredServer, type ServerUrlOptions } from '../client/engine-server.ts'
import { shareRun } from '../client/share-run.ts'
import { ShareFailed } from '../client/upload-run.ts'
import { gitIn, thisMachine } from '../run/git.ts'
import type { GlobalOptions } from '../suite/global-options.ts'
import type { Log } from '../terminal/log.ts'
import { VERSION } from '../version.ts'
import { writeStdout } from '../terminal/stdout.ts'
import { runCommand, runsCommandNamed, withServerOptions } from './command.ts'

type ShareOptions = GlobalOptions & ServerUrlOptions & { readonly strict?: boolean; readonly plan?: string }

export const shareCommand = (): Command => {
  const command = runsCommandNamed('share')
    .argument('[run]', 'latest, a file, a folder with result.json, or the id of a stored run', 'latest')
    .option('--plan <id>', 'the registered plan that the run follows')
    .option('--strict', 'end with exit code 3 if the upload fails')
  return withServerOptions(command)
    .addHelpText(
      'after',
      '\nSERVICE_TOKEN is the bearer token. Exit code 0: uploaded, or failed with a warning; 2: the run is not known, or no service is named; 3: failed, with --strict.',
    )
    .action((reference: string, options: ShareOptions) =>
      runCommand(options, async ({ signal, log, store }) => {
        const resolved = await resolveRun(reference, store)
        const server = requiredServer(options, process.env, signal)
        if (resolved.isPartial)
          log.warn(`the run was interrupted: only its ${resolved.run.cases.length} finished cells are uploaded`)
        const run = await withProvenance(resolved.run, log)
        try {
          const { url, hiddenCases } = await shareRun(server, run, {
            plan: options.plan,
            folder: dirname(resolved.path),
            warn: log.warn,
          })
          if (hiddenCases > 0) log.warn(hiddenNote(hiddenCases))
          await writeStdout(`View run: ${url}\n`)
          if (resolved.isStored && resolved.run.share_url !== url) await store.rewrite({ ...run, share_url: url })
        } catch (error) {
          // A run that cannot be written again is uploaded all the same.
          if (error instanceof HarnessError) log.warn(error.message)
          else if (!(error instanceof ShareFailed)) throw error
          else if (options.strict !== true) log.warn(error.message)
          else throw new HarnessError(error.message)
        }
        return 0
      }),
    )
}

/** The run with git and the CI system of this place, where the document lacks them. */
const withProvenance = async (run: RunDocument, log: Log): Promise<RunDocument> => {
  const { mode, warning } = provenanceMode(process.env['SERVICE_PROVENANCE'], false)
  if (warning !== undefined) log.warn(warning)
  if (mode === 'off' || (run.git !== undefined && run.ci !== undefined)) return run
  const { git, ci } = await readProvenance({
    env: process.env,
    mode,
    git: gitIn(process.cwd()),
    ...thisMachine(),
    version: VERSION,
    note: undefined,
  })
  return {
    ...run,
    ...(git === undefined ? {} : { git: run.git ?? git }),
    ...(ci === undefined ? {} : { ci: run.ci ?? ci }),
  }
}

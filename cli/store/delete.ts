import { Command } from 'commander'
import * as z from 'zod'
import { Refused } from '../../commands/refused.ts'
import { exitWith, withUsageExit } from '../../maintenance/user-error.ts'
import { CLI } from '../../queries/access/viewer.ts'
import { untilStopped } from '../terminal/stop-signals.ts'
import { onTarget, withAdminTarget, type AdminTarget } from './admin-target.ts'

const EXIT_NO_RUN = 3

export const deleteCommand = (): Command =>
  withAdminTarget(
    withUsageExit(new Command('delete')).argument(
      '<run-id>',
      'id of the run; all characters are possible, . and .. too',
    ),
  )
    .addHelpText(
      'after',
      '\nSERVICE_TOKEN is the bearer token, of admin scope. Exit code 0: deleted; 2: the deletion failed; 3: there is no such run; 130: interrupted.',
    )
    .action((id: string, options: AdminTarget) => exitWith(() => deleteRun(id, options)))

const NoBody = z.undefined()

const deleteRun = (id: string, options: AdminTarget): Promise<number> =>
  untilStopped(async ({ signal }) => {
    const isDeleted = await onTarget(options, signal, {
      method: 'DELETE',
      // In the query string, because a client drops an id of dots from a path.
      path: `/runs?${new URLSearchParams({ run_id: id }).toString()}`,
      parse: (body) => NoBody.parse(body) === undefined,
      absent: false,
      onStore: async ({ commit }) => {
        try {
          await commit.deleteRun(CLI, { run_id: id })
          return true
        } catch (error) {
          if (error instanceof Refused && error.reason === 'not_found') return false
          throw error
        }
      },
    })
    if (isDeleted) console.log(`deleted ${id}`)
    else console.error(`${id}: run not found`)
    return isDeleted ? 0 : EXIT_NO_RUN
  })

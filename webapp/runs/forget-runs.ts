import type { QueryClient } from '@tanstack/vue-query'
import { isRunQuery } from '../composables/use-run.ts'

/** Removes cached lists that still contain deleted runs, so that these do not reappear for a moment. */
export const forgetRunLists = (client: QueryClient): void => client.removeQueries({ queryKey: ['runs'] })

/** Removes what is cached of deleted runs, and requests again what may count them. */
export const forgetRuns = async (client: QueryClient, ids: readonly string[]): Promise<void> => {
  for (const id of ids) for (const kind of ['run', 'case']) client.removeQueries({ queryKey: [kind, id] })
  await Promise.all([
    client.invalidateQueries({ predicate: isRunQuery }),
    ...[['projects'], ['search'], ['case-history'], ['suite-runs']].map((queryKey) =>
      client.invalidateQueries({ queryKey }),
    ),
  ])
}

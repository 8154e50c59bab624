import { inject } from 'vitest'
import { databaseOn } from '../postgres/databases.ts'
import type { DatabaseOptions, FreshDatabase, ServerUrl } from '../postgres/databases.ts'

/**
 * The URL of a database of this run's server for a role, by default the superuser's own. Only for specs in the project
 * `postgres`. It disables TLS: asking for TLS first would cost the server a process for each connection.
 */
export const serverUrl: ServerUrl = (database = 'postgres', role = 'postgres') =>
  `postgresql://${role}@127.0.0.1:${inject('postgres').port}/${database}?sslmode=disable`

/** Creates a separate database for a spec, which closes it. */
export const freshDatabase = (options: DatabaseOptions = {}): Promise<FreshDatabase> => databaseOn(serverUrl, options)

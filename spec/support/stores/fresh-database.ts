import { inject } from 'vitest'
import { databaseOn } from '../postgres/databases.ts'
import type { DatabaseOptions, FreshDatabase, ServerUrl } from '../postgres/databases.ts'

/**
 * Returns the URL of a database on this run's server for a role, by default of the superuser and its database. Only for
 * specs in the project `postgres`. It disables TLS: a request for TLS would cost the server a process per connection.
 */
export const serverUrl: ServerUrl = (database = 'postgres', role = 'postgres') =>
  `postgresql://${role}@127.0.0.1:${inject('postgres').port}/${database}?sslmode=disable`

/** Creates a separate database for a spec, which closes it. */
export const freshDatabase = (options: DatabaseOptions = {}): Promise<FreshDatabase> => databaseOn(serverUrl, options)

import { inject } from 'vitest'
import { databaseOn, type DatabaseOptions, type FreshDatabase, type ServerUrl } from '../postgres/databases.ts'

/**
 * Returns the URL with which a role connects to a database on the server of this test run. By default the role is the
 * superuser `postgres`, and the database is the one with the same name. Only for specs in the project `postgres`. The
 * URL disables TLS: a request for TLS would cost the server a process per connection.
 */
export const serverUrl: ServerUrl = (database = 'postgres', role = 'postgres') =>
  `postgresql://${role}@127.0.0.1:${inject('postgres').port}/${database}?sslmode=disable`

/** Creates a separate database for a spec. The spec must close it. */
export const freshDatabase = (options: DatabaseOptions = {}): Promise<FreshDatabase> => databaseOn(serverUrl, options)

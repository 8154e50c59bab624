import { inject } from 'vitest'
import { databaseOn } from '../postgres/databases.ts'
import type { DatabaseOptions, FreshDatabase, ServerUrl } from '../postgres/databases.ts'

/**
 * The URL of a database of this run's server for a role; the superuser's own unless told. Only for specifications of
 * the project `postgres`. It has no TLS: to ask for it first would cost the server a process for each connection.
 */
export const serverUrl: ServerUrl = (database = 'postgres', role = 'postgres') =>
  `postgresql://${role}@127.0.0.1:${inject('postgres').port}/${database}?sslmode=disable`

/** A database of its own for a specification, which closes it. */
export const freshDatabase = (options: DatabaseOptions = {}): Promise<FreshDatabase> => databaseOn(serverUrl, options)

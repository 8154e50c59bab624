import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { FastifyInstance } from 'fastify'

/** The cache of the reference server: one prepared statement per route, in the main thread. */
export const floorCache = (app: FastifyInstance, dataDir: string): void => {
  const db = new Database(join(dataDir, 'cache.db'))
  db.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE IF NOT EXISTS cache (key text PRIMARY KEY, bytes blob NOT NULL)',
  )
  const put = db.prepare('INSERT INTO cache (key, bytes) VALUES (?, ?) ON CONFLICT DO NOTHING')
  const get = db.prepare('SELECT bytes FROM cache WHERE key = ?').pluck()
  type Path = { readonly key: string }
  app.put('/api/v1/cache/:key', async (request, reply) =>
    reply.code(put.run((request.params as Path).key, request.body).changes === 1 ? 201 : 200).send(),
  )
  app.get('/api/v1/cache/:key', async (request, reply) => {
    const bytes = get.get((request.params as Path).key) as Buffer | undefined
    return bytes ? reply.type('application/octet-stream').send(bytes) : reply.code(404).send({ error: 'not found' })
  })
}

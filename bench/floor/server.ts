import { zstdDecompressSync } from 'node:zlib'
import fastify from 'fastify'
import { floorCache } from './cache.ts'
import { openFloor } from './store.ts'

// The reference server, called floor: the leanest single-threaded program that does the same work as the service, but
// without checks. Each request runs only its SQL and JSON.stringify.

const [dataDir = '.', port = '0'] = process.argv.slice(2)
const { db, ingest } = openFloor(dataDir)

type Json = Record<string, never>

const app = fastify({ bodyLimit: 128 * 1024 * 1024 })
app.removeAllContentTypeParsers()
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

app.post('/api/v1/runs', async (request, reply) => reply.code(ingest(request.body as Buffer)).send({ ok: true }))

const COLUMN_OF: Record<string, string> = { project: 'project', suite: 'suite', branch: 'git_branch', actor: 'actor' }
app.get('/api/v1/runs', async (request) => {
  const query = request.query as Record<string, string>
  const where = Object.keys(query).flatMap((key) => (COLUMN_OF[key] ? [`${COLUMN_OF[key]} = @${key}`] : []))
  const text = `SELECT * FROM runs ${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''} ORDER BY created_at DESC, id DESC LIMIT ${Number(query['limit'] ?? 50) + 1}`
  return { runs: db.prepare(text).all(query) }
})
const detail = db.prepare('SELECT * FROM runs WHERE id = ?')
app.get('/api/v1/runs/:id', async (request) => detail.get((request.params as Json)['id']))
const casesPage = db.prepare(
  'SELECT * FROM cases WHERE run_no = (SELECT run_no FROM runs WHERE id = ?) AND n > ? ORDER BY n LIMIT 51',
)
app.get('/api/v1/runs/:id/cases', async (request) => ({
  cases: casesPage.all((request.params as Json)['id'], Number((request.query as Json)['cursor'] ?? -1)),
}))
const matrixRows = db.prepare(
  'SELECT n, body FROM matrix_rows WHERE run_no = (SELECT run_no FROM runs WHERE id = ?) ORDER BY n LIMIT ?',
)
app.get('/api/v1/runs/:id/matrix', async (request) => ({
  rows: (
    matrixRows.all((request.params as Json)['id'], Number((request.query as Json)['limit'] ?? 100)) as Array<{
      body: string
    }>
  ).map(({ body }) => JSON.parse(body) as unknown),
}))
const frames = db
  .prepare('SELECT bytes FROM document_frames WHERE run_no = (SELECT run_no FROM runs WHERE id = ?) ORDER BY n')
  .pluck()
app.get('/api/v1/runs/:id/export', async (request) =>
  Buffer.concat((frames.all((request.params as Json)['id']) as Buffer[]).map((frame) => zstdDecompressSync(frame))),
)
// The same fields as the service's hits, with the beginning of the output as the snippet.
const search = db.prepare(`
  SELECT runs.id AS run_id, cases.case_key, cases.name, cases.status, runs.project, runs.suite, cases.output_preview AS snippet, cases.cached
  FROM (SELECT rowid AS hit FROM search WHERE search MATCH ? ORDER BY bm25(search) LIMIT 50)
    JOIN cases ON cases.run_no = hit >> 20 AND cases.n = (hit & 1048575) - 1
    JOIN runs ON runs.run_no = cases.run_no`)
const searchRuns = db.prepare(
  'SELECT id, project, suite, created_at, note AS snippet FROM runs WHERE run_no IN (SELECT rowid >> 20 FROM run_search WHERE run_search MATCH ? ORDER BY bm25(run_search) LIMIT 50)',
)
app.get('/api/v1/search', async (request) => {
  const words = (request.query as Record<string, string>)['q']
    ?.trim()
    .split(' ')
    .map((word) => `"${word}" *`)
    .join(' AND ')
  return { runs: searchRuns.all(words), cases: search.all(words) }
})
floorCache(app, dataDir)
app.get('/bare', async (_request, reply) => reply.code(304).send())
app.get('/api/v1/health', async () => ({ status: 'ok' }))

await app.listen({ host: '127.0.0.1', port: Number(port) })
const address = app.server.address()
console.error(JSON.stringify({ msg: 'listening', port: typeof address === 'object' ? address?.port : null }))
process.once('SIGTERM', () => {
  app.server.closeAllConnections()
  void app.close().then(() => process.exit(0))
})

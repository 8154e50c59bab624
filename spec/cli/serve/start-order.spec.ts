import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openService } from '../../../runtime/open-service.ts'
import { CLI } from '../../../queries/access/viewer.ts'
import { onDatabase, databaseStore } from '../../support/stores/database.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { freshDatabase } from '../../support/stores/fresh-database.ts'
import { onPostgres, openFreshService } from '../../support/stores/open-fresh.ts'
import { nextFreePort } from '../../support/servers/next-free-port.ts'
import { startServer } from '../../support/servers/server.ts'
import { onFile } from '../../support/stores/store.ts'

const PATIENCE_MS = 120_000

/** The key of the lock that lets one replica rebuild at a time. */
const REBUILD_LOCK = 0x657273_03

/** Waits for the first answer. The limit is generous, since a start takes long on a busy machine. */
const askUntilAnswered = async (url: string): Promise<Response> => {
  let answer: Response | null = null
  await expect
    .poll(async () => (answer = await fetch(url).catch(() => null)) !== null, { interval: 10, timeout: PATIENCE_MS })
    .toBe(true)
  if (!answer) throw new Error(`${url} was never answered`)
  return answer
}

const ADMIN = { username: 'root', password: 'a long password' }
const admin = { SERVICE_ADMIN_USER: ADMIN.username, SERVICE_ADMIN_PASSWORD: ADMIN.password }
const logIn = (url: string) =>
  fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ADMIN),
  })

describe('a start that has nothing to rebuild', () => {
  it(
    'accepts no connection before the configured admin can sign in',
    async () => {
      const port = await nextFreePort()
      const url = `http://127.0.0.1:${port}`
      const started = startServer({ port, env: admin })
      expect((await askUntilAnswered(`${url}/health`)).status).toBe(200)
      expect((await logIn(url)).status).toBe(200)
      expect((await fetch(`${url}/api/v1/ready`)).status).toBe(200)
      const server = await started
      expect(server.log.filter(({ msg, status }) => msg === 'response' && status === 503)).toEqual([])
      expect(await server.stop()).toBe(0)
    },
    PATIENCE_MS,
  )

  it('reports, before the service is ready, that no rebuild is needed', async () => {
    const { service, close } = await openFreshService()
    expect(await service.mustRebuild).toBe(false)
    await close()
  })
})

if (onPostgres)
  describe('a start that has to rebuild', () => {
    it(
      'accepts connections, is alive, and answers requests for data with 503',
      async () => {
        const database = await freshDatabase()
        const first = await openService({ database: databaseStore(database.ownerUrl) })
        await first.commit.ingestRun(CLI, {
          body: new TextEncoder().encode(JSON.stringify(aDocument({ run_id: 'a' }))),
          encoding: null,
        })
        await first.close()
        await onDatabase(database.ownerUrl, (client) =>
          client.query("UPDATE projections SET version = 0 WHERE name <> 'tree'"),
        )
        const port = await nextFreePort()
        const url = `http://127.0.0.1:${port}`
        const started = await onDatabase(database.superUrl, async (other) => {
          // Another replica rebuilds, so this one waits.
          await other.query(`SELECT pg_advisory_lock(${REBUILD_LOCK})`)
          const starting = startServer({ port, env: { ...admin, SERVICE_DATABASE_URL: database.ownerUrl } })
          expect((await askUntilAnswered(`${url}/health`)).status).toBe(200)
          const ready = fetch(`${url}/api/v1/ready`)
          const runs = fetch(`${url}/api/v1/runs`, { headers: { authorization: 'Bearer spec-read-token' } })
          for (const answer of await Promise.all([ready, runs, logIn(url)])) {
            expect([answer.status, answer.headers.get('retry-after'), await answer.text()]).toEqual([
              503,
              '1',
              '{"error":"starting: read tables are being rebuilt"}',
            ])
          }
          await other.query(`SELECT pg_advisory_unlock(${REBUILD_LOCK})`)
          return starting
        })
        expect((await logIn(url)).status).toBe(200)
        // The wait is not logged as an error.
        expect(started.log.filter(({ level }) => Number(level) >= 50)).toEqual([])
        expect(await started.stop()).toBe(0)
        await database.close()
      },
      PATIENCE_MS,
    )
  })
else
  describe('a start that has to rebuild', () => {
    it('reports, before the service is ready, that a rebuild is needed', async () => {
      const fresh = await openFreshService()
      await fresh.service.commit.ingestRun(CLI, {
        body: new TextEncoder().encode(JSON.stringify(aDocument({ run_id: 'a' }))),
        encoding: null,
      })
      await fresh.service.close()
      onFile(join(fresh.dataDir, 'service.db'), (database) =>
        database.exec("UPDATE projections SET version = 0 WHERE name <> 'tree'"),
      )
      const service = await openService({ dataDir: fresh.dataDir, threads: true, readers: 0 })
      expect(await service.mustRebuild).toBe(true)
      await service.whenReady
      await service.close()
      await fresh.sql.close()
      rmSync(fresh.dataDir, { recursive: true, force: true })
    })
  })

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { onDatabase, tablesOf } from '../../support/stores/database.ts'
import { aDocument } from '../../support/documents/documents.ts'
import { freshDatabase } from '../../support/stores/fresh-database.ts'
import type { FreshDatabase } from '../../support/postgres/databases.ts'
import { startServer } from '../../support/servers/server.ts'
import type { RunningServer } from '../../support/servers/server.ts'

let database: FreshDatabase
beforeEach(async () => {
  database = await freshDatabase()
})
afterEach(() => database.close())

const upload = ({ url, token }: RunningServer, run_id: string) =>
  fetch(`${url}/api/v1/runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(aDocument({ run_id })),
  })

describe('a running server whose read tables a newer build replaced', () => {
  it('answers writes with 503, and ends', async () => {
    const server = await startServer({ env: { SERVICE_DATABASE_URL: database.appUrl } })
    const ended = new Promise<number | null>((resolve) => server.process.once('exit', (code) => resolve(code)))
    expect((await upload(server, 'a')).status).toBe(201)
    await onDatabase(database.ownerUrl, (client) =>
      client.query("UPDATE projections SET version = 900 WHERE name = 'sets'"),
    )
    const refused = await upload(server, 'b')
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(await ended).toBe(1)
    expect(JSON.stringify(server.log)).toContain(
      'the read model sets is of version 900 in the database, and this build writes version 2',
    )
    await server.stop()
    expect((await tablesOf(database.ownerUrl, ['runs']))['runs']).toHaveLength(1)
  })
})

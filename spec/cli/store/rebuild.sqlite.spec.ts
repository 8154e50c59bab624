import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openService } from '../../../runtime/open-service.ts'
import { verifyLog } from '../../../maintenance/verify/log.ts'
import { projections } from '../../../projections/index.ts'
import { CLI } from '../../../queries/access/viewer.ts'
import { bareEnvironment } from '../../support/bare-environment.ts'
import { aDocument, theExample } from '../../support/documents/documents.ts'
import { PROGRAM } from '../../support/servers/program.ts'
import { readTables } from '../../support/stores/read-tables.ts'
import { onFile, steppingClock } from '../../support/stores/store.ts'

const rebuild = (dataDir: string, ...options: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [PROGRAM, 'rebuild', '--data-dir', dataDir, ...options],
    { encoding: 'utf8', env: bareEnvironment() },
  )
  return { status, stdout, stderr }
}

describe('ers rebuild', () => {
  let dataDir: string
  let file: string
  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'ers-rebuild-'))
    file = join(dataDir, 'service.db')
    const service = await openService({ dataDir, now: steppingClock() })
    for (const document of [aDocument(), theExample(), aDocument({ run_id: 'gone' })])
      await service.commit.ingestRun(CLI, {
        body: new TextEncoder().encode(JSON.stringify(document)),
        encoding: null,
      })
    await service.commit.deleteRun(CLI, { run_id: 'gone' })
    await service.close()
  })
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

  const damage = "DELETE FROM cases; UPDATE runs SET note = 'wrong'; DELETE FROM search; DELETE FROM sets"
  const tables = () => onFile(file, readTables)

  it('rebuilds the read tables from the log, reports it, and records it', async () => {
    const before = tables()
    onFile(file, (database) => database.exec(`${damage}; INSERT INTO log_nodes VALUES (1, 0, x'00')`))
    const { status, stdout } = rebuild(dataDir)
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: `rebuilt ${projections.map(({ name }) => name).join(', ')} from 4 records\n`,
    })
    expect(tables()).toEqual(before)
    expect(onFile(file, (database) => database.prepare('SELECT level, n FROM log_nodes').all())).toEqual([])
    const recorded = onFile(
      file,
      (database) =>
        database
          .prepare("SELECT json_extract(body, '$.data') FROM event_bodies WHERE seq > 4 ORDER BY seq")
          .pluck()
          .all() as string[],
    )
    expect(recorded.map((data) => JSON.parse(data) as unknown)).toEqual(
      projections.map(({ name, version }) => ({ name, position: 4, version })),
    )
    expect(await verifyLog(file, null)).toMatchObject({ finding: null, size: 4 + projections.length, documents: 2 })
  })

  it('keeps the tables if a document is missing, and names it', () => {
    onFile(file, (database) => database.exec(`DELETE FROM document_frames WHERE run_no = 2; ${damage}`))
    const before = tables()
    const { status, stdout, stderr } = rebuild(dataDir)
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toContain(`event 2 (run/${theExample().run_id}): its document is missing`)
    expect(tables()).toEqual(before)
  })

  it('rejects a missing or an empty folder, and creates neither a folder nor a store', () => {
    const missing = join(dataDir, 'mistyped')
    expect(rebuild(missing)).toEqual({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining(`there is no service.db in ${missing}`) as string,
    })
    expect(existsSync(missing)).toBe(false)
    const empty = mkdtempSync(join(dataDir, 'empty-'))
    expect(rebuild(empty)).toMatchObject({ status: 2, stdout: '' })
    expect(readdirSync(empty)).toEqual([])
  })

  it('rejects a directory that a server uses', async () => {
    const service = await openService({ dataDir })
    const { status, stderr } = rebuild(dataDir)
    expect(status).toBe(1)
    expect(stderr).toContain('is in use by process')
    await service.close()
  })

  it('rebuilds only the named read models, and those that belong to them', () => {
    const before = tables()
    onFile(file, (database) => database.exec(damage))
    expect(rebuild(dataDir, '--only', 'sets', 'search')).toMatchObject({
      status: 0,
      stdout: 'rebuilt runs, sets, search from 4 records\n',
    })
    expect(tables()).toEqual({ ...before, cases: [] })
  })

  it('rejects a name of no read model, and lists the names', () => {
    const { status, stderr } = rebuild(dataDir, '--only', 'runs', 'trends')
    expect(status).toBe(2)
    expect(stderr).toContain(
      '--only: unknown read model trends; the read models are runs, providers, cases, matrix, sets',
    )
  })

  it('runs at a start if tables are of another version', async () => {
    const before = tables()
    onFile(file, (database) =>
      database.exec(
        "UPDATE runs SET note = 'wrong'; DELETE FROM sets; UPDATE projections SET version = 0 WHERE name = 'sets'",
      ),
    )
    const messages: string[] = []
    const service = await openService({
      dataDir,
      log: (message, fields) => messages.push(`${message} ${JSON.stringify(fields)}`),
    })
    await service.close()
    expect(messages[0]).toBe('building read models before the start {"models":["runs","sets"]}')
    expect(tables()).toEqual(before)
    const again = await openService({ dataDir, log: (message) => messages.push(message) })
    await again.close()
    expect(messages.filter((line) => line.startsWith('building read models before'))).toHaveLength(1)
  })
})

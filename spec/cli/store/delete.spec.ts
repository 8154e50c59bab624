import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { accessGranted, setRestricted } from '../../../commands/access/events.ts'
import { takeStateDirectory } from '../../../storage/sqlite/instance-lock.ts'
import { openApp, TOKENS, type SpecApp } from '../../support/servers/app.ts'
import { databaseStore } from '../../support/stores/database.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { freshDatabase } from '../../support/stores/fresh-database.ts'
import { onPostgres } from '../../support/stores/open-fresh.ts'
import type { FreshDatabase } from '../../support/postgres/databases.ts'
import { runErs } from '../../support/servers/run-ers.ts'
import { recordEarlier, uploadEvent, type EarlierEvents } from '../../support/stores/recorded-before.ts'

/** A store of an earlier version, which accepted ids that clients drop from a URL. */
const RECORDED: EarlierEvents = (numbers) => [
  ...['..', 'plain', 'a/b?c'].map((run_id) => uploadEvent(aDocument({ run_id }), numbers)),
  uploadEvent(aDocument({ run_id: 'set', project: '..', suite: '.', cases: [aCase({ case_key: '..' })] }), numbers),
  setRestricted({ project: 'chat', suite: '..' }),
  accessGranted({ level: 'view', project: '..', suite: null, user_id: 'ada' }),
]

const ers = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => runErs(args, { env })

describe('deleting a run on a service', () => {
  let spec: SpecApp
  let server: string
  beforeAll(async () => {
    spec = await openApp({ before: RECORDED })
    await spec.app.listen({ port: 0, host: '127.0.0.1' })
    server = `http://127.0.0.1:${(spec.app.server.address() as AddressInfo).port}`
  })
  afterAll(() => spec.close())

  const asked = (id: string, token: string = TOKENS.admin) =>
    ers(['delete', id], { SERVICE_SERVER_URL: server, SERVICE_TOKEN: token })

  it('deletes any id, and reports a missing run', async () => {
    for (const id of ['..', 'a/b?c']) {
      expect(await asked(id)).toEqual({ code: 0, stdout: `deleted ${id}\n`, stderr: '' })
      expect(await asked(id)).toEqual({ code: 3, stdout: '', stderr: `${id}: run not found\n` })
    }
    expect(await spec.column('SELECT id FROM runs ORDER BY id')).toEqual(['plain', 'set'])
  })

  it('does not accept the number of a run in place of its id', async () => {
    const [run_no] = await spec.column("SELECT run_no FROM runs WHERE id = 'plain'")
    expect((await asked(String(run_no))).code).toBe(3)
  })

  it('reports a wrong token or server', async () => {
    expect(await asked('plain', TOKENS.write)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('403 insufficient scope: admin is needed (check SERVICE_TOKEN)') as string,
    })
    expect(await ers(['delete', 'plain', '--server', 'nonsense'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the server must be a URL') as string,
    })
    expect(await ers(['delete', 'plain', '--server', server, '--data-dir', '/nowhere'])).toMatchObject({ code: 2 })
  })

  it('still rejects uploads with such ids, by import too', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ers-import-'))
    writeFileSync(join(folder, 'dots.json'), JSON.stringify(aDocument({ run_id: '..' })))
    const { code, stderr } = await ers(['import', folder], { SERVICE_SERVER_URL: server, SERVICE_TOKEN: TOKENS.write })
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('dots.json: 422 invalid run document: run_id: must not be . or ..'),
    ])
    rmSync(folder, { recursive: true })
  })
})

describe('a store of an earlier version', () => {
  let folder: string
  let database: FreshDatabase | null
  let where: readonly string[]
  let owned: readonly string[]
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ers-delete-'))
    database = onPostgres ? await freshDatabase() : null
    where = database ? ['--database-url', database.appUrl] : ['--data-dir', folder]
    owned = database ? ['--database-url', database.ownerUrl] : where
    await recordEarlier(
      database ? databaseStore(database.appUrl) : { kind: 'sqlite', file: join(folder, 'service.db') },
      RECORDED,
    )
  })
  afterEach(async () => {
    await database?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  // On PostgreSQL there is no state directory that a process could hold.
  if (!onPostgres)
    it('is not changed while another process uses it', async () => {
      const release = takeStateDirectory(folder, Date.now)
      expect(await ers(['delete', '..', ...where])).toEqual({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(`is in use by process ${process.pid}`) as string,
      })
      release()
      expect(await ers(['delete', '..', ...where])).toMatchObject({ code: 0 })
    })

  it('can be verified, rebuilt and imported into with any ids, and deletes a run by id', async () => {
    expect(await ers(['verify', '--deep', ...owned])).toMatchObject({ code: 0 })
    expect(await ers(['rebuild', ...owned])).toMatchObject({ code: 0 })
    const [known, unknown] = [join(folder, 'known.json'), join(folder, 'unknown.json')]
    writeFileSync(known, JSON.stringify(aDocument({ run_id: '..' }), null, 1))
    writeFileSync(unknown, JSON.stringify(aDocument({ run_id: 'new', suite: '..' })))
    expect(await ers(['import', known, unknown, ...where])).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^imported 0, already there 1, refused 1/) as string,
      stderr: expect.stringContaining(
        'unknown.json: unprocessable invalid run document: suite: must not be . or ..',
      ) as string,
    })
    expect(await ers(['delete', '..', ...where])).toEqual({ code: 0, stdout: 'deleted ..\n', stderr: '' })
    expect(await ers(['delete', '..', ...where])).toEqual({ code: 3, stdout: '', stderr: '..: run not found\n' })
    expect((await ers(['audit', '--type', 'RunDeleted', ...where])).stdout).toContain('\trun/..\tcli\t')
    expect(await ers(['verify', '--deep', ...owned])).toMatchObject({ code: 0 })
  })

  if (onPostgres)
    it('can be copied with any ids', async () => {
      const copied = join(folder, 'copy')
      expect(
        await ers(['migrate', '--reverse', '--data-dir', copied, '--database-url', database?.ownerUrl ?? '']),
      ).toMatchObject({ code: 0 })
      expect(await ers(['verify', '--deep', '--data-dir', copied])).toMatchObject({ code: 0 })
      expect(await ers(['delete', '..', '--data-dir', copied])).toMatchObject({ code: 0 })
    })

  it('must exist: a mistyped folder name creates no store', async () => {
    const nowhere = join(folder, 'nowhere')
    expect(await ers(['delete', 'plain', '--data-dir', nowhere])).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`there is no service.db in ${nowhere}. Name the state directory`) as string,
    })
    expect(existsSync(nowhere)).toBe(false)
  })
})

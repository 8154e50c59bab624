import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fromDatabase, fromDirectory, intoDatabase, intoDirectory } from '../../../maintenance/copy/sides.ts'
import { copyStore, type CopyStep } from '../../../maintenance/copy/copy-store.ts'
import type { S3Store } from '../../../storage/objects/s3/store.ts'
import { findRun } from '../../../queries/runs/run.ts'
import { openMover } from '../../../runtime/moves/mover.ts'
import { openPartStore } from '../../../runtime/evidence/part-store.ts'
import { openService } from '../../../runtime/open-service.ts'
import type { OpenService } from '../../../runtime/services.ts'
import { verifyDatabase, verifyLog } from '../../../maintenance/verify/log.ts'
import { readTables } from '../../../projections/index.ts'
import { hashOfToken, newSessionToken } from '../../../http/identity/secrets.ts'
import { CLI, SYSTEM } from '../../../queries/access/viewer.ts'
import { COPIED, NOT_COPIED } from '../../../maintenance/copy/tables.ts'
import { fetchResponses } from '../../support/http/all-answers.ts'
import { bareEnvironment } from '../../support/bare-environment.ts'
import { onDatabase, openServiceOn, queryArrays, tablesOf } from '../../support/stores/database.ts'
import { aDocument, realDocuments, theExample } from '../../support/documents/documents.ts'
import { digestOf, manifestOf, noise } from '../../support/documents/parts.ts'
import { bucketOf } from '../../support/s3/buckets.ts'
import { startS3Server, type S3Server } from '../../support/s3/stand-in.ts'
import { findLogIdentity } from '../../../storage/log/head.ts'
import { PART_LIMITS } from '../../support/servers/part-limits.ts'
import { freshDatabase } from '../../support/stores/fresh-database.ts'
import type { FreshDatabase } from '../../support/postgres/databases.ts'
import { PROGRAM } from '../../support/servers/program.ts'
import { readTables as tablesIn } from '../../support/stores/read-tables.ts'
import { onFile, steppingClock } from '../../support/stores/store.ts'
import { admin } from '../../support/access/viewers.ts'

const token = newSessionToken()
const now = steppingClock()

let origin: string
let folder: string
let database: FreshDatabase
let answers: Record<string, string>
let paths: string[]
let hits: string[]

const file = (dir: string): string => join(dir, 'service.db')
const bytesOf = (document: unknown) => new TextEncoder().encode(JSON.stringify(document))
const pathsOf = (ids: readonly string[]): string[] => [
  ...ids.flatMap((id) =>
    ['', '/cases?limit=200', '/matrix', '/config', '/export'].map((part) => `/runs/${encodeURIComponent(id)}${part}`),
  ),
  ...['/runs?limit=200', '/projects', '/sets', '/sets/chat', '/sets/chat/suites/smoke', '/audit?limit=200', '/users'],
]

/** The hits of a search. Each storage has its own ranking, and its own excerpts of the texts. */
const hitsOf = async (service: OpenService, q: string): Promise<string[]> => {
  const [answer = ''] = Object.values(await fetchResponses(service, [`/search?q=${q}&limit=200`]))
  const { runs, cases } = JSON.parse(answer.slice(4)) as {
    runs: Array<{ run_id: string }>
    cases: Array<{ run_id: string; case_key: string }>
  }
  return [
    ...runs.map((run) => JSON.stringify(run.run_id)),
    ...cases.map(({ run_id, case_key }) => `${run_id} ${case_key}`),
  ].toSorted()
}

const listIds = async (service: OpenService): Promise<string[]> => {
  const listed = (await fetchResponses(service, ['/runs?limit=200']))['/runs?limit=200'] ?? ''
  return (JSON.parse(listed.slice(4)) as { runs: Array<{ id: string }> }).runs.map(({ id }) => id)
}

// A store with rows in every copied table.
beforeAll(async () => {
  origin = mkdtempSync(join(tmpdir(), 'ers-migrate-'))
  const service = await openService({ dataDir: origin, now })
  const ingest = (body: Uint8Array) => service.commit.ingestRun(CLI, { body, encoding: null })
  for (const run_id of ['a', 'b', 'ä/3', 'gone']) await ingest(bytesOf(aDocument({ run_id })))
  await ingest(bytesOf(theExample()))
  for (const { bytes } of realDocuments().slice(0, 4)) await ingest(new Uint8Array(bytes))
  await service.commit.deleteRun(CLI, { run_id: 'gone' })
  await service.commit.pinBaseline(admin, { project: 'chat', suite: 'smoke', run_id: 'a' })
  await service.commit.createUser(SYSTEM, {
    user_id: 'ada',
    username: 'Ada “the first” \u{1f600}',
    password_hash: 'hash of hers',
    role: 'admin',
  })
  await service.commit.signIn(SYSTEM, {
    user_id: 'ada',
    password_hash: 'hash of hers',
    session_id: 's1',
    token_hash: hashOfToken(token),
  })
  // Texts that sort and compare differently by language, and an assertion that must not be used again.
  for (const [n, subject] of ['Straße', 'STRASSE', '\u00e9', 'e\u0301'].entries())
    await service.commit.signInWithIdentity(SYSTEM, {
      user_id: `p${n}`,
      identity_id: `i${n}`,
      provider: 'saml:corp',
      subject,
      salt: `salt ${n}`,
      email: n === 0 ? null : `p${n}@corp.example`,
      role: 'member',
      rule: 'default_role',
      usernames: [`p${n}`],
      expected: null,
      replay: { id_hash: `r${n}`, expires_at: 9_999_999_999_999 },
      session_id: `session of p${n}`,
      token_hash: hashOfToken(newSessionToken()),
      at: now(),
    })
  const ada = {
    ...admin,
    actor: { ...admin.actor, kind: 'session', user_id: 'ada', credential_id: 's1', scope: 'admin' },
  } as const
  await service.commit.mintKey(ada, {
    at: 0,
    key_id: 'k1',
    name: 'for \\u0000 CI',
    prefix: 'service_x',
    secret_hash: 'f'.repeat(64),
    scope: 'write',
  })
  await service.commit.noteUse(SYSTEM, { credential_id: 'k1', at: now() })
  for (const [view_id, pinned] of [
    ['v1', true],
    ['v2', false],
  ] as const)
    await service.commit.createView(ada, {
      view_id,
      at: now(),
      name: 'Failing “first” \u{1f600}',
      path: '/runs',
      query: 'status=fail',
      pinned,
    })
  await service.commit.changeView(ada, {
    view_id: 'v2',
    at: now(),
    name: null,
    path: null,
    query: null,
    pinned: null,
    position: 0.5,
  })
  await service.commit.restrictSet(SYSTEM, { project: 'chat', suite: null })
  await service.commit.grantAccess(SYSTEM, { project: 'chat', suite: 'smoke', user_id: 'ada', level: 'view' })
  paths = pathsOf(await listIds(service))
  answers = await fetchResponses(service, paths)
  hits = await hitsOf(service, 'error')
  expect(hits.length).toBeGreaterThan(10)
  await service.close()
})
afterAll(() => rmSync(origin, { recursive: true, force: true }))

beforeEach(async () => {
  folder = join(mkdtempSync(join(tmpdir(), 'ers-migrated-')), 'state')
  database = await freshDatabase({ template: false })
})
afterEach(async () => {
  await database.close()
  rmSync(join(folder, '..'), { recursive: true, force: true })
})

type Options = NonNullable<Parameters<typeof copyStore>[2]>
const forth = (options: Options = {}, dataDir = origin) =>
  fromDirectory(dataDir, now, (source) =>
    intoDatabase(
      database.ownerUrl,
      now,
      async (target) => void (await copyStore(source, target, { records: 4, ...options })),
      options.bucket,
    ),
  )
const back = (options: Options = {}) =>
  fromDatabase(database.ownerUrl, (source) =>
    intoDirectory(
      folder,
      now,
      source,
      async (target) => void (await copyStore(source, target, { records: 4, ...options })),
    ),
  )

const DURABLE = ['events', 'event_bodies', 'log_head', ...COPIED.map(({ name }) => name)]
const rowsIn = (dir: string) =>
  onFile(file(dir), (sqlite) =>
    Object.fromEntries(
      DURABLE.map((table) => [table, sqlite.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).raw().all()]),
    ),
  )

describe('a copied store', () => {
  it('has the same log, documents, answers and valid credentials in a database', async () => {
    await forth()
    const there = await verifyDatabase(database.ownerUrl, null)
    expect(there.finding).toBeNull()
    expect(there).toEqual(await verifyLog(file(origin), null))
    const service = await openServiceOn(database.ownerUrl, { now })
    try {
      expect(await fetchResponses(service, paths)).toEqual(answers)
      expect(await hitsOf(service, 'error')).toEqual(hits)
      expect((await fetchResponses(service, ['/auth/me'], token))['/auth/me']).toContain('"user":{"id":"ada"')
      // The copied store accepts uploads: the next run gets the next run number.
      await service.commit.ingestRun(CLI, { body: bytesOf(aDocument({ run_id: 'next' })), encoding: null })
    } finally {
      await service.close()
    }
    expect(await verifyDatabase(database.ownerUrl, there)).toMatchObject({ finding: null, size: there.size + 1 })
  })

  it('is unchanged in every durable row and read table, there and back', async () => {
    await forth()
    await back()
    expect(rowsIn(folder)).toEqual(rowsIn(origin))
    expect(onFile(file(folder), tablesIn)).toEqual(onFile(file(origin), tablesIn))
    expect(readdirSync(folder).toSorted()).toEqual(['holder.json', 'lock.db', 'service.db'])
    const service = await openService({ dataDir: folder })
    expect(await fetchResponses(service, paths)).toEqual(answers)
    await service.close()
  })

  it('does not change the source', async () => {
    const before = rowsIn(origin)
    await forth()
    expect(rowsIn(origin)).toEqual(before)
    const there = await tablesOf(database.ownerUrl, [...DURABLE, ...readTables])
    await back()
    expect(await tablesOf(database.ownerUrl, [...DURABLE, ...readTables])).toEqual(there)
  })

  it('includes every table', () => {
    const tables = onFile(
      file(origin),
      (sqlite) =>
        sqlite
          .prepare(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual') AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '*search_*'",
          )
          .pluck()
          .all() as string[],
    )
    expect(tables.toSorted()).toEqual([...COPIED.map(({ name }) => name), ...NOT_COPIED, ...readTables].toSorted())
    for (const { name, columns } of COPIED) {
      const found = onFile(file(origin), (sqlite) =>
        sqlite.prepare('SELECT name FROM pragma_table_info(?) ORDER BY cid').pluck().all(name),
      )
      expect({ name, columns: found }).toEqual({ name, columns })
    }
  })
})

describe('large parts of evidence', () => {
  it('go from files into the database, also after an interruption, and stay in the table on the way back', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'ers-migrate-parts-'))
    const service = await openService({ dataDir, now })
    await service.commit.ingestRun(CLI, { body: bytesOf(aDocument({ run_id: 'without' })), encoding: null })
    const store = openPartStore({ ...service, now, partsFolder: join(dataDir, 'parts') }, PART_LIMITS)
    const part = noise(5_000_000, 3)
    const manifest = manifestOf([{ bytes: part, role: 'original' }])
    for (const bytes of [part, manifest]) await store.storeWhole(CLI, digestOf(bytes), new Uint8Array(bytes))
    const document = { ...aDocument({ run_id: 'with' }), evidence_manifest: digestOf(manifest) }
    await service.commit.ingestRun(CLI, { body: bytesOf(document), encoding: null })
    await service.close()
    await expect(forth(failingAt('head', 1), dataDir)).rejects.toThrow('interrupted')
    await expect(forth(failingAt('finished', 1), dataDir)).rejects.toThrow('interrupted')
    await forth({}, dataDir)
    const options = { parts: 'all' } as const
    expect(await verifyDatabase(database.ownerUrl, null, undefined, options)).toMatchObject({ finding: null, parts: 2 })
    await back()
    expect(await verifyLog(file(folder), null, undefined, options)).toMatchObject({ finding: null, parts: 2 })
    expect(existsSync(join(folder, 'parts'))).toBe(false)
    rmSync(dataDir, { recursive: true })
  })

  describe('and documents in a bucket', () => {
    let s3: S3Server
    let bucket: S3Store
    let dataDir: string
    beforeEach(async () => {
      s3 = await startS3Server()
      dataDir = mkdtempSync(join(tmpdir(), 'ers-migrate-bucket-'))
      const service = await openService({ dataDir, now })
      const { reader, commit } = service
      await commit.ingestRun(CLI, { body: bytesOf(aDocument({ run_id: 'first' })), encoding: null })
      bucket = bucketOf(s3.storeUrl('p'), { identity: async () => reader.read(findLogIdentity) })
      const store = openPartStore({ ...service, now, partsFolder: join(dataDir, 'parts'), bucket }, PART_LIMITS)
      const part = noise(5_000_000, 4)
      const manifest = manifestOf([{ bytes: part, role: 'original' }])
      for (const bytes of [part, manifest]) await store.storeWhole(CLI, digestOf(bytes), new Uint8Array(bytes))
      const document = { ...aDocument({ run_id: 'with' }), evidence_manifest: digestOf(manifest) }
      await commit.ingestRun(CLI, { body: bytesOf(document), encoding: null })
      const run = await reader.read(findRun(CLI, 'first'))
      const mover = openMover({ reader, commit, now, holder: 'spec', bucket, partStore: store })
      expect(await mover.moveRuns(run ? [run] : [], new AbortController().signal)).toMatchObject({ moved: 1 })
      await service.close()
    })
    afterEach(async () => {
      rmSync(dataDir, { recursive: true })
      await s3[Symbol.asyncDispose]()
    })
    const options = { parts: 'all' } as const
    const inOrder = { finding: null, documents: 2, parts: 2 }

    it('are not copied without that bucket', async () => {
      await expect(forth({}, dataDir)).rejects.toThrow('2 objects of large parts or documents are in a bucket: set')
    })

    it('stay there if the copy is to share it', async () => {
      await forth({ mayShareBucket: true, bucket }, dataDir)
      expect(await queryArrays(database.ownerUrl, 'SELECT count(*)::int FROM object_rows')).toEqual([[0]])
      expect(await verifyDatabase(database.ownerUrl, null, undefined, { ...options, bucket })).toMatchObject(inOrder)
    })

    it('are copied into the database, also after an interruption, and then need no bucket, there and back', async () => {
      await expect(forth({ ...failingAt('head', 1), bucket }, dataDir)).rejects.toThrow('interrupted')
      await expect(forth({ ...failingAt('finished', 1), bucket }, dataDir)).rejects.toThrow('interrupted')
      await forth({ bucket }, dataDir)
      s3.objects.clear()
      expect(await verifyDatabase(database.ownerUrl, null, undefined, options)).toMatchObject(inOrder)
      await back()
      expect(await verifyLog(file(folder), null, undefined, options)).toMatchObject(inOrder)
    })

    it('are not copied if one is not there', async () => {
      for (const key of s3.objects.keys()) if (key.includes('/objects/')) s3.objects.delete(key)
      await expect(forth({ bucket }, dataDir)).rejects.toThrow(/cannot be copied: object \w+ is missing/)
    })

    it('are not copied if a row lost its lengths', async () => {
      onFile(file(dataDir), (sqlite) => sqlite.exec("UPDATE objects SET lengths = NULL WHERE place = 's3'"))
      await expect(forth({ bucket }, dataDir)).rejects.toMatchObject({
        name: 'UserError',
        message: expect.stringMatching(
          /cannot be copied: object \w+ has no lengths\. Run "ers verify" on the source$/,
        ) as string,
      })
    })
  })
})

/** Fails at the n-th step of a kind (from 1). */
const failingAt = (step: CopyStep, n: number): Options => {
  let left = n
  return {
    observe: (each) => {
      if (each === step && --left === 0) throw new Error('interrupted')
    },
  }
}

describe('an interrupted copy', () => {
  const points: ReadonlyArray<readonly [CopyStep, number]> = [
    ['started', 1],
    ['records', 1],
    ['records', 3],
    ['rows', 1],
    ['rows', 6],
    ['head', 1],
    ['finished', 1],
  ]

  it.each(points)('into a database at %s (%i) is not a store until the next copy finishes it', async (step, n) => {
    await expect(forth(failingAt(step, n))).rejects.toThrow('interrupted')
    if (step !== 'started')
      await expect(openServiceOn(database.ownerUrl)).rejects.toThrow(
        'is being copied into this database: let "ers migrate" finish',
      )
    await forth()
    expect(await verifyDatabase(database.ownerUrl, null)).toEqual(await verifyLog(file(origin), null))
    await (await openServiceOn(database.ownerUrl)).close()
  })

  it('into a state directory is not a store until the next copy finishes it', async () => {
    await forth()
    for (const [step, n] of points) {
      await expect(back(failingAt(step, n))).rejects.toThrow('interrupted')
      expect(existsSync(file(folder))).toBe(false)
    }
    await back()
    expect(rowsIn(folder)).toEqual(rowsIn(origin))
  })

  it('is complete after kills and restarts', async () => {
    const args = [PROGRAM, 'migrate', '--data-dir', origin, '--database-url', database.ownerUrl]
    let killed = 0
    // Each copy is killed after so many lines of progress, the last one never.
    for (const lines of [1, 1, 2, 3, 4, Infinity]) {
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'], env: bareEnvironment() })
      let printed = 0
      createInterface(child.stderr).on('line', () => {
        if (++printed === lines) child.kill('SIGKILL')
      })
      const [code] = (await once(child, 'close')) as [number | null]
      // A killed copy may already have been complete. Then this one fails, because the target is not empty.
      if (code !== null) {
        expect(code).toBe(killed === 0 ? 0 : code)
        break
      }
      killed++
    }
    expect(await verifyDatabase(database.ownerUrl, null)).toEqual(await verifyLog(file(origin), null))
  })

  it('is not resumed if the source has grown', async () => {
    const copy = join(folder, '..', 'copy')
    spawnSync('cp', ['-r', origin, copy])
    await expect(forth(failingAt('rows', 2), copy)).rejects.toThrow('interrupted')
    const service = await openService({ dataDir: copy })
    await service.commit.unpinBaseline(SYSTEM, { project: 'chat', suite: 'smoke' })
    await service.close()
    await expect(forth({}, copy)).rejects.toThrow(
      /an earlier copy was started from a log of \d+ records .* start again with an empty target/,
    )
  })

  it('is not resumed if the target has changed', async () => {
    await expect(forth(failingAt('head', 1))).rejects.toThrow('interrupted')
    await onDatabase(database.ownerUrl, (client) =>
      client.query("INSERT INTO principals VALUES ('zzz', 'user', 'Mallory')"),
    )
    await expect(forth()).rejects.toThrow('the table principals of the target holds')
  })
})

describe('a copy', () => {
  it('rejects a target that holds anything', async () => {
    const service = await openServiceOn(database.ownerUrl, { now })
    await service.commit.restrictSet(SYSTEM, { project: 'chat', suite: null })
    await service.close()
    await expect(forth()).rejects.toThrow('the target is not empty: its table events holds 1 rows')
    const other = mkdtempSync(join(tmpdir(), 'ers-held-'))
    await (await openService({ dataDir: other })).close()
    await expect(
      fromDatabase(database.ownerUrl, (source) => intoDirectory(other, now, source, async () => {})),
    ).rejects.toThrow('already holds a store')
    rmSync(other, { recursive: true, force: true })
  })

  it('accepts a database that a service has opened without recording anything', async () => {
    await (await openServiceOn(database.ownerUrl)).close()
    await forth()
    expect(await verifyDatabase(database.ownerUrl, null)).toEqual(await verifyLog(file(origin), null))
  })

  it('rejects a state directory that a server uses, and a missing one', async () => {
    const service = await openService({ dataDir: origin })
    await expect(forth()).rejects.toThrow('in use')
    await service.close()
    await expect(forth({}, join(folder, 'mistyped'))).rejects.toThrow('there is no service.db in')
  })

  it('reports its progress, and can be run as one command', async () => {
    const reported: string[] = []
    await forth({ progress: (what, { position, size }) => void reported.push(`${what} ${position}/${size}`) })
    expect(reported).toContain('records 4/28')
    expect(reported).toContain('principals 6/6')
    expect(reported.at(-1)).toBe('replay 28/28')
    const reversed = spawnSync(process.execPath, [PROGRAM, 'migrate', '--reverse', '--data-dir', folder], {
      encoding: 'utf8',
      env: { ...bareEnvironment(), SERVICE_DATABASE_URL: database.ownerUrl },
    })
    expect(reversed).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(
        /^copied postgresql:\/\/ers_owner@.* to .*: 28 records, head 28:[0-9a-f]{64}\n$/,
      ) as string,
    })
    expect(rowsIn(folder)).toEqual(rowsIn(origin))
  })
})

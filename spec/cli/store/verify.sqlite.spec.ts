import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openService } from '../../../runtime/open-service.ts'
import type { OpenService } from '../../../runtime/services.ts'
import type { Finding } from '../../../maintenance/verify/finding.ts'
import { NOTHING, verifyLog } from '../../../maintenance/verify/log.ts'
import { CLI } from '../../../queries/access/viewer.ts'
import { recordCommitment, event, recordLeaf } from '../../../storage/log/event.ts'
import { appendLeaf, emptyFrontier, encodeFrontier } from '../../../storage/log/merkle.ts'
import { openSqliteWriter } from '../../../storage/sqlite/storage.ts'
import { bareEnvironment } from '../../support/bare-environment.ts'
import { aCase, aDocument, theExample } from '../../support/documents/documents.ts'
import { PROGRAM } from '../../support/servers/program.ts'
import { aCommand, commitAll, onFile, putCopy, steppingClock } from '../../support/stores/store.ts'

const verify = (...args: readonly string[]) =>
  spawnSync(process.execPath, [PROGRAM, 'verify', ...args], { encoding: 'utf8', env: bareEnvironment() })

const ingest = (service: OpenService, document: unknown) =>
  service.commit.ingestRun(CLI, { body: new TextEncoder().encode(JSON.stringify(document)), encoding: null })

const TRIGGERS = [
  'events_dense',
  'events_no_update',
  'events_no_delete',
  'event_bodies_last',
  'event_bodies_no_update',
  'event_bodies_erased_only',
]

// Records: 1 ingest of run-1 (document 1), 2 ingest of large (document 2, six frames), 3 pin, 4 ingest of gone, 5 its
// deletion, 6 unpin.
let folder: string
let original: string
let file: string
/** Size and root after four records and at the end. */
let anchors: string[]

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ers-verify-'))
  const dataDir = join(folder, 'made')
  const service = await openService({ dataDir, now: steppingClock() })
  const anchor = async (): Promise<string> => {
    const { size, root } = await service.head()
    return `${size}:${root}`
  }
  const suite = { project: 'chat', suite: 'smoke' }
  await ingest(service, aDocument())
  await ingest(service, aDocument({ run_id: 'large', cases: [aCase({ output: 'words '.repeat(60_000) })] }))
  await service.commit.pinBaseline(CLI, { ...suite, run_id: 'run-1' })
  await ingest(service, theExample())
  anchors = [await anchor()]
  await service.commit.deleteRun(CLI, { run_id: theExample().run_id })
  await service.commit.unpinBaseline(CLI, suite)
  anchors.push(await anchor())
  await service.close()
  original = join(dataDir, 'service.db')
  file = join(folder, 'service.db')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

beforeEach(() => putCopy(original, file))

/** Changes the file as its owner could, without the triggers. */
const damage = (work: string | ((database: Database.Database) => void)): void =>
  onFile(file, (database) => {
    const made = database.prepare("SELECT sql FROM sqlite_schema WHERE type = 'trigger'").pluck().all() as string[]
    expect(made).toHaveLength(TRIGGERS.length)
    for (const trigger of TRIGGERS) database.exec(`DROP TRIGGER ${trigger}`)
    if (typeof work === 'string') database.exec(work)
    else work(database)
    for (const sql of made) database.exec(sql)
  })

const anchorOf = (text: string | undefined): { size: number; root: string } => {
  const [size, root] = (text ?? '').split(':')
  return { size: Number(size), root: root ?? '' }
}

const findingOf = async (against: string | null = null): Promise<Finding | null> =>
  (await verifyLog(file, against === null ? null : anchorOf(against))).finding

/** Rewrites one record consistently: body, commitment and leaf. */
const reseal = (database: Database.Database, seq: number, body: string): void => {
  const { recorded_at, type } = database.prepare('SELECT recorded_at, type FROM events WHERE seq = ?').get(seq) as {
    recorded_at: number
    type: string
  }
  const salt = Buffer.alloc(16, 1)
  const commitment = recordCommitment(salt, body)
  database.prepare('UPDATE event_bodies SET body = ?, salt = ? WHERE seq = ?').run(body, salt, seq)
  database
    .prepare('UPDATE events SET commitment = ?, leaf = ? WHERE seq = ?')
    .run(commitment, recordLeaf(commitment, recorded_at, type), seq)
}

/** Makes the head match the records, as a rewrite of history would. */
const rehead = (database: Database.Database): void => {
  const leaves = database.prepare('SELECT leaf FROM events ORDER BY seq').pluck().all() as Buffer[]
  const frontier = leaves.reduce((tree, leaf) => appendLeaf(tree, leaf), emptyFrontier())
  database
    .prepare('UPDATE log_head SET size = ?, frontier = ?, recorded_at = (SELECT recorded_at FROM events WHERE seq = ?)')
    .run(frontier.size, encodeFrontier(frontier), frontier.size)
}

const bodyOf = (database: Database.Database, seq: number): string =>
  database.prepare('SELECT body FROM event_bodies WHERE seq = ?').pluck().get(seq) as string

describe('an intact log', () => {
  it('is reported with its size, root and documents', async () => {
    expect(await verifyLog(file, null)).toEqual({
      ...NOTHING,
      ...anchorOf(anchors[1]),
      documents: 2,
    })
  })

  it('matches every earlier head, and that of the empty log', async () => {
    for (const anchor of anchors) expect(await findingOf(anchor)).toBeNull()
    expect(await findingOf('0:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')).toBeNull()
  })

  it('can be verified while a server writes, each time in a consistent state', async () => {
    const dataDir = join(folder, 'live')
    const service = await openService({ dataDir, now: steppingClock() })
    for (let i = 0; i < 5; i++) {
      const [, seen] = await Promise.all([
        ingest(service, aDocument({ run_id: `r${i}` })),
        verifyLog(join(dataDir, 'service.db'), null),
      ])
      expect(seen.finding).toBeNull()
      expect(seen.documents).toBe(seen.size)
    }
    expect(await verifyLog(join(dataDir, 'service.db'), null)).toMatchObject({
      finding: null,
      size: 5,
      documents: 5,
      root: (await service.head()).root,
    })
    await service.close()
  })

  it('may lack a body that an erasure names, even in the middle of its stream', async () => {
    const writer = openSqliteWriter({ file, project: () => [], now: steppingClock(2_000_000_000_000), instance: 'i' })
    const facts = ['Started', 'Started', 'Started'].map((type, n) => event('service/i', type, { n }))
    commitAll(writer, aCommand([...facts, event('erasure/e', 'EventErased', { seq: 8 })]))
    writer.connection.database.exec('DELETE FROM event_bodies WHERE seq = 8')
    writer.close()
    expect(await verifyLog(file, anchorOf(anchors[1]))).toMatchObject({ finding: null, size: 10, documents: 2 })
  })
})

describe('damage', () => {
  const DAMAGES: ReadonlyArray<
    readonly [
      what: string,
      kind: Finding['kind'],
      message: string | RegExp,
      work: string | ((database: Database.Database) => void),
    ]
  > = [
    [
      'a time was changed',
      'altered',
      'record 2 (RunIngested) does not fit its leaf',
      'UPDATE events SET recorded_at = recorded_at + 1 WHERE seq = 2',
    ],
    [
      'a type was changed',
      'altered',
      'record 3 (BaselineUnpinned) does not fit its leaf',
      "UPDATE events SET type = 'BaselineUnpinned' WHERE seq = 3",
    ],
    [
      'a commitment was changed',
      'altered',
      'record 1 (RunIngested) does not fit its leaf',
      'UPDATE events SET commitment = zeroblob(32) WHERE seq = 1',
    ],
    [
      'a leaf was changed',
      'altered',
      'record 6 (BaselineUnpinned) does not fit its leaf',
      'UPDATE events SET leaf = zeroblob(32) WHERE seq = 6',
    ],
    [
      'a body was changed',
      'altered',
      'record 3 (BaselinePinned, baseline/chat/smoke) does not fit its commitment',
      "UPDATE event_bodies SET body = replace(body, 'run-1', 'large') WHERE seq = 3",
    ],
    [
      'a salt was changed',
      'altered',
      'record 3 (BaselinePinned',
      'UPDATE event_bodies SET salt = zeroblob(16) WHERE seq = 3',
    ],
    [
      'a body has another stream',
      'altered',
      'record 3 has another stream or version',
      "UPDATE event_bodies SET stream = 'baseline/chat/full' WHERE seq = 3",
    ],
    [
      'a body has another version',
      'altered',
      'record 6 has another stream or version',
      'UPDATE event_bodies SET version = 9 WHERE seq = 6',
    ],
    [
      'a record was rewritten consistently',
      'altered',
      'the head does not fit the log',
      (database) => reseal(database, 3, bodyOf(database, 3).replace('run-1', 'large')),
    ],
    [
      'a version occurs twice',
      'altered',
      'record 6 repeats version 1 of baseline/chat/smoke',
      (database) => {
        database.exec(
          'CREATE TABLE copied AS SELECT * FROM event_bodies; DROP TABLE event_bodies; ALTER TABLE copied RENAME TO event_bodies',
        )
        reseal(database, 6, bodyOf(database, 6).replace('"version":2', '"version":1'))
        database.exec('UPDATE event_bodies SET version = 1 WHERE seq = 6')
        rehead(database)
      },
    ],
    [
      'a version is missing',
      'missing',
      'record 6 is version 3 of baseline/chat/smoke, after version 1',
      (database) => {
        reseal(database, 6, bodyOf(database, 6).replace('"version":2', '"version":3'))
        database.exec('UPDATE event_bodies SET version = 3 WHERE seq = 6')
        rehead(database)
      },
    ],
    [
      'a time decreases',
      'altered',
      'record 4 is older than the one before it',
      (database) => {
        database.exec('UPDATE events SET recorded_at = 5 WHERE seq = 4')
        reseal(database, 4, bodyOf(database, 4))
        rehead(database)
      },
    ],
    [
      'a record is missing',
      'missing',
      'record 3 is missing',
      'DELETE FROM events WHERE seq = 3; DELETE FROM event_bodies WHERE seq = 3',
    ],
    ['the first record is missing', 'missing', 'record 1 is missing', 'DELETE FROM events WHERE seq = 1'],
    [
      'the end is missing',
      'missing',
      'the log ends at record 4, its head says 6',
      'DELETE FROM events WHERE seq > 4; DELETE FROM event_bodies WHERE seq > 4',
    ],
    [
      'a body is missing',
      'missing',
      'record 3 (BaselinePinned) has no body, and no record erases it',
      'DELETE FROM event_bodies WHERE seq = 3',
    ],
    ['the head was changed', 'altered', 'the head does not fit the log', 'UPDATE log_head SET frontier = zeroblob(64)'],
    ['the head is missing', 'altered', 'the head does not fit the log', 'DELETE FROM log_head'],
    [
      'a document is missing',
      'missing',
      'record 1 (run/run-1): its document is missing, and no deletion is recorded',
      'DELETE FROM document_frames WHERE run_no = 1',
    ],
    [
      'the start of a document is missing',
      'missing',
      'record 2 (run/large): frame 1048576 of its document is missing',
      'DELETE FROM document_frames WHERE run_no = 2 AND n = 1048576',
    ],
    [
      'the end of a document is missing',
      'missing',
      'record 2 (run/large): the end of its document is missing',
      'DELETE FROM document_frames WHERE run_no = 2 AND n = 1048581',
    ],
    [
      'a frame was changed',
      'altered',
      'record 2 (run/large): frame 1048577 of its document cannot be unpacked',
      'UPDATE document_frames SET bytes = zeroblob(100) WHERE run_no = 2 AND n = 1048577',
    ],
    [
      'a length of a frame was changed',
      'altered',
      'record 1 (run/run-1): frame 1048576 of its document cannot be unpacked',
      'UPDATE document_frames SET raw_length = raw_length + 1 WHERE run_no = 1',
    ],
    [
      'frames were reordered',
      'altered',
      'record 2 (run/large): its document does not have the digest that was recorded',
      'UPDATE document_frames SET n = n + 10 WHERE run_no = 2; UPDATE document_frames SET n = 2 * 1048576 + 15 - n WHERE run_no = 2',
    ],
    [
      'a document was replaced by another',
      'altered',
      'record 1 (run/run-1): frame 1048577 is not part of its document, whose number of frames is 1',
      'DELETE FROM document_frames WHERE run_no = 1; UPDATE document_frames SET run_no = 1 WHERE run_no = 2',
    ],
    [
      'a document exists that no record names',
      'altered',
      'document 9 exists, but no record names it',
      "INSERT INTO document_frames (run_no, n, raw_length, bytes) VALUES (9, 0, 0, x'')",
    ],
    [
      'a deleted document was restored',
      'altered',
      'document 3 exists, but no record names it',
      'INSERT INTO document_frames SELECT 3, n, raw_length, bytes FROM document_frames WHERE run_no = 1',
    ],
  ]

  it.each(DAMAGES)('is reported if %s: %s', async (_, kind, message, work) => {
    damage(work)
    const finding = await findingOf()
    expect(finding?.kind).toBe(kind)
    expect(finding?.message).toMatch(message)
  })

  it('is not reported if a recorded erasure names the missing body, but for any other missing body', async () => {
    const writer = openSqliteWriter({ file, project: () => [], now: steppingClock(2_000_000_000_000), instance: 'i' })
    commitAll(writer, aCommand([event('erasure/e', 'EventErased', { seq: 3 })]))
    writer.connection.database.exec('DELETE FROM event_bodies WHERE seq = 3')
    writer.close()
    expect(await findingOf()).toBeNull()

    damage('DELETE FROM event_bodies WHERE seq = 6')
    expect(await findingOf()).toMatchObject({ kind: 'missing', message: expect.stringContaining('record 6') as string })

    damage(`UPDATE event_bodies SET body = replace(body, '"seq":3', '"seq":6') WHERE seq = 7`)
    expect(await findingOf()).toMatchObject({ kind: 'missing', message: expect.stringContaining('record 3') as string })
    damage("UPDATE event_bodies SET body = 'no JSON' WHERE seq = 7")
    expect(await findingOf()).toMatchObject({ kind: 'missing', message: expect.stringContaining('record 3') as string })
  })

  it('by a rollback or rewrite is detected only with a head noted elsewhere', async () => {
    damage((database) => {
      database.exec('DELETE FROM events WHERE seq > 5; DELETE FROM event_bodies WHERE seq > 5')
      rehead(database)
    })
    expect(await findingOf()).toBeNull()
    expect(await findingOf(anchors[0])).toBeNull()
    expect(await findingOf(anchors[1])).toEqual({
      kind: 'rolled_back',
      message: `${anchors[1]} says 6 records, the log has 5`,
    })

    damage((database) => {
      reseal(database, 3, bodyOf(database, 3).replace('run-1', 'large'))
      rehead(database)
    })
    expect(await findingOf()).toBeNull()
    expect(await findingOf(anchors[0])).toMatchObject({
      kind: 'rolled_back',
      message: expect.stringContaining('the first 4 records are not those') as string,
    })
  })

  it('to the whole file makes it unreadable', async () => {
    writeFileSync(file, 'this was a database once. '.repeat(1000))
    expect(await findingOf()).toMatchObject({ kind: 'unreadable' })
    writeFileSync(file, '')
    expect(await findingOf()).toMatchObject({ kind: 'unreadable' })
    expect((await verifyLog(join(folder, 'nowhere', 'service.db'), null)).finding).toMatchObject({ kind: 'unreadable' })
  })
})

describe('ers verify', () => {
  it('reports an intact store and ends with 0', () => {
    const { status, stdout, stderr } = verify('--data-dir', folder, '--against', anchors[1]?.toUpperCase() ?? '')
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: `ok: 6 records, 2 documents, head ${anchors[1]}; continues the 1 checkpoint given (6 records)\n`,
      stderr: '',
    })
  })

  it('prints one line of JSON', () => {
    const ok = verify('--data-dir', folder, '--json', '--against', anchors[0] ?? '', '--against', anchors[1] ?? '')
    expect(JSON.parse(ok.stdout)).toEqual({
      ok: true,
      finding: null,
      ...anchorOf(anchors[1]),
      documents: 2,
      parts: 0,
      checkpoints: 0,
      erased: 0,
      anchors: 2,
    })
    const failed = verify('--data-dir', folder, '--json', '--against', `6:${'0'.repeat(64)}`)
    expect(failed.status).toBe(11)
    expect(JSON.parse(failed.stdout)).toMatchObject({
      ok: false,
      finding: { kind: 'rolled_back', code: 11 },
      size: null,
      root: null,
    })
    expect(verify('--data-dir', folder, '--key', `a+00000000+${'A'.repeat(44)}`).status).toBe(20)
  })

  it('ends with a code for each kind of finding', () => {
    const ended = (...args: readonly string[]) => {
      const { status, stdout, stderr } = verify('--data-dir', folder, ...args)
      return { status, stdout, stderr }
    }
    expect(ended('--against', `6:${'0'.repeat(64)}`)).toMatchObject({
      status: 11,
      stdout: '',
      stderr: expect.stringMatching(/^another history: the first 6 records/) as string,
    })
    expect(ended('--against', `9999:${'0'.repeat(64)}`)).toMatchObject({
      status: 11,
      stderr: `rolled back: 9999:${'0'.repeat(64)} says 9999 records, the log has 6\n`,
    })
    damage('DELETE FROM document_frames WHERE run_no = 1')
    expect(ended()).toMatchObject({
      status: 12,
      stdout: '',
      stderr: expect.stringMatching(/^missing: record 1/) as string,
    })
    damage('UPDATE events SET recorded_at = 0 WHERE seq = 2')
    expect(ended()).toMatchObject({
      status: 10,
      stdout: '',
      stderr: expect.stringMatching(/^altered: record 2/) as string,
    })
    writeFileSync(file, 'no database')
    expect(ended()).toMatchObject({ status: 20, stdout: '', stderr: expect.stringMatching(/^unreadable: /) as string })
    rmSync(file)
    expect(ended()).toMatchObject({
      status: 20,
      stderr: expect.stringMatching(
        /^unreadable: there is no service\.db in .*--data-dir or SERVICE_DATA_DIR: the default is \/data, and "npm start" uses \.\/data\n$/,
      ) as string,
    })
  })

  it('prints neither a private key nor control characters', () => {
    const secret = 'PRIVATE+KEY+a+00000000+AAAA'
    for (const option of ['--against', '--policy', '--key']) {
      const { status, stdout, stderr } = verify('--data-dir', folder, option, secret)
      expect(status).not.toBe(0)
      expect(stdout + stderr).not.toContain('AAAA')
    }
    const strange = join(folder, 'strange\u202e')
    writeFileSync(strange, `c2sp.org/tlog-proof@v1\n\u001b[31m\u202e\n`)
    const { stderr } = verify('--data-dir', folder, '--against', strange)
    expect(stderr).toContain(String.raw`strange\u202e`)
    expect(stderr).not.toMatch(/[\u001b\u202e]/)
    expect(verify('--data-dir', folder, '--json', '--against', strange).stdout).not.toMatch(/[\u001b\u202e]/)
  })

  it.each(['6', 'x:y', `6:${'0'.repeat(63)}`, `:${'0'.repeat(64)}`])('rejects %j as a head', (against) => {
    const { status, stderr } = verify('--data-dir', folder, '--against', against)
    expect(status).not.toBe(0)
    expect(stderr).toContain('SIZE:ROOT')
  })
})

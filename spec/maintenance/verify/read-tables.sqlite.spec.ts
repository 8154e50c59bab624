import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { compareTables } from '../../../maintenance/verify/read-tables-sqlite.ts'
import { openService } from '../../../runtime/open-service.ts'
import { rebuildTables } from '../../../maintenance/rebuild/sqlite.ts'
import { verifyLog } from '../../../maintenance/verify/log.ts'
import { openWriterOnSqlite } from '../../../runtime/writer/sqlite.ts'
import { partWords } from '../../../domain/search/parts.ts'
import { readTables } from '../../../projections/index.ts'
import { CLI, SYSTEM } from '../../../queries/access/viewer.ts'
import { scopeTokens } from '../../../storage/search/search-index.ts'
import { connect } from '../../../storage/sqlite/connection.ts'
import { LOG_VKEY } from '../../support/proof/check-value.ts'
import { viewerOf } from '../../support/access/accounts.ts'
import { bareEnvironment } from '../../support/bare-environment.ts'
import { aCase, aDocument, theExample } from '../../support/documents/documents.ts'
import { aPlan } from '../../support/documents/plans.ts'
import { aRubric } from '../../support/documents/rubrics.ts'
import { PROGRAM } from '../../support/servers/program.ts'
import { onFile, putCopy, steppingClock } from '../../support/stores/store.ts'

let folder: string
let original: string
let file: string
let temporary: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ers-deep-'))
  temporary = join(folder, 'temporary')
  mkdirSync(temporary)
  const dataDir = join(folder, 'made')
  const service = await openService({ dataDir, now: steppingClock() })
  const documents = [
    aDocument({ filters: { tags: ['nightly'] } }),
    theExample(),
    aDocument({ run_id: 'gone', config_digest: 'sha256:planned' }),
    aDocument({
      run_id: 'last',
      cases: [aCase({ output: 'quokka and wombat' }), aCase({ cell: { test_id: 'other' } })],
    }),
  ]
  await service.commit.registerPlan(CLI, aPlan({ config_digest: 'sha256:planned' }))
  for (const document of documents)
    await service.commit.ingestRun(CLI, { body: new TextEncoder().encode(JSON.stringify(document)), encoding: null })
  await service.commit.deleteRun(CLI, { run_id: 'gone' })
  await service.commit.pinBaseline(CLI, { project: 'chat', suite: 'smoke', run_id: 'run-1' })
  await service.commit.restrictSet(CLI, { project: 'chat', suite: null })
  await service.commit.createUser(CLI, { user_id: 'ada', username: 'ada', password_hash: '', role: 'member' })
  await service.commit.signIn(CLI, { user_id: 'ada', password_hash: '', session_id: 'session', token_hash: '' })
  await service.commit.mintKey(viewerOf({ kind: 'session', credential_id: 'session', user_id: 'ada' }, null), {
    at: 0,
    key_id: 'key',
    name: null,
    scope: 'read',
    prefix: '',
    secret_hash: '',
  })
  await service.commit.createWebhook(viewerOf({ kind: 'session', credential_id: 'session', user_id: 'ada' }, null), {
    webhook_id: 'webhook',
    events: ['run.ingested'],
    project: null,
    suite: null,
    sealed: 'sealed',
  })
  await service.commit.grantAccess(CLI, { project: 'chat', suite: null, user_id: 'ada', level: 'view' })
  const logKey = { key_id: '207a464c', origin: 'results.example/log', vkey: LOG_VKEY }
  await service.commit.changeLogKeys(SYSTEM, { keys: [logKey], continues: null })
  await service.commit.createRubric(CLI, aRubric())
  await service.commit.placeHold(CLI, {
    hold_id: 'hold',
    run_id: null,
    project: 'chat',
    suite: null,
    reference: 'case-1',
    note: null,
  })
  await service.commit.declareJudge(CLI, { project: 'chat', suite: 'smoke', metric: 'sql', is_judge: true })
  await service.close()
  original = join(dataDir, 'service.db')
  file = join(folder, 'service.db')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

beforeEach(() => putCopy(original, file))

const differenceOf = async (): Promise<string | null> => {
  const connection = connect(file, { readonly: true })
  try {
    connection.database.exec('BEGIN')
    return await compareTables(connection, { folder: temporary })
  } finally {
    connection.close()
  }
}
const change = (work: string): void => onFile(file, (database) => void database.exec(work))

const search = (rowid: number, output: string): string =>
  `INSERT INTO search (rowid, scope, name, tags, error, reasons, output, prompt) SELECT ${rowid}, 'scope', 'n', '', '', '', '${output}', ''`

describe('the read tables compared with a replay', () => {
  it('match in an intact store, which is not changed, and leave no files', async () => {
    const before = onFile(file, (database) => database.serialize())
    expect(await differenceOf()).toBeNull()
    expect(onFile(file, (database) => database.serialize()).equals(before)).toBe(true)
    expect(readdirSync(temporary)).toEqual([])
  })

  it('match after a rebuild', async () => {
    const writeSide = await openWriterOnSqlite({
      file,
      instance: 'i',
      now: steppingClock(2_000_000_000_000),
      onCommitted: () => {},
      log: () => {},
    })
    rebuildTables(writeSide.writer)
    await writeSide.close()
    rmSync(join(folder, 'head'))
    expect(await differenceOf()).toBeNull()
  })

  const CHANGES: ReadonlyArray<readonly [table: string, work: string, message: string]> = [
    ['runs', "UPDATE runs SET note = 'silently' WHERE id = 'last'", 'the row of run_no 4 (run last) differs in note'],
    [
      'runs',
      "UPDATE runs SET pass_count = 9, cost_micro = 1 WHERE id = 'run-1'",
      'the row of run_no 1 (run run-1) differs in pass_count, cost_micro',
    ],
    ['runs', "DELETE FROM runs WHERE id = 'last'", 'the row of run_no 4 (run last) is missing'],
    [
      'run_tags',
      'UPDATE run_tags SET created_at = 0 WHERE run_no = 1',
      'the row of tag "nightly", run_no 1 (run run-1) differs in created_at',
    ],
    [
      'run_tags',
      "INSERT INTO run_tags VALUES ('extra', 0, 'last', 4)",
      'the row of tag "extra", run_no 4 (run last) should not be there',
    ],
    [
      'run_configs',
      'UPDATE run_configs SET bytes = zeroblob(length(bytes)) WHERE run_no = 4',
      'the row of run_no 4 (run last) differs in bytes',
    ],
    [
      'cases',
      'UPDATE cases SET score = 0.5 WHERE run_no = 4 AND n = 1',
      'the row of run_no 4, n 1 (run last) differs in score',
    ],
    [
      'cases',
      'UPDATE cases SET error = NULL, output_preview = NULL WHERE run_no = 4 AND n = 0',
      'the row of run_no 4, n 0 (run last) differs in output_preview',
    ],
    ['cases', 'DELETE FROM cases WHERE run_no = 1', 'the row of run_no 1, n 0 (run run-1) is missing'],
    ['matrices', "UPDATE matrices SET columns = '[]' WHERE run_no = 2", 'differs in columns'],
    [
      'matrix_rows',
      'UPDATE matrix_rows SET is_full = NOT is_full WHERE run_no = 4',
      'the row of run_no 4, n 0 (run last) differs in is_full',
    ],
    ['sets', 'UPDATE sets SET run_count = run_count + 1', 'differs in run_count'],
    [
      'sets',
      "INSERT INTO sets SELECT 'made up', project, suite, 1, 1, 1, 0, 0, 0, 1 FROM sets LIMIT 1",
      'the row of set_key "made up" should not be there',
    ],
    ['suite_series', 'UPDATE suite_series SET passed = 0 WHERE run_no = 4', 'differs in passed'],
    ['run_outlines', 'UPDATE run_outlines SET pass_count = 0 WHERE run_no = 4', 'differs in pass_count'],
    ['run_judges', 'UPDATE run_judges SET passed = 9', 'differs in passed'],
    ['judged_cases', 'UPDATE judged_cases SET cases = zeroblob(length(cases))', 'differs in cases'],
    ['declared_judges', 'DELETE FROM declared_judges', 'is missing'],
    ['baselines', "UPDATE baselines SET run_id = 'last'", 'the row of project "chat", suite "smoke" differs in run_id'],
    ['baselines', 'DELETE FROM baselines', 'is missing'],
    ['restrictions', 'DELETE FROM restrictions', 'is missing'],
    ['grants', "UPDATE grants SET level = 'manage'", 'differs in level'],
    ['users', "UPDATE users SET role = 'admin'", 'the row of id "ada" differs in role'],
    ['users', "INSERT INTO users VALUES ('eve', 'admin', 0, 1, 0, 0)", 'the row of id "eve" should not be there'],
    ['sessions', 'UPDATE sessions SET expires_at = 9e15', 'the row of id "session" differs in expires_at'],
    ['api_keys', "UPDATE api_keys SET scope = 'admin'", 'the row of id "key" differs in scope'],
    ['plans', 'UPDATE plans SET threshold = 0.5', 'the row of plan_id "plan" differs in threshold'],
    ['webhooks', "UPDATE webhooks SET project = 'chat'", 'the row of webhook_id "webhook" differs in project'],
    [
      'rubrics',
      'UPDATE rubrics SET valid_days = 365',
      'the row of rubric_id "rubric", version 1 differs in valid_days',
    ],
    ['plans', 'DELETE FROM plans', 'the row of plan_id "plan" is missing'],
    // The run is deleted; that it followed the plan is not.
    ['plan_runs', 'DELETE FROM plan_runs', 'the row of seq 4 is missing'],
    ['plan_runs', 'UPDATE plan_runs SET attempt = 2', 'the row of seq 4 differs in attempt'],
    ['log_keys', 'UPDATE log_keys SET retired_at = 1', 'the row of key_id "207a464c" differs in retired_at'],
    ['holds', 'UPDATE holds SET lifted_at = 1', 'the row of hold_id "hold" differs in lifted_at'],
    ['run_search', 'DELETE FROM run_search WHERE rowid = (4 << 20)', 'in run last'],
    ['search', 'DELETE FROM search WHERE rowid = (4 << 20) + 1', 'in case 0 of run last'],
    ['search', search((4 << 20) + 9, 'stray'), 'in case 8 of run last'],
    ['search', `DELETE FROM search WHERE rowid = (4 << 20) + 2; ${search((4 << 20) + 2, 'Hello')}`, 'of run last'],
  ]
  it.each(CHANGES)('differ in %s: %s', async (table, work, message) => {
    change(work)
    const difference = await differenceOf()
    expect(difference).toContain(`1 of ${readTables.length} read tables`)
    expect(difference).toContain(`. ${table}: `)
    expect(difference).toContain(message)
    expect(readdirSync(temporary)).toEqual([])
  })

  it('differ in each table by a row that no event made', async () => {
    // The changes above cover the search tables, whose rows are words.
    const tables = readTables.filter((table) => !table.endsWith('search'))
    const valueOf = (type: string): string => (/int|real/i.test(type) ? '9' : /blob/i.test(type) ? "x'00'" : "'stray'")
    onFile(file, (database) => {
      for (const table of tables) {
        const columns = database.pragma(`table_info(${table})`) as ReadonlyArray<{ readonly type: string }>
        database.exec(`INSERT INTO ${table} VALUES (${columns.map(({ type }) => valueOf(type)).join(', ')})`)
      }
    })
    const others = tables.filter((table) => table !== 'runs')
    expect(await differenceOf()).toContain(
      `runs: the row of run_no 9 (run stray) should not be there. Other tables that differ: ${others.join(', ')}.`,
    )
  })

  it.each([
    ['is correct', 'found', 'quokka and wombat', null],
    [
      'has another position',
      'found',
      'wombat and quokka',
      'the word "quokka" has wrong positions in case 0 of run last',
    ],
    ['is in another field', 'quokka found wombat', 'and', 'has wrong positions in case 0 of run last'],
    [
      'occurs one more time',
      'found',
      'quokka and wombat wombat',
      'the word "wombat" has wrong positions in case 0 of run last',
    ],
  ])('are compared by word positions in the search index: a word that %s', async (_, reasons, output, message) => {
    onFile(file, (database) => {
      database.exec('DELETE FROM search WHERE rowid = (4 << 20) + 1')
      const scope = scopeTokens({ project: 'chat', suite: 'smoke' })
      database
        .prepare(
          "INSERT INTO search (rowid, scope, name, tags, error, reasons, output, prompt) VALUES ((4 << 20) + 1, ?, '', '', '', ?, ?, ?)",
        )
        .run(scope, reasons, output, partWords([aCase().case_key, aCase().cell.test_id], []))
    })
    if (message === null) expect(await differenceOf()).toBeNull()
    else expect(await differenceOf()).toContain(message)
  })

  it('are all named if several differ, the first in full', async () => {
    change("UPDATE runs SET note = 'x'; DELETE FROM baselines; DELETE FROM search")
    const difference = await differenceOf()
    expect(difference).toContain(`3 of ${readTables.length} read tables`)
    expect(difference).toContain(
      'runs: the row of run_no 1 (run run-1) differs in note. Other tables that differ: baselines, search.',
    )
  })

  it('of another version are not compared, but all others are', async () => {
    change("UPDATE projections SET version = 0 WHERE name = 'sets'; DELETE FROM sets; DELETE FROM holds")
    expect(await differenceOf()).toContain('1 of ')
    putCopy(original, file)
    change("UPDATE projections SET version = 0 WHERE name = 'sets'")
    expect(await differenceOf()).toContain('the read tables of sets were not written by this version')
  })

  it('are compared in the snapshot of the log, despite concurrent writes', async () => {
    const dataDir = join(folder, 'live')
    const service = await openService({ dataDir, now: steppingClock() })
    const upload = (run_id: string) =>
      service.commit.ingestRun(CLI, {
        body: new TextEncoder().encode(JSON.stringify(aDocument({ run_id }))),
        encoding: null,
      })
    await upload('a')
    await upload('b')
    let written: Promise<unknown> = Promise.resolve()
    const { finding } = await verifyLog(join(dataDir, 'service.db'), null, async (snapshot) => {
      written = Promise.all([upload('c'), service.commit.deleteRun(CLI, { run_id: 'a' })])
      const message = await compareTables(snapshot, { folder: temporary })
      return message === null ? null : { kind: 'differs', message }
    })
    expect(finding).toBeNull()
    await written
    await service.close()
  })
})

describe('ers verify --deep', () => {
  const verify = () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [PROGRAM, 'verify', '--deep', '--data-dir', folder],
      { encoding: 'utf8', env: { ...bareEnvironment(), TMPDIR: temporary } },
    )
    return { status, stdout, stderr }
  }

  it('reports an intact store', () => {
    expect(verify()).toEqual({
      status: 0,
      stdout: expect.stringMatching(
        /^ok: (\d+) records, 3 documents, read tables as replayed, head \1:[0-9a-f]{64}\n$/,
      ) as string,
      stderr: expect.stringMatching(/replayed (\d+) of \1 records\ncomparing runs\n/) as string,
    })
  })

  it('ends with 13 if a read table differs from the log', () => {
    change("UPDATE cases SET status = 'pass', score = 1 WHERE run_no = 2")
    expect(verify()).toEqual({
      status: 13,
      stdout: '',
      stderr: expect.stringMatching(/\ndiffers: 1 of \d+ read tables .*cases: the row of run_no 2, n 0/) as string,
    })
  })

  it('ends with 20 if an index does not match its table', () => {
    onFile(file, (database) => {
      database.unsafeMode(true)
      database.pragma('writable_schema = ON')
      database.exec(
        "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'runs_by_suite') WHERE name = 'runs_by_project'",
      )
    })
    expect(verify()).toMatchObject({
      status: 20,
      stdout: '',
      stderr: expect.stringContaining('unreadable: ') as string,
    })
  })
})

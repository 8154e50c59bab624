import Database from 'better-sqlite3'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { databaseRefused } from '../../../../interchange/read/sqlite.ts'
import { countsOf, importBytes, importFile, lossesOf, targetWith } from '../../../support/interchange/import-files.ts'
import { addEvaluation, addRows, createPromptfooDatabase } from '../../../support/interchange/promptfoo-database.ts'
import { gradedRow, promptfooExport, promptfooRow } from '../../../support/interchange/promptfoo-rows.ts'

afterAll(() => rmSync(folder, { recursive: true }))

let made = 0
const newPath = () => join(folder, `${++made}.db`)

type Fill = (database: Database.Database) => void
const databaseWith = (fill: Fill, options: Parameters<typeof createPromptfooDatabase>[1] = {}): string => {
  const path = newPath()
  const database = createPromptfooDatabase(path, options)
  fill(database)
  database.close()
  return path
}

const ROWS = [
  promptfooRow({ testIdx: 1, promptIdx: 1, testCase: { vars: { word: 'b' } }, vars: { word: 'b' } }),
  gradedRow([{ pass: false, score: 0, reason: 'no', assertion: { type: 'regex', value: 'x' } }], {
    ...{ success: false, score: 0, failureReason: 1, error: 'no' },
    prompt: { raw: '[{"role":"user","content":"a"}]', label: 'chat' },
  }),
  promptfooRow({ testIdx: 1, testCase: { vars: { word: 'b' } }, vars: { word: 'b' } }),
  promptfooRow({ testIdx: 2, failureReason: 2, success: false, score: 0, error: '503', response: { error: '503' } }),
]
const filled: Fill = (database) => {
  addEvaluation(database, { id: 'eval-1', config: { description: 'first' }, results: { durationMs: 1500 } })
  addRows(database, 'eval-1', ROWS)
}
const folder = mkdtempSync(join(tmpdir(), 'promptfoo-'))

describe('the database of promptfoo', () => {
  it('has a run for each evaluation, with its time, its tags and what is left out', async () => {
    const path = databaseWith((database) => {
      filled(database)
      addEvaluation(database, { id: 'eval-2', createdAt: '2026-03-04 05:06:07', isRedTeam: true })
      addRows(database, 'eval-2', [promptfooRow()])
      database.exec(`
        INSERT INTO tags VALUES ('t', 'team', 'a'), ('b', 'branch', 'main');
        INSERT INTO evals_to_tags VALUES ('eval-2', 't'), ('eval-2', 'b');
        INSERT INTO traces VALUES ('1', '1', 'eval-2'), ('2', '2', 'eval-2'), ('3', '3', 'eval-1')`)
    })
    const results = await importFile(path)
    expect(countsOf(results)).toEqual(['2 / 1 / 1 / 0', '1 / 0 / 0 / 0'])
    expect(results.map(({ part }) => part)).toEqual(['eval-1', 'eval-2'])
    expect(results[0]?.document?.run).toMatchObject({
      suite: 'first',
      started_at: '2026-01-02T03:04:05Z',
      finished_at: '2026-01-02T03:04:06.5Z',
    })
    expect(results[1]?.document?.run).toMatchObject({
      started_at: '2026-03-04T05:06:07Z',
      git: { branch: 'main' },
      filters: { tags: ['team:a', 'redteam'] },
    })
    expect(lossesOf([results[1]!])).toContainEqual(
      expect.objectContaining({ kind: 'left_out', path: 'traces', note: '2 traces with their spans' }),
    )
  })

  it('is the same run as the JSON output, with equal cases, in whichever order the rows are', async () => {
    const json = await importBytes(
      'a.json',
      promptfooExport(ROWS.toReversed(), {
        config: { description: 'first' },
        results: { stats: { durationMs: 1500 } },
      }),
    )
    const path = databaseWith(filled)
    expect(countsOf(await importFile(path, { target: targetWith(json) }))).toEqual(['already_there'])
    const stored = await importFile(path)
    const [run, other] = [stored, json].map(([found]) => found?.document?.run)
    expect({ ...run, config_snapshot: null }).toEqual({ ...other, config_snapshot: null })
  })

  it.each([true, false])(
    'has the columns of the JSON output, if two show the same; with an index: %s',
    async (hasIndex) => {
      const rows = [0, 1].flatMap((testIdx) =>
        [0, 1].map((promptIdx) =>
          promptfooRow({
            ...{ testIdx, promptIdx, testCase: { vars: { testIdx } }, vars: { testIdx } },
            provider: { id: 'acme:m1', label: '', config: { temperature: promptIdx } },
            response: { output: `${testIdx} ${promptIdx}` },
          }),
        ),
      )
      const json = await importBytes('a.json', promptfooExport(rows.toReversed()))
      const path = databaseWith(
        (database) => {
          addEvaluation(database, { id: 'eval-1' })
          addRows(database, 'eval-1', rows)
        },
        { hasIndex },
      )
      expect(countsOf(await importFile(path, { target: targetWith(json) }))).toEqual(['already_there'])
      const [found] = await importFile(path)
      const providers = found?.document?.cases.map(({ cell }) => `${cell.provider_id} ${cell.repeat}`)
      expect(providers).toEqual(['acme:m1 0', 'acme:m1#2 0', 'acme:m1 0', 'acme:m1#2 0'])
    },
  )

  it.each([true, false])('reads rows in the order of tests and prompts; with an index: %s', async (hasIndex) => {
    const [found] = await importFile(databaseWith(filled, { hasIndex }))
    const places = found?.document?.cases.map(({ raw }) => raw as { testIdx: number; promptIdx: number })
    expect(places?.map(({ testIdx, promptIdx }) => [testIdx, promptIdx])).toEqual([
      [0, 0],
      [1, 0],
      [1, 1],
      [2, 0],
    ])
  })

  it.each([true, false])('knows what it has read by rows, changes and edits; with an index: %s', async (hasIndex) => {
    const path = databaseWith(filled, { hasIndex })
    const target = targetWith(await importFile(path))
    const again = async (change: string) => {
      const copy = newPath()
      copyFileSync(path, copy)
      const database = new Database(copy)
      database.exec(change)
      database.close()
      return countsOf(await importFile(copy, { target: { ...target, content: async () => null } }))
    }
    expect(await again('VACUUM')).toEqual(['already_there'])
    for (const change of [
      "UPDATE eval_results SET updated_at = '2026-02-01 00:00:00' WHERE test_idx = 2",
      'DELETE FROM eval_results WHERE test_idx = 2',
      `UPDATE evals SET config = '{"description":"other"}'`,
    ])
      expect((await again(change))[0]).not.toBe('already_there')
  })

  it('has all rows of an old evaluation in one text', async () => {
    const results = {
      version: 2,
      results: [promptfooRow({ testIdx: undefined }), 7],
      stats: { successes: 1 },
      table: { a: 1 },
    }
    for (const hasRows of [true, false]) {
      const path = databaseWith((database) => addEvaluation(database, { id: 'old', results }), { hasRows })
      const found = await importFile(path)
      expect(countsOf(found)).toEqual(['1 / 0 / 0 / 0'])
      expect(found[0]?.document?.run.config_snapshot).toMatchObject({ import: { format_version: '2' } })
      expect(lossesOf(found)).toContainEqual(expect.objectContaining({ kind: 'left_out', example: '7' }))
    }
  })

  it('refuses one evaluation, and reads the others', async () => {
    const path = databaseWith((database) => {
      filled(database)
      for (const id of ['eval-0', 'eval-2', 'eval-3', 'eval-4']) addEvaluation(database, { id })
      addRows(database, 'eval-0', [promptfooRow()])
      addRows(database, 'eval-2', [promptfooRow()])
      addRows(database, 'eval-3', [promptfooRow()])
      database.exec(`
        UPDATE eval_results SET response = '{"output":' WHERE eval_id = 'eval-0';
        UPDATE eval_results SET metadata = '${'['.repeat(5000)}' WHERE eval_id = 'eval-2';
        UPDATE eval_results SET response = zeroblob(70000000) WHERE eval_id = 'eval-3'`)
    })
    expect(countsOf(await importFile(path))).toEqual([
      expect.stringMatching(/^refused: not valid JSON at eval_results\.\*\.response/),
      '2 / 1 / 1 / 0',
      expect.stringMatching(/^refused: nested deeper than/),
      'refused: a row of eval_results is larger than 67108864 bytes',
      'refused: holds no cases',
    ])
  })

  it('is read as of its last commit while it is in use', async () => {
    const path = newPath()
    const database = createPromptfooDatabase(path)
    database.pragma('journal_mode = WAL')
    filled(database)
    database.exec('BEGIN IMMEDIATE')
    addEvaluation(database, { id: 'eval-2' })
    expect(countsOf(await importFile(path))).toEqual(['2 / 1 / 1 / 0'])
    database.exec('COMMIT')
    database.close()
  })

  it('is as it was, after it was read', async () => {
    const path = databaseWith(filled, { hasIndex: false })
    const before = readFileSync(path)
    await importFile(path)
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  it('says what to do where the write-ahead log cannot be opened', () => {
    const error = new Database.SqliteError('unable to open database file', 'SQLITE_CANTOPEN')
    expect(String(databaseRefused(error))).toContain(
      'copy it, with its -wal and -shm files, into a folder that can be written',
    )
  })

  it('must be on disk', async () => {
    const content = readFileSync(databaseWith(filled))
    expect(countsOf(await importBytes('promptfoo.db', content))).toEqual([
      'refused: a database must be a file on disk, and not gzipped',
    ])
  })

  it('runs nothing of a hostile schema', async () => {
    const trap = join(folder, 'trap.txt')
    const hostile: readonly [string, Fill][] = [
      [
        'eval_results is no table',
        (database) =>
          database.exec('ALTER TABLE eval_results RENAME TO r; CREATE VIEW eval_results AS SELECT * FROM r'),
      ],
      [
        'eval_results is no table',
        (database) => database.exec('DROP TABLE eval_results; CREATE VIRTUAL TABLE EVAL_RESULTS USING fts5(id)'),
      ],
      [
        'tags is no table',
        (database) => database.exec('DROP TABLE tags; CREATE VIEW tags AS SELECT 1 AS id, 2 AS name, 3 AS value'),
      ],
      [
        'is computed',
        (database) => database.exec("ALTER TABLE eval_results ADD COLUMN more AS (printf('%.*c', 1000000000, 'x'))"),
      ],
    ]
    for (const [reason, change] of hostile) {
      const path = databaseWith((database) => {
        filled(database)
        change(database)
      })
      expect(countsOf(await importFile(path))[0]).toContain(reason)
    }
    // A trigger is of no use to a reader, and a view that calls functions with effects is not run.
    const path = databaseWith((database) => {
      filled(database)
      database.exec(`
        CREATE TRIGGER t AFTER INSERT ON evals BEGIN SELECT load_extension('${trap}'); END;
        CREATE VIEW v AS SELECT load_extension('${trap}')`)
    })
    expect(countsOf(await importFile(path))).toEqual(['2 / 1 / 1 / 0'])
  })

  it('is refused where it is damaged or cut off', async () => {
    const content = readFileSync(
      databaseWith((database) => {
        filled(database)
        addRows(
          database,
          'more',
          Array.from({ length: 300 }, () => promptfooRow({ response: { output: 'x'.repeat(900) } })),
        )
      }),
    )
    for (const share of [0.02, 0.3, 0.6, 0.95]) {
      const path = newPath()
      writeFileSync(path, content.subarray(0, Math.floor(content.length * share)))
      for (const result of await importFile(path))
        if (result.outcome === 'refused') expect(result.reason).toMatch(/^the database cannot be read: /)
        else expect(result.outcome).toBe('converted')
    }
    const torn = Buffer.from(content)
    for (let at = 4096; at < torn.length; at += 4096) torn.fill(0xff, at, at + 64)
    const path = newPath()
    writeFileSync(path, torn)
    expect(countsOf(await importFile(path))[0]).toMatch(/^refused: the database cannot be read: /)
  })
})

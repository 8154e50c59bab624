import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { constants, zstdCompressSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { dialectText } from '../../storage/disk/migrations.ts'
import { SEARCH_COLUMNS } from '../../storage/search/search-index.ts'

// The store of the reference server: parses, compresses with zstd level 3, and writes the same rows and full-text index
// as the service, without checks. One durable transaction per document.

type Case = {
  cell: { provider_id: string; prompt_id?: string; test_id: string; repeat: number }
  case_key: string
  name?: string
  tags?: string[]
  status: string
  score: number
  output?: string
  prompt?: { text?: string; messages?: Array<{ content: string }> }
  stop_reason?: string
  asserts: Array<{ kind: string; status: string; score: number; reason: string }>
  usage?: { input_tokens: number; output_tokens: number }
  cost_usd?: number
  latency_ms: number
  cached?: boolean
  prompt_digest?: string
  provider_digest?: string
  assert_digest?: string
}
type Run = {
  run_id: string
  project: string
  suite: string
  started_at: string
  finished_at: string
  schema_version: number
  config_digest: string
  config_snapshot: { description?: string }
  git?: { branch?: string; commit?: string; dirty?: boolean }
  ci?: { provider?: string; run_url?: string }
  origin?: { actor?: string; host?: string; version?: string }
  filters?: { tags?: string[] }
  cases: Case[]
  summary: Record<string, number>
}

const RUN_COLUMNS = [
  'run_no',
  'id',
  'set_key',
  'project',
  'suite',
  'created_at',
  'uploaded_at',
  'schema_version',
  'content_hash',
  'hash_version',
  'document_sha256',
  'document_bytes',
  'config_digest',
  'git_branch',
  'git_commit',
  'git_dirty',
  'case_count',
  'pass_count',
  'fail_count',
  'error_count',
  'xfail_count',
  'xpass_count',
  'prompt_tokens',
  'completion_tokens',
  'cost_micro',
  'grader_cost_micro',
  'duration_ms',
  'cache_hits',
  'cache_misses',
  'empty_count',
  'assert_labels',
  'actor',
  'host',
  'ci_provider',
  'ci_run_url',
  'note',
  'service_version',
  'tags',
  'digests',
  'fully_cached',
  'failing',
  'erroring',
  'stored_cases',
  'largest_asserts',
]
const CASE_COLUMNS = [
  'run_no',
  'n',
  'history_key',
  'created_at',
  'case_key',
  'name',
  'status',
  'score',
  'provider_id',
  'prompt_id',
  'test_id',
  'repeat',
  'stop_reason',
  'cached',
  'prompt_tokens',
  'completion_tokens',
  'cost_micro',
  'latency_ms',
  'output_hash',
  'output_preview',
  'asserts',
  'tags',
  'prompt_digest',
  'provider_digest',
  'assert_digest',
  'document_offset',
  'document_length',
]
const sha256 = (text: string | Buffer): Buffer => createHash('sha256').update(text).digest()
const ZSTD_OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 3 } }
const FRAME_BYTES = 256 * 1024

const open = (dataDir: string): Database.Database => {
  const db = new Database(join(dataDir, 'floor.db'))
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.pragma('cache_size = -65536')
  for (const file of ['0001-events.sql', '0002-read-tables.sql', '0004-run-list-and-search.sql']) {
    const text = dialectText(
      readFileSync(new URL(`../../migrations/service/${file}`, import.meta.url), 'utf8'),
      'sqlite',
    )
    db.exec(text.replaceAll(/CREATE (TABLE|INDEX|VIRTUAL TABLE|TRIGGER) /g, 'CREATE $1 IF NOT EXISTS '))
  }
  return db
}

/**
 * Opens the store in a directory. `ingest` returns the status of an upload: 201, 200 for a duplicate, or 409.
 */
export const openFloor = (
  dataDir: string,
): { readonly db: Database.Database; readonly ingest: (bytes: Buffer) => number } => {
  const db = open(dataDir)
  const insert = (table: string, columns: readonly string[]) =>
    db.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`)
  const insertRun = insert('runs', RUN_COLUMNS)
  const insertCase = insert('cases', CASE_COLUMNS)
  const insertTag = insert('run_tags', ['tag', 'created_at', 'id', 'run_no'])
  const insertFrame = insert('document_frames', ['run_no', 'n', 'raw_length', 'bytes'])
  const insertSearch = insert('search', SEARCH_COLUMNS)
  const insertRunSearch = insert('run_search', SEARCH_COLUMNS)
  const insertMatrix = insert('matrices', ['run_no', 'column_count', 'columns', 'provider_costs'])
  const insertMatrixRow = insert('matrix_rows', ['run_no', 'n', 'is_full', 'body'])
  const insertEvent = insert('events', ['seq', 'recorded_at', 'type', 'commitment', 'leaf'])
  const insertBody = insert('event_bodies', ['seq', 'stream', 'version', 'salt', 'body'])
  const insertSeries = insert('suite_series', ['set_key', 'created_at', 'run_id', 'run_no', 'total', 'passed'])
  const upsertSet = db.prepare(`
    INSERT INTO sets (set_key, project, suite, run_count, case_count, pass_count, fail_count, error_count, empty_count, latest_run_no) VALUES (?, ?, ?, 1, ?, ?, ?, ?, 0, ?)
    ON CONFLICT (set_key) DO UPDATE SET run_count = run_count + 1, case_count = case_count + excluded.case_count, pass_count = pass_count + excluded.pass_count,
      fail_count = fail_count + excluded.fail_count, latest_run_no = excluded.latest_run_no`)
  const findById = db.prepare('SELECT run_no, content_hash FROM runs WHERE id = ?')
  const lastSeq = db.prepare('SELECT coalesce(max(seq), 0) FROM events').pluck()

  const ingest = (bytes: Buffer): number => {
    const run = JSON.parse(bytes.toString()) as Run
    const digest = sha256(bytes).toString('hex')
    const existing = findById.get(run.run_id) as { content_hash: string } | undefined
    if (existing) return existing.content_hash === digest ? 200 : 409
    db.exec('BEGIN IMMEDIATE')
    const seq = (lastSeq.get() as number) + 1
    const run_no = seq
    const finishedAt = Date.parse(run.finished_at)
    const { summary: s, git = {}, ci = {}, origin = {}, filters = {} } = run
    const setKey = JSON.stringify([run.project, run.suite])
    const leaf = sha256(digest)
    insertEvent.run(seq, Date.now(), 'RunIngested', leaf, leaf)
    insertBody.run(
      seq,
      `run/${run.run_id}`,
      1,
      leaf.subarray(0, 16),
      JSON.stringify({ data: { document_sha256: digest, run_no, project: run.project, suite: run.suite } }),
    )
    for (let n = 0; n * FRAME_BYTES < bytes.length; n++) {
      const raw = bytes.subarray(n * FRAME_BYTES, (n + 1) * FRAME_BYTES)
      insertFrame.run(run_no, n, raw.length, zstdCompressSync(raw, ZSTD_OPTIONS))
    }
    insertRun.run(
      run_no,
      run.run_id,
      setKey,
      run.project,
      run.suite,
      finishedAt,
      Date.now(),
      run.schema_version,
      digest,
      1,
      digest,
      bytes.length,
      run.config_digest,
      git.branch,
      git.commit,
      Number(git.dirty),
      s['total'],
      s['passed'],
      s['failed'],
      s['errored'],
      0,
      0,
      s['prompt_tokens'],
      s['completion_tokens'],
      Math.round((s['cost_usd'] ?? 0) * 1e6),
      Math.round((s['grader_cost_usd'] ?? 0) * 1e6),
      finishedAt - Date.parse(run.started_at),
      s['cache_hits'],
      s['cache_misses'],
      0,
      '["icontains","llm-rubric"]',
      origin.actor,
      origin.host,
      ci.provider ?? null,
      ci.run_url ?? null,
      run.config_snapshot.description,
      origin.version,
      JSON.stringify(filters.tags ?? []),
      '{}',
      0,
      Number((s['failed'] ?? 0) > 0),
      0,
      run.cases.length,
      2,
    )
    for (const tag of filters.tags ?? []) insertTag.run(tag, finishedAt, run.run_id, run_no)
    insertRunSearch.run(
      BigInt(run_no) << 20n,
      '',
      `${run.project} ${run.suite} ${git.branch} ${git.commit}`,
      (filters.tags ?? []).join(' '),
      '',
      '',
      '',
      '',
    )
    const rows = new Map<
      string,
      { n: number; name: string | undefined; cells: Array<Record<string, unknown> | null> }
    >()
    const columns = new Map<string, number>()
    for (const [n, c] of run.cases.entries()) {
      const output = c.output ?? ''
      const hash = sha256(output)
      const history = Number.parseInt(
        sha256(`${run.project}${run.suite}${c.case_key}`).toString('hex').slice(0, 12),
        16,
      )
      const asserts = c.asserts.map(({ kind, status, score }) => ({
        label: kind,
        kind,
        passed: status === 'pass',
        score,
      }))
      insertCase.run(
        run_no,
        n,
        history,
        finishedAt,
        c.case_key,
        c.name,
        c.status,
        c.score,
        c.cell.provider_id,
        c.cell.prompt_id,
        c.cell.test_id,
        c.cell.repeat,
        c.stop_reason,
        Number(c.cached),
        c.usage?.input_tokens,
        c.usage?.output_tokens,
        Math.round((c.cost_usd ?? 0) * 1e6),
        c.latency_ms,
        hash,
        output.slice(0, 300),
        JSON.stringify(asserts),
        (c.tags ?? []).map((tag) => `[${tag}]`).join(''),
        c.prompt_digest,
        c.provider_digest,
        c.assert_digest,
        n,
        1,
      )
      const prompt = c.prompt?.text ?? (c.prompt?.messages ?? []).map(({ content }) => content).join('\n')
      insertSearch.run(
        (BigInt(run_no) << 20n) + BigInt(n + 1),
        '',
        c.name,
        (c.tags ?? []).join(' '),
        '',
        c.asserts.map(({ reason }) => reason).join(' '),
        output,
        prompt,
      )
      const column = `${c.cell.provider_id}\0${c.cell.prompt_id}`
      if (!columns.has(column)) columns.set(column, columns.size)
      const row = rows.get(c.cell.test_id) ?? { n, name: c.name, cells: [] }
      rows.set(c.cell.test_id, row)
      row.cells[columns.get(column) ?? 0] = {
        total: 1,
        passed: c.status === 'pass' ? 1 : 0,
        failed: c.status === 'fail' ? 1 : 0,
        errored: 0,
        skipped: 0,
        xfailed: 0,
        xpassed: 0,
        score_mean: c.score,
        pass_fraction: c.status === 'pass' ? 1 : 0,
        distinct_outputs: 1,
        latency_ms_mean: c.latency_ms,
        cost_usd: c.cost_usd,
        fallback_answered: 0,
        case_keys: [c.case_key],
      }
    }
    insertMatrix.run(run_no, columns.size, JSON.stringify([...columns.keys()]), '[]')
    for (const [test_id, { n, name, cells }] of rows)
      insertMatrixRow.run(run_no, n, 1, JSON.stringify({ test_id, name, cells }))
    insertSeries.run(setKey, finishedAt, run.run_id, run_no, s['total'], s['passed'])
    upsertSet.run(setKey, run.project, run.suite, s['total'], s['passed'], s['failed'], s['errored'], run_no)
    db.exec('COMMIT')
    return 201
  }

  return { db, ingest }
}

import Database from 'better-sqlite3'

const SCHEMA = `
  CREATE TABLE evals (
    id TEXT PRIMARY KEY NOT NULL, created_at INTEGER DEFAULT CURRENT_TIMESTAMP NOT NULL, description TEXT,
    results TEXT NOT NULL, config TEXT NOT NULL, author TEXT, prompts TEXT, vars TEXT,
    is_redteam INTEGER DEFAULT false NOT NULL, runtime_options TEXT
  );
  CREATE TABLE tags (id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL);
  CREATE TABLE evals_to_tags (eval_id TEXT NOT NULL, tag_id TEXT NOT NULL, PRIMARY KEY (eval_id, tag_id));
  CREATE TABLE traces (id TEXT PRIMARY KEY NOT NULL, trace_id TEXT NOT NULL, evaluation_id TEXT NOT NULL);
`
const ROWS = `
  CREATE TABLE eval_results (
    id TEXT PRIMARY KEY NOT NULL, created_at INTEGER DEFAULT CURRENT_TIMESTAMP NOT NULL,
    updated_at INTEGER DEFAULT CURRENT_TIMESTAMP NOT NULL, eval_id TEXT NOT NULL, prompt_idx INTEGER NOT NULL,
    test_idx INTEGER NOT NULL, test_case TEXT NOT NULL, prompt TEXT NOT NULL, prompt_id TEXT, provider TEXT NOT NULL,
    latency_ms INTEGER, cost REAL, response TEXT, error TEXT, failure_reason INTEGER DEFAULT 0 NOT NULL,
    success INTEGER NOT NULL, score REAL NOT NULL, grading_result TEXT, named_scores TEXT, metadata TEXT
  );
`
const INDEX = 'CREATE INDEX eval_result_eval_test_idx ON eval_results (eval_id, test_idx);'

type Options = { readonly hasIndex?: boolean; readonly hasRows?: boolean }

/** Creates an empty database as promptfoo does. The caller closes it. */
export const createPromptfooDatabase = (path: string, { hasIndex = true, hasRows = true }: Options = {}) => {
  const database = new Database(path)
  database.exec(SCHEMA + (hasRows ? ROWS + (hasIndex ? INDEX : '') : ''))
  return database
}

type StoredEvaluation = {
  readonly id: string
  readonly createdAt?: number | string
  readonly config?: unknown
  readonly results?: unknown
  readonly isRedTeam?: boolean
}

export const addEvaluation = (
  database: Database.Database,
  { id, createdAt = 1_767_323_045_000, config = {}, results = {}, isRedTeam = false }: StoredEvaluation,
): void => {
  database
    .prepare('INSERT INTO evals (id, created_at, results, config, is_redteam) VALUES (?, ?, ?, ?, ?)')
    .run(id, createdAt, JSON.stringify(results), JSON.stringify(config), isRedTeam ? 1 : 0)
}

/** Adds rows, given as in the JSON output. */
export const addRows = (
  database: Database.Database,
  evalId: string,
  rows: ReadonlyArray<Readonly<Record<string, unknown>>>,
  updatedAt = '2026-01-02 03:04:06',
): void => {
  const insert = database.prepare(`
    INSERT INTO eval_results (id, created_at, updated_at, eval_id, prompt_idx, test_idx, test_case, prompt, prompt_id,
      provider, latency_ms, cost, response, error, failure_reason, success, score, grading_result, named_scores, metadata)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value))
  for (const [index, row] of rows.entries())
    insert.run(
      ...[`${evalId}-${index}`, updatedAt, updatedAt, evalId, row['promptIdx'], row['testIdx'], json(row['testCase'])],
      ...[json(row['prompt']), row['promptId'] ?? null, json(row['provider']), row['latencyMs'], row['cost'] ?? null],
      ...[json(row['response']), row['error'] ?? null, row['failureReason'], row['success'] === true ? 1 : 0],
      ...[row['score'], json(row['gradingResult']), json(row['namedScores']), json(row['metadata'])],
    )
}

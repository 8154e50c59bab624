import Database from 'better-sqlite3'
import { createWriteStream } from 'node:fs'
import { once } from 'node:events'

/** The tests of an evaluation, each of which is run with two prompts by two providers. */
const COLUMNS = 4
const WORDS = 'the city of paris is known for its museums and for the river that runs through it '

/** A row as promptfoo 0.123 writes it: about 3 KB, as in its own examples. */
const rowOf = (test: number, column: number, outputBytes: number) => {
  const vars = { city: `city ${test}`, country: `country ${test % 200}`, context: WORDS.repeat(4) }
  const assert = [
    { type: 'latency', threshold: 10_000 },
    { type: 'icontains', value: '{{country}}', weight: 2, metric: 'right' },
    { type: 'llm-rubric', value: 'says in one sentence of which country it is the capital' },
  ]
  const passes = (test + column) % 5 > 0
  const tokenUsage = { prompt: 220 + column, completion: 80, cached: 0, total: 300 + column, numRequests: 1 }
  const output = WORDS.repeat(Math.ceil(outputBytes / WORDS.length)).slice(0, outputBytes)
  const reason = passes ? 'All assertions passed' : 'Expected output to contain the country'
  return {
    cost: 0.0002,
    ...(!passes && { error: reason }),
    gradingResult: {
      pass: passes,
      score: passes ? 1 : 0.5,
      reason,
      namedScores: { right: passes ? 1 : 0 },
      tokensUsed: { total: 40, prompt: 30, completion: 10, cached: 0, numRequests: 1 },
      componentResults: assert.map((assertion, index) => ({
        pass: passes || index !== 1,
        score: passes || index !== 1 ? 1 : 0,
        reason: passes || index !== 1 ? 'Assertion passed' : reason,
        assertion,
      })),
    },
    id: `row-${test}-${column}`,
    latencyMs: 100 + (test % 400),
    namedScores: { right: passes ? 1 : 0 },
    prompt: {
      raw: `Of which country is city ${test} the capital? ${WORDS}`,
      label: column % 2 === 0 ? 'short' : 'long',
    },
    promptId: column % 2 === 0 ? 'a'.repeat(64) : 'b'.repeat(64),
    promptIdx: column,
    provider: { id: `openai:gpt-${column >> 1}`, label: '' },
    response: { output, tokenUsage, cost: 0.0002, finishReason: 'stop', cached: false },
    score: passes ? 1 : 0.5,
    success: passes,
    testCase: { vars, assert, options: {}, metadata: {} },
    testIdx: test,
    vars,
    metadata: { category: `category ${test % 7}` },
    failureReason: passes ? 0 : 1,
  }
}

/** Writes a database with evaluations of the given number of cases each. */
export const writeDatabase = (path: string, evaluations: number, casesEach: number, outputBytes: number): void => {
  const database = new Database(path)
  database.pragma('journal_mode = OFF')
  database.exec(`
    CREATE TABLE evals (id TEXT PRIMARY KEY NOT NULL, created_at INTEGER NOT NULL, description TEXT,
      results TEXT NOT NULL, config TEXT NOT NULL, author TEXT, prompts TEXT, vars TEXT, is_redteam INTEGER NOT NULL);
    CREATE TABLE eval_results (id TEXT PRIMARY KEY NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
      eval_id TEXT NOT NULL, prompt_idx INTEGER NOT NULL, test_idx INTEGER NOT NULL, test_case TEXT NOT NULL,
      prompt TEXT NOT NULL, prompt_id TEXT, provider TEXT NOT NULL, latency_ms INTEGER, cost REAL, response TEXT,
      error TEXT, failure_reason INTEGER NOT NULL, success INTEGER NOT NULL, score REAL NOT NULL, grading_result TEXT,
      named_scores TEXT, metadata TEXT);
    CREATE INDEX eval_result_eval_test_idx ON eval_results (eval_id, test_idx)`)
  const insertEvaluation = database.prepare(
    `INSERT INTO evals VALUES (?, ?, NULL, '{"durationMs":1000}', ?, 'ada', '[]', '[]', 0)`,
  )
  const insertRow = database.prepare(
    `INSERT INTO eval_results VALUES (${Array.from({ length: 20 }, () => '?').join(', ')})`,
  )
  const time = '2026-01-02 03:04:05'
  database.transaction(() => {
    for (let number = 0; number < evaluations; number++) {
      const id = `eval-${String(number).padStart(6, '0')}`
      insertEvaluation.run(
        id,
        1_767_323_045_000 + number * 60_000,
        JSON.stringify({ description: `suite ${number % 20}` }),
      )
      for (let index = 0; index < casesEach; index++) {
        const row = rowOf(Math.floor(index / COLUMNS), index % COLUMNS, outputBytes)
        insertRow.run(
          ...[`${id}-${index}`, time, time, id, row.promptIdx, row.testIdx, JSON.stringify(row.testCase)],
          ...[JSON.stringify(row.prompt), row.promptId, JSON.stringify(row.provider), row.latencyMs, row.cost],
          ...[JSON.stringify(row.response), row.error ?? null, row.failureReason, row.success ? 1 : 0, row.score],
          ...[JSON.stringify(row.gradingResult), JSON.stringify(row.namedScores), JSON.stringify(row.metadata)],
        )
      }
    }
  })()
  database.close()
}

/** Writes the JSON output of one evaluation, until it has the given size. Returns the number of its rows. */
export const writeJson = async (path: string, bytes: number, outputBytes: number): Promise<number> => {
  const file = createWriteStream(path)
  let written = 0
  let count = 0
  const write = async (text: string) => {
    written += text.length
    if (!file.write(text)) await once(file, 'drain')
  }
  await write(
    '{"evalId":"eval-bench","results":{"version":3,"timestamp":"2026-01-02T03:04:05.000Z","prompts":[],"results":[',
  )
  for (; written < bytes; count++) {
    const row = JSON.stringify(rowOf(Math.floor(count / COLUMNS), count % COLUMNS, outputBytes), null, 2)
    await write(count === 0 ? row : `,${row}`)
  }
  await write('],"stats":{"durationMs":1000}},"config":{"description":"bench"}}')
  file.end()
  await once(file, 'finish')
  return count
}

import { z } from 'zod'
import { CaseRow } from '../../domain/run/case-columns.ts'
import { RunRow } from '../../domain/run/run-columns.ts'
import {
  ASSERTION_STATUSES,
  CASE_STATUSES,
  outputText,
  promptProse,
  readCase,
  type NormalCase,
} from '../../domain/run/document.ts'
import { orNull, usd } from '../../domain/wire.ts'
import { any, maybeOne, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { BadParameter } from '../bad-parameter.ts'
import { columnList } from '../columns.ts'
import type { DocumentReader } from '../runs/documents.ts'

const count = z.number().int()
const text = z.string().nullable()

/** A text that may be cut. `length` is that of the whole text, in bytes of UTF-8. */
const CutText = z.object({ text: z.string(), length: count, truncated: z.boolean() })
type CutText = z.infer<typeof CutText>

const Assert = z.object({
  /** The metric or the name in the definition of the assertion; null if it has none. */
  name: text,
  kind: z.string(),
  negated: z.boolean(),
  judge: text,
  status: z.enum(ASSERTION_STATUSES),
  score: z.number(),
  weight: z.number(),
  threshold: z.number().nullable(),
  reason: CutText,
})

const Column = z.object({
  run_id: z.string(),
  note: text,
  project: text,
  suite: text,
  case_key: z.string(),
  name: text,
  provider_id: text,
  prompt_id: text,
  model: text,
  repeat: count.nullable(),
  status: z.enum(CASE_STATUSES),
  score: z.number().nullable(),
  error: text,
  /** Null if no output was recorded. */
  output: CutText.nullable(),
  prompt: CutText.nullable(),
  asserts: z.array(Assert),
  /** Names of the tools that the output calls, in order. */
  tool_calls: z.array(z.string()),
  latency_ms: count.nullable(),
  cost_usd: z.number().nullable(),
  input_tokens: count.nullable(),
  output_tokens: count.nullable(),
})

/** What each column answered to one test, side by side. */
export const TestOutputs = z
  .object({
    test_id: z.string(),
    name: text,
    /** The position of the column with which the others are compared. */
    against: count,
    /** All columns recorded the same prompt; null if fewer than two recorded one. */
    same_prompt: z.boolean().nullable(),
    columns: z.array(Column),
    /** Further cases of the test that are not listed. */
    left_out: count,
  })
  .meta({ id: 'TestOutputs' })
export type TestOutputs = z.infer<typeof TestOutputs>

const MAX_OUTPUT_BYTES = 64 * 1024
const MAX_PROMPT_BYTES = 16 * 1024
const MAX_REASON_CHARACTERS = 2_000

/** Maximum number of columns and of assertions of one column in a response. */
const MAX_COLUMNS = 48
const MAX_ASSERTS = 200

const RunPart = RunRow.pick({ run_no: true, id: true, project: true, suite: true, note: true })
const RUN_COLUMNS = columnList('runs', RunPart)
const findRunPart = (viewer: Viewer, id: string): Query<z.infer<typeof RunPart> | null> =>
  maybeOne(sql.type(RunPart)`SELECT ${RUN_COLUMNS} FROM runs WHERE id = ${id} AND ${visible(viewer, 'runs')}`)

const CasePart = CaseRow.pick({
  n: true,
  case_key: true,
  name: true,
  status: true,
  score: true,
  provider_id: true,
  prompt_id: true,
  repeat: true,
  latency_ms: true,
  cost_micro: true,
  prompt_tokens: true,
  completion_tokens: true,
  document_offset: true,
  document_length: true,
})
type CasePart = z.infer<typeof CasePart>
const CASE_COLUMNS = columnList('cases', CasePart)

const listCasesOfTest = (run_no: number, test_id: string): Query<CasePart[]> =>
  any(sql.type(CasePart)`
    SELECT ${CASE_COLUMNS} FROM cases WHERE run_no = ${run_no} AND test_id = ${test_id} ORDER BY n`)

/** Cuts a text at a number of bytes, between two characters. */
const cutBytes = (whole: string, bytes: number): CutText => {
  const length = Buffer.byteLength(whole)
  if (length <= bytes) return { text: whole, length, truncated: false }
  const raw = Buffer.from(whole.slice(0, bytes))
  let end = Math.min(bytes, raw.length)
  while (end > 0 && ((raw[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end--
  return { text: raw.subarray(0, end).toString('utf8'), length, truncated: true }
}

const cutCharacters = (whole: string, characters: number): CutText => {
  const length = Buffer.byteLength(whole)
  if (whole.length <= characters) return { text: whole, length, truncated: false }
  // Not between the two units of one character.
  const isSplit = /[\uD800-\uDBFF]/.test(whole.charAt(characters - 1))
  return { text: whole.slice(0, isSplit ? characters - 1 : characters), length, truncated: true }
}

const field = (value: unknown, ...names: readonly string[]): unknown => {
  if (typeof value !== 'object' || value === null) return undefined
  const fields = value as Readonly<Record<string, unknown>>
  return names.map((name) => fields[name]).find((each) => each !== undefined && each !== null && each !== '')
}
const textField = (value: unknown, ...names: readonly string[]): string | null => {
  const found = field(value, ...names)
  return typeof found === 'string' ? found.slice(0, 200) : null
}

const assertView = ({
  kind,
  status,
  score,
  weight,
  reason,
  criteria,
  details,
}: NormalCase['asserts'][number]): z.infer<typeof Assert> => {
  const threshold = field(criteria, 'threshold')
  return {
    name: textField(criteria, 'name', 'metric') ?? textField(details, 'name', 'metric'),
    kind,
    negated: field(criteria, 'negate') === true,
    judge: textField(criteria, 'judge') ?? textField(details, 'judge'),
    status,
    score,
    weight,
    threshold: typeof threshold === 'number' ? threshold : null,
    reason: cutCharacters(reason, MAX_REASON_CHARACTERS),
  }
}

const positive = (value: number | null): number | null => (value === null || value <= 0 ? null : value)

const columnView = (
  run: z.infer<typeof RunPart>,
  row: CasePart,
  { output, prompt, asserts, tool_calls, model, error }: NormalCase,
): z.infer<typeof Column> => {
  const answer = outputText(output)
  return {
    run_id: run.id,
    note: orNull(run.note),
    project: run.project,
    suite: run.suite,
    case_key: row.case_key,
    name: row.name,
    provider_id: row.provider_id,
    prompt_id: row.prompt_id,
    model: model ?? null,
    repeat: row.repeat,
    status: row.status,
    score: row.score,
    error: error === undefined || error === '' ? null : cutCharacters(error, MAX_REASON_CHARACTERS).text,
    output: answer === null ? null : cutBytes(answer, MAX_OUTPUT_BYTES),
    prompt: prompt === undefined ? null : cutBytes(promptProse(prompt), MAX_PROMPT_BYTES),
    asserts: asserts.slice(0, MAX_ASSERTS).map(assertView),
    tool_calls: (tool_calls ?? []).map(({ name }) => name),
    latency_ms: positive(row.latency_ms),
    cost_usd: usd(row.cost_micro),
    input_tokens: positive(row.prompt_tokens),
    output_tokens: positive(row.completion_tokens),
  }
}

type Asked = {
  readonly runs: readonly string[]
  readonly test_id: string
  /** The run with which the others are compared. */
  readonly against_run?: string | undefined
  /** For one run, the case key of the column with which the others are compared. */
  readonly against?: string | undefined
  /** Only these cases; all if undefined. */
  readonly cases?: readonly string[] | undefined
}

/**
 * The cases of one test in these runs, with their outputs; null if a run is unknown or hidden, or if no run has the
 * test. Throws `BadParameter` if `cases` names a case that the test does not have, or `against` one that is no column.
 * Reads parts of documents, so it must run on a reader thread.
 */
export const findTestOutputs = async (
  reader: Reader,
  documents: DocumentReader,
  viewer: Viewer,
  { runs: ids, test_id, against_run, against, cases }: Asked,
): Promise<TestOutputs | null> => {
  const columns: TestOutputs['columns'] = []
  const prompts = new Set<string>()
  const unknown = new Set(cases)
  let [found, prompted, isKnown] = [0, 0, false]
  for (const id of ids) {
    const run = await reader.read(findRunPart(viewer, id))
    if (!run) return null
    const rows = await reader.read(listCasesOfTest(run.run_no, test_id))
    isKnown ||= rows.length > 0
    for (const row of rows) {
      if (cases && !cases.includes(row.case_key)) continue
      unknown.delete(row.case_key)
      found++
      if (columns.length === MAX_COLUMNS) continue
      const normal = readCase(await documents.slice(run.run_no, row.document_offset, row.document_length))
      if (normal.prompt !== undefined) {
        prompted++
        prompts.add(JSON.stringify(normal.prompt))
      }
      columns.push(columnView(run, row, normal))
    }
  }
  if (!isKnown) return null
  const [absent] = unknown
  if (absent !== undefined) throw new BadParameter(`cases: the test has no case ${JSON.stringify(absent)}`)
  const position = columns.findIndex(({ run_id, case_key }) =>
    against === undefined ? run_id === against_run : case_key === against,
  )
  if (against !== undefined && position < 0)
    throw new BadParameter(`against: no column is the case ${JSON.stringify(against)}`)
  return {
    test_id,
    name: columns.find(({ name }) => name !== null)?.name ?? null,
    against: Math.max(0, position),
    same_prompt: prompted < 2 ? null : prompts.size === 1,
    columns,
    left_out: found - columns.length,
  }
}

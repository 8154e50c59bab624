import { isKnown } from '../../document/known.ts'
import type { Losses } from '../../document/losses.ts'
import { numberAt, textAt } from '../../read/members.ts'
import { storedJson } from '../../read/rows/records.ts'
import type { RowStore } from '../../read/rows/row-store.ts'
import type { JsonObject } from '../../read/row.ts'
import type { EvaluationRow } from './tests.ts'

/** The traces of an evaluation, by the results to which they belong. */
export type Traces = {
  readonly of: (row: EvaluationRow) => readonly JsonObject[]
  /** Records the traces that were of no result. */
  readonly recordOthers: (losses: Losses) => void
}

const place = (value: unknown): string | null => {
  const [test, prompt] = [numberAt(value, 'testIdx'), numberAt(value, 'promptIdx')]
  return test === null || prompt === null ? null : `${test}-${prompt}`
}

/** The result that a trace names: by its test and its prompt, else by the id of its test case, which may be both of them too. */
export const resultOf = (trace: JsonObject): string =>
  place(trace['metadata'] ?? null) ?? textAt(trace, 'testCaseId') ?? '(none)'

/** The names that the traces of a result may have for it. */
export const namesOfResult = (row: EvaluationRow): readonly string[] =>
  [place(row), textAt(row, 'testCase', 'metadata', 'testCaseId'), textAt(row, 'testCase', 'id')].filter(isKnown)

/** The traces in a store, by `resultOf`. */
export const storedTraces = (store: RowStore): Traces => {
  const used = new Set<string>()
  return {
    of: (row) => {
      for (const name of namesOfResult(row)) {
        const found = store.allOf(name)
        if (found.length === 0) continue
        used.add(name)
        return found.map(({ body }) => storedJson(body))
      }
      return []
    },
    recordOthers: (losses) => {
      for (const name of store.runs())
        if (!used.has(name))
          for (const { body } of store.rowsOf(name)) losses.add('left_out', 'traces.*', body, 'a trace of no result')
    },
  }
}

import { exporterOf, type CaseText } from '../../domain/report/exporter.ts'
import { hiddenNote } from '../../domain/lists/hidden-cases.ts'
import { parsedCase, SMALL_BATCH } from './case-batch.ts'
import { hiddenBy } from './columns.ts'

/**
 * JSON Lines: `{"run": …}` without its cases, then each case in its normal form. Numbers keep all their digits. If cases are
 * hidden, the run says how many, and each of them has the number of the case that is shown in its place, from 1. `added` and
 * `comments` next to `run` have what people added to it and said about it.
 */
export const jsonl = exporterOf<null>({
  order: 'document',
  batch: SMALL_BATCH,
  begin: ({ run, hidden_cases, added, comments }) => {
    const said = hidden_cases > 0 && { hidden_cases, note: hiddenNote(hidden_cases) }
    const line = { run: { ...run, ...said }, ...(added && { added }), ...(comments.length > 0 && { comments }) }
    return { output: [`${JSON.stringify(line)}\n`], state: null }
  },
  add: (state, cases) => ({ output: cases.map((text) => `${JSON.stringify(caseLine(text))}\n`), state }),
  end: (state) => ({ output: [], state, again: false }),
})

const caseLine = (text: CaseText) =>
  text.hidden_by === undefined ? parsedCase(text) : { ...parsedCase(text), hidden_by: hiddenBy(text) }

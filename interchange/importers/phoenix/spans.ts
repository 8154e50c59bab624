import type { CaseEvidence } from '../../document/evidence/case-evidence.ts'
import { newLosses, type Losses } from '../../document/losses.ts'
import { lookAt, type Look } from '../../read/look.ts'
import { textAt } from '../../read/members.ts'
import { records, shownRecords, storedJson } from '../../read/rows/records.ts'
import { openRowStore } from '../../read/rows/row-store.ts'
import type { SourceFile } from '../../read/source-file.ts'
import { isFetchedPage, listFacts } from '../pages.ts'
import { phoenixEvidence } from './transcript.ts'

/** The member of a page of the API that holds its rows. */
const PAGE = 'data'
const KEYS = ['context', 'span_kind', 'parent_id'] as const

/** Whether a file is a page of spans, as the API gives it. A first span that is too long is not shown. */
export const isSpansPage = (look: Look): boolean => {
  if (look.kind !== 'json' || Array.isArray(look.head)) return false
  const [span] = shownRecords(look, PAGE)
  return KEYS.every((key) => span !== undefined && Object.hasOwn(span, key)) || isFetchedPage(look, 'spans', PAGE)
}

/** The spans of pages, by their traces. Without evidence each is recorded as left out. */
export const openSpans = async (files: readonly SourceFile[], hasEvidence: boolean) => {
  const store = openRowStore()
  const reading = newLosses()
  const list = listFacts({ cursors: ['next_cursor'] })
  let count = 0
  try {
    for (const file of files) {
      const look = await lookAt(file)
      if (!isSpansPage(look)) continue
      for await (const span of records(file, look.kind, PAGE, reading, list.add)) {
        count += 1
        const trace = textAt(span, 'context', 'trace_id')
        if (hasEvidence && trace !== null) store.add(trace, '', count, JSON.stringify(span))
        else reading.add('left_out', '(spans)', span, hasEvidence ? 'a span of no trace' : 'a span')
      }
    }
  } catch (error) {
    store[Symbol.dispose]()
    throw error
  }
  list.compare(count, reading)
  const traces = store.runs()
  const known = new Set(traces)
  const spansOf = (trace: string) => store.allOf(trace).map(({ body }) => storedJson(body))
  return {
    /** The spans of a trace, which are read with its transcript; null if there are none. */
    evidenceOf: (trace: string): CaseEvidence | null =>
      known.has(trace) ? phoenixEvidence(trace, () => spansOf(trace)) : null,
    /** Records what was lost, and the spans of other traces, such as those of attempts that failed. */
    recordOthers: (named: ReadonlySet<string>, losses: Losses): void => {
      losses.addAll(reading.all())
      for (const trace of traces)
        if (!named.has(trace))
          for (const { body } of store.rowsOf(trace))
            losses.add('left_out', '(spans)', storedJson(body), 'a span of a trace that no row names')
    },
    [Symbol.dispose]: () => store[Symbol.dispose](),
  }
}

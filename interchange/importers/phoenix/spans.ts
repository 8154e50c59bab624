import type { CaseEvidence } from '../../document/evidence/case-evidence.ts'
import { newLosses, type Losses } from '../../document/losses.ts'
import { MAX_ELEMENT_BYTES } from '../../read/json/json-elements.ts'
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
export const openSpans = async (
  files: readonly SourceFile[],
  hasEvidence: boolean,
  maxTraceBytes = MAX_ELEMENT_BYTES,
) => {
  const store = openRowStore()
  const reading = newLosses()
  const list = listFacts({ cursors: ['next_cursor'] })
  /** The length of the spans of each trace, in the order of their first. */
  const sizes = new Map<string, number>()
  let count = 0
  try {
    for (const file of files) {
      const look = await lookAt(file)
      if (!isSpansPage(look)) continue
      for await (const span of records(file, look.kind, PAGE, reading, list.add, true)) {
        count += 1
        const trace = textAt(span, 'context', 'trace_id')
        if (hasEvidence && trace !== null) {
          const body = JSON.stringify(span)
          sizes.set(trace, (sizes.get(trace) ?? 0) + body.length)
          store.add(trace, '', count, body)
        } else reading.add('left_out', '(spans)', span, hasEvidence ? 'a span of no trace' : 'a span')
      }
    }
  } catch (error) {
    store[Symbol.dispose]()
    throw error
  }
  list.compare(count, reading)
  const isShown = (trace: string) => (sizes.get(trace) ?? Infinity) <= maxTraceBytes
  const spansOf = (trace: string) => store.allOf(trace).map(({ body }) => storedJson(body))
  return {
    /** The spans of a trace, which are read with its transcript; null if there are none, or they are too large together. */
    evidenceOf: (trace: string): CaseEvidence | null =>
      isShown(trace) ? phoenixEvidence(trace, () => spansOf(trace)) : null,
    /** Records what was lost, and the spans of traces without a transcript, such as those of attempts that failed. */
    recordOthers: (named: ReadonlySet<string>, losses: Losses): void => {
      losses.addAll(reading.all())
      for (const trace of sizes.keys()) {
        if (named.has(trace) && isShown(trace)) continue
        const note = named.has(trace) ? 'a span of a trace that is too large' : 'a span of a trace that no row names'
        for (const { body } of store.rowsOf(trace)) losses.add('left_out', '(spans)', storedJson(body), note)
      }
    },
    [Symbol.dispose]: () => store[Symbol.dispose](),
  }
}

import { exporterOf } from '../../domain/report/exporter.ts'
import { parsedCase, SMALL_BATCH } from './case-batch.ts'
import { hiddenBy } from './columns.ts'
import {
  aggregateRecord,
  eeePath,
  eeeRunOf,
  NO_CASES,
  sampleRecord,
  type EeeCounts,
  type EeeRun,
} from './eee-records.ts'
import { sha256Add, sha256End, sha256Start, type Sha256State } from './resumable-sha256.ts'
import { addToMember, closeMember, openMember, zipStart, zipEnd, type ZipState } from './zip.ts'

/** The provider whose cases are being written. */
type Current = { readonly provider_id: string; readonly counts: EeeCounts; readonly sha256: Sha256State }

type State = { readonly run: EeeRun; readonly zip: ZipState; readonly current: Current | null }

/**
 * Every Eval Ever: for each provider the records of its cases, then one aggregate record with their checksum, in a zip
 * without compression.
 */
export const everyEvalEver = exporterOf<State>({
  order: 'provider',
  batch: SMALL_BATCH,
  begin: ({ run, hidden_cases }) => ({
    output: [],
    state: { run: eeeRunOf(run, hidden_cases), zip: zipStart(), current: null },
  }),
  add: (state, cases) => {
    const output: Uint8Array[] = []
    let { zip, current } = state
    for (const text of cases) {
      const item = parsedCase(text)
      const { provider_id } = item.cell
      if (current?.provider_id !== provider_id) {
        const ended = endProvider(state.run, zip, current)
        const opened = openMember(ended.zip, samplesPath(state.run, provider_id))
        output.push(...ended.output, opened.bytes)
        zip = opened.zip
        current = { provider_id, counts: NO_CASES, sha256: sha256Start() }
      }
      const line = Buffer.from(`${JSON.stringify(sampleRecord(state.run, item, hiddenBy(text)))}\n`)
      output.push(line)
      zip = addToMember(zip, line)
      current = {
        provider_id,
        counts: addCase(current.counts, item, text.hidden_by !== undefined),
        sha256: sha256Add(current.sha256, line),
      }
    }
    return { output, state: { ...state, zip, current } }
  },
  end: (state) => {
    const { zip, output } = endProvider(state.run, state.zip, state.current)
    return { output: [...output, zipEnd(zip)], state: { ...state, zip, current: null }, again: false }
  },
})

const samplesPath = (run: EeeRun, provider_id: string): string => `${eeePath(run, provider_id)}_samples.jsonl`

const addCase = (
  counts: EeeCounts,
  { status, score }: { readonly status: string; readonly score: number },
  isHidden: boolean,
): EeeCounts => {
  const rows = counts.rows + 1
  if (isHidden) return { ...counts, rows }
  return {
    rows,
    total: counts.total + 1,
    scores: counts.scores + score,
    statuses: { ...counts.statuses, [status]: (counts.statuses[status] ?? 0) + 1 },
  }
}

/** Ends the records of a provider, and writes their aggregate. */
const endProvider = (
  run: EeeRun,
  zip: ZipState,
  current: Current | null,
): { readonly zip: ZipState; readonly output: readonly Uint8Array[] } => {
  if (!current) return { zip, output: [] }
  const { provider_id, counts, sha256 } = current
  const samples = { path: samplesPath(run, provider_id), sha256: sha256End(sha256) }
  const record = Buffer.from(`${JSON.stringify(aggregateRecord(run, provider_id, counts, samples), null, 2)}\n`)
  const ended = closeMember(zip)
  const opened = openMember(ended.zip, `${eeePath(run, provider_id)}.json`)
  const closed = closeMember(addToMember(opened.zip, record))
  return { zip: closed.zip, output: [ended.bytes, opened.bytes, record, closed.bytes] }
}

import type { z } from 'zod'
import { CaseRow } from '../../domain/run/case-columns.ts'
import type { CaseText } from '../../domain/report/exporter.ts'
import { any, sql, type Fragment } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { DocumentReader } from '../runs/documents.ts'
import type { Run } from '../runs/run.ts'

const Listed = CaseRow.pick({ n: true, provider_id: true, document_offset: true, document_length: true }).extend({
  hidden_by: CaseRow.shape.n.nullable(),
})
type Listed = z.infer<typeof Listed>
type Place = Pick<Listed, 'n' | 'document_offset' | 'document_length' | 'hidden_by'>

/** The run of a walk. */
type WalkedRun = Pick<Run, 'run_no' | 'hidden_cases'>

/**
 * Where a walk over the cases of a run continues: at the places that are listed already, then after the last of them.
 * Each place is four numbers: the case, its offset, its length, and the case that hides it, or -1. `ahead` has the bytes of the first of these cases
 * from `aheadAt` on, one after another, if they were read already. It is shared memory, so that threads pass it on
 * without a copy.
 */
export type WalkPosition = {
  readonly listed: Float64Array
  readonly after: { readonly n: number; readonly provider_id: string } | null
  readonly ahead: SharedArrayBuffer
  readonly aheadAt: number
}
const NOTHING_AHEAD = new SharedArrayBuffer(0)
export const WALK_START: WalkPosition = {
  listed: new Float64Array(),
  after: null,
  ahead: NOTHING_AHEAD,
  aheadAt: 0,
}

/**
 * Cases that are listed at once in the order of providers. No index has this order, so each query sorts all cases of the
 * run. A part of an export passes their places to the next: 32 bytes for each.
 */
const LISTED_BY_PROVIDER = 8_192

/**
 * Bytes that are read ahead in the order of providers. The cases of a provider may lie anywhere in a document, so those of
 * a page are read in the order of the document: each part of the document is unpacked once for all of them, and not once
 * for each provider. A position holds them.
 */
export const READ_AHEAD_BYTES = 2 * 1024 * 1024

const COLUMNS = sql.fragment`n, provider_id, document_offset, document_length`

/** The rows of a run from a position on: the cases that lists show, and the hidden ones if there are any. */
const placesFrom = (run_no: number, hasHidden: boolean, from: Fragment): Fragment => {
  const shown = sql.fragment`
    SELECT ${COLUMNS}, CAST(NULL AS bigint) AS hidden_by FROM cases WHERE run_no = ${run_no} AND ${from}`
  return hasHidden
    ? sql.fragment`${shown} UNION ALL SELECT ${COLUMNS}, hidden_by FROM hidden_cases WHERE run_no = ${run_no} AND ${from}`
    : shown
}

const listPlaces = (
  { run_no, hidden_cases }: WalkedRun,
  order: 'document' | 'provider',
  after: WalkPosition['after'],
  maxCases: number,
): Query<Listed[]> => {
  const hasHidden = (hidden_cases ?? 0) > 0
  if (order === 'document') {
    const rows = placesFrom(run_no, hasHidden, sql.fragment`n > ${after?.n ?? -1}`)
    return any(sql.type(Listed)`${rows} ORDER BY n LIMIT ${maxCases}`)
  }
  const place =
    after === null ? sql.fragment`TRUE` : sql.fragment`(provider_id, n) > (${after.provider_id}, ${after.n})`
  const rows = placesFrom(run_no, hasHidden, place)
  return any(sql.type(Listed)`${rows} ORDER BY provider_id, n LIMIT ${LISTED_BY_PROVIDER}`)
}

/** Bytes between two cases that are read with them. */
const MAX_GAP_BYTES = 4 * 1024
/** Maximum bytes of several cases that are read at once. */
const MAX_READ_BYTES = 256 * 1024

export type CaseBatch = {
  readonly cases: readonly CaseText[]
  /** Bytes of the document that were read. */
  readonly bytes: number
  readonly next: WalkPosition
}

/**
 * The next cases of a run, as they are stored; null after the last. The batch ends with the case that reaches a limit.
 * Cases that follow each other in the document are read at once.
 */
export const readBatch = async (
  reader: Reader,
  documents: DocumentReader,
  walked: WalkedRun,
  { order, batch }: { readonly order: 'document' | 'provider'; readonly batch: { maxCases: number; maxBytes: number } },
  from: WalkPosition,
): Promise<CaseBatch | null> => {
  const { run_no } = walked
  let { listed, after, ahead, aheadAt } = from
  const places: Place[] = []
  let bytes = 0
  while (places.length < batch.maxCases && bytes < batch.maxBytes) {
    if (listed.length === 0) {
      const rows = await reader.read(listPlaces(walked, order, after, batch.maxCases))
      const last = rows.at(-1)
      if (!last) break
      after = { n: last.n, provider_id: last.provider_id ?? '' }
      listed = Float64Array.from(
        rows.flatMap((row) => [row.n, row.document_offset, row.document_length, row.hidden_by ?? -1]),
      )
    }
    if (order === 'provider' && aheadAt + bytes === ahead.byteLength) {
      if (places.length > 0) break
      // The first batch reads as much as it needs, so that the response begins early.
      const maxBytes = from.after === null ? batch.maxBytes : READ_AHEAD_BYTES
      ahead = await readAhead(documents, run_no, placesIn(listed, maxBytes))
      aheadAt = 0
    }
    const [place] = placesIn(listed.subarray(0, PLACE_NUMBERS))
    if (!place) break
    places.push(place)
    bytes += place.document_length
    listed = listed.subarray(PLACE_NUMBERS)
  }
  if (places.length === 0) return null
  const cases =
    order === 'provider'
      ? cut(places, new Uint8Array(ahead).slice(aheadAt, aheadAt + bytes))
      : await readPlaces(documents.sliceInOrder, run_no, places)
  aheadAt += order === 'provider' ? bytes : 0
  const isUsed = aheadAt === ahead.byteLength
  return {
    cases,
    bytes,
    // A copy, so that the places that were read are not passed on.
    next: { listed: listed.slice(), after, ahead: isUsed ? NOTHING_AHEAD : ahead, aheadAt: isUsed ? 0 : aheadAt },
  }
}

const PLACE_NUMBERS = 4

/** The first places of a list with at most the given bytes together, but at least one. */
const placesIn = (listed: Float64Array, maxBytes = 0): Place[] => {
  const places: Place[] = []
  let bytes = 0
  for (let at = 0; at < listed.length; at += PLACE_NUMBERS) {
    const [n = 0, document_offset = 0, document_length = 0, hidden_by = -1] = listed.subarray(at, at + PLACE_NUMBERS)
    bytes += document_length
    if (places.length > 0 && bytes > maxBytes) break
    places.push({ n, document_offset, document_length, hidden_by: hidden_by < 0 ? null : hidden_by })
  }
  return places
}

/** Reads cases in the order of the document. Returns their bytes in the given order, one after another. */
const readAhead = async (
  documents: DocumentReader,
  run_no: number,
  places: readonly Place[],
): Promise<SharedArrayBuffer> => {
  const starts = new Map<number, number>()
  let length = 0
  for (const { n, document_length } of places) {
    starts.set(n, length)
    length += document_length
  }
  const shared = new SharedArrayBuffer(length)
  const ahead = new Uint8Array(shared)
  const inOrder = places.toSorted((a, b) => a.document_offset - b.document_offset)
  // One group of neighbours after another, so that only the bytes of the last group are in memory twice.
  for (const run of neighbours(inOrder))
    for (const { n, bytes } of await readPlaces(documents.slice, run_no, run)) ahead.set(bytes, starts.get(n))
  return shared
}

const caseText = ({ n, hidden_by }: Place, bytes: Uint8Array): CaseText =>
  hidden_by === null ? { n, bytes } : { n, bytes, hidden_by }

/** Cuts bytes that were read ahead into cases. */
const cut = (places: readonly Place[], ahead: Uint8Array): CaseText[] => {
  let at = 0
  return places.map((place) => caseText(place, ahead.subarray(at, (at += place.document_length))))
}

/** Reads cases; those that follow each other in the document are read at once. */
const readPlaces = async (
  slice: DocumentReader['slice'],
  run_no: number,
  places: readonly Place[],
): Promise<CaseText[]> => {
  const cases: CaseText[] = []
  for (const run of neighbours(places)) {
    const start = run[0]?.document_offset ?? 0
    const end = run.at(-1)
    const read = await slice(run_no, start, (end ? end.document_offset + end.document_length : start) - start)
    for (const place of run) {
      const at = place.document_offset - start
      cases.push(caseText(place, read.subarray(at, at + place.document_length)))
    }
  }
  return cases
}

/** Cuts places into runs that are read at once. */
const neighbours = (places: readonly Place[]): Place[][] => {
  const runs: Place[][] = []
  let from = 0
  let end = Number.NEGATIVE_INFINITY
  for (const place of places) {
    const placeEnd = place.document_offset + place.document_length
    const gap = place.document_offset - end
    const last = runs.at(-1)
    if (last && gap >= 0 && gap <= MAX_GAP_BYTES && placeEnd - from <= MAX_READ_BYTES) last.push(place)
    else {
      runs.push([place])
      from = place.document_offset
    }
    end = placeEnd
  }
  return runs
}

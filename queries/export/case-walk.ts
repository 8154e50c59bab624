import type { z } from 'zod'
import { CaseRow } from '../../domain/run/columns.ts'
import type { CaseText } from '../../domain/report/exporter.ts'
import { any, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { DocumentReader } from '../runs/documents.ts'

const Place = CaseRow.pick({ n: true, provider_id: true, document_offset: true, document_length: true })
type Place = z.infer<typeof Place>

/** Where a walk over the cases of a run continues: after this case. */
export type WalkPosition = { readonly n: number; readonly provider_id: string }

const COLUMNS = sql.fragment`n, provider_id, document_offset, document_length`

const listPlaces = (
  run_no: number,
  order: 'document' | 'provider',
  after: WalkPosition | null,
  limit: number,
): Query<Place[]> => {
  if (order === 'document')
    return any(sql.type(Place)`
      SELECT ${COLUMNS} FROM cases WHERE run_no = ${run_no} AND n > ${after?.n ?? -1} ORDER BY n LIMIT ${limit}`)
  const place =
    after === null ? sql.fragment`TRUE` : sql.fragment`(provider_id, n) > (${after.provider_id}, ${after.n})`
  return any(sql.type(Place)`
    SELECT ${COLUMNS} FROM cases WHERE run_no = ${run_no} AND ${place} ORDER BY provider_id, n LIMIT ${limit}`)
}

/** Bytes between two cases that are read with them. */
const MAX_GAP_BYTES = 4 * 1024
/** Maximum bytes of several cases that are read at once. */
const MAX_READ_BYTES = 256 * 1024

export type CaseBatch = {
  readonly cases: readonly CaseText[]
  /** Bytes of the document that were read. */
  readonly bytes: number
  /** The last case of the batch. */
  readonly last: WalkPosition
}

/**
 * The next cases of a run, as they are stored; null after the last. The batch ends with the case that reaches a limit.
 * Cases that follow each other in the document are read at once.
 */
export const readBatch = async (
  reader: Reader,
  documents: DocumentReader,
  { run_no }: { readonly run_no: number },
  { order, batch }: { readonly order: 'document' | 'provider'; readonly batch: { maxCases: number; maxBytes: number } },
  after: WalkPosition | null,
): Promise<CaseBatch | null> => {
  const places: Place[] = []
  let bytes = 0
  for (const place of await reader.read(listPlaces(run_no, order, after, batch.maxCases))) {
    places.push(place)
    bytes += place.document_length
    if (bytes >= batch.maxBytes) break
  }
  const last = places.at(-1)
  if (!last) return null
  const cases: CaseText[] = []
  for (const run of neighbours(places)) {
    const from = run[0]?.document_offset ?? 0
    const end = run.at(-1)
    const read = await documents.slice(run_no, from, (end ? end.document_offset + end.document_length : from) - from)
    for (const { n, document_offset, document_length } of run)
      cases.push({ n, bytes: read.subarray(document_offset - from, document_offset - from + document_length) })
  }
  return { cases, bytes, last: { n: last.n, provider_id: last.provider_id ?? '' } }
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

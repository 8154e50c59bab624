import { CaseRow } from '../../domain/run/case-columns.ts'
import { openDocument, type NormalRun } from '../../domain/run/document.ts'
import { any, maybeOne, sql } from '../../storage/sql.ts'
import type { Reader } from '../../storage/storage.ts'
import type { DocumentReader } from '../runs/documents.ts'
import type { Run } from '../runs/run.ts'

const Place = CaseRow.pick({ document_offset: true, document_length: true })

/** The first or the last stored case of a run. */
const findEndCase = (run_no: number, end: 'first' | 'last') =>
  maybeOne(sql.type(Place)`
    SELECT document_offset, document_length FROM cases WHERE run_no = ${run_no}
    ORDER BY n ${end === 'first' ? sql.fragment`ASC` : sql.fragment`DESC`} LIMIT 1`)

/**
 * Everything of a document but its cases. Only the bytes before the first stored case and after the last are read. Cases
 * after the last stored one repeat a key; they are dropped too.
 */
export const readRunHead = async (
  reader: Reader,
  documents: DocumentReader,
  { run_no, document_bytes }: Run,
): Promise<NormalRun> => {
  const first = await reader.read(findEndCase(run_no, 'first'))
  const last = await reader.read(findEndCase(run_no, 'last'))
  if (!first || !last) return openDocument(await documents.slice(run_no, 0, document_bytes), Infinity).run
  const end = last.document_offset + last.document_length
  const [before, firstCase, after] = [
    await documents.slice(run_no, 0, first.document_offset),
    await documents.slice(run_no, first.document_offset, first.document_length),
    await documents.slice(run_no, end, document_bytes - end),
  ]
  // With one case, a comma before a repeated one stays in its place.
  return openDocument(Buffer.concat([before, firstCase, after]), Infinity).run
}

const CaseNumber = CaseRow.pick({ n: true })

/**
 * The cases whose test has trials that disagree: some passed (or failed as expected), others failed or ended with an
 * error. One bit for each case number.
 */
export const readFlakyCases = async (reader: Reader, { run_no }: Run): Promise<Uint8Array> => {
  const passed = sql.fragment`CASE WHEN status IN ('pass', 'xfail') THEN 1 WHEN status = 'skip' THEN NULL ELSE 0 END`
  const rows = await reader.read(
    any(sql.type(CaseNumber)`
      SELECT cases.n FROM cases JOIN (
        SELECT provider_id, coalesce(prompt_id, '') AS prompt, test_id FROM cases WHERE run_no = ${run_no}
        GROUP BY provider_id, coalesce(prompt_id, ''), test_id HAVING min(${passed}) < max(${passed})
      ) tests ON tests.provider_id = cases.provider_id AND tests.prompt = coalesce(cases.prompt_id, '') AND tests.test_id = cases.test_id
      WHERE cases.run_no = ${run_no} ORDER BY cases.n`),
  )
  const bits = new Uint8Array(((rows.at(-1)?.n ?? -8) >> 3) + 1)
  for (const { n } of rows) bits[n >> 3] = (bits[n >> 3] ?? 0) | (1 << (n & 7))
  return bits
}

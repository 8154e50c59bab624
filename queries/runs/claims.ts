import type { z } from 'zod'
import { RunRow } from '../../domain/run/run-columns.ts'
import { any, mapped, maybeOne, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { includes, findLevel } from '../access/levels.ts'
import { columnList } from '../columns.ts'

// Finds the run that has a given id or given bytes. An upload is compared with that run.

const Claim = RunRow.pick({
  run_no: true,
  id: true,
  project: true,
  suite: true,
  content_hash: true,
  hash_version: true,
})
export type Claim = z.infer<typeof Claim>

const COLUMNS = columnList('runs', Claim)

/** The run that has an id. Takes no viewer: a clash is reported even if the other run is hidden. */
export const findClaim = (id: string): Query<Claim | null> =>
  maybeOne(sql.type(Claim)`SELECT ${COLUMNS} FROM runs WHERE id = ${id}`)

/** The run that was uploaded as exactly these bytes. Takes no viewer, as `findClaim`. */
export const findClaimByDocument = (sha256: string): Query<Claim | null> =>
  mapped(
    any(sql.type(Claim)`SELECT ${COLUMNS} FROM runs WHERE document_sha256 = ${sha256} ORDER BY run_no LIMIT 1`),
    (rows) => rows[0] ?? null,
  )

/**
 * The id of the run that has exactly these bytes, if the viewer may upload them. Uploading them again changes nothing
 * and needs no commit. Null means that the command `ingestRun` must decide.
 */
export const findUploaded = async (reader: Reader, viewer: Viewer, sha256: string): Promise<string | null> => {
  const claim = await reader.read(findClaimByDocument(sha256))
  return claim && includes(await reader.read(findLevel(viewer, claim)), 'upload') ? claim.id : null
}

import type { z } from 'zod'
import { RunRow } from '../../domain/run/columns.ts'
import { any, mapped, maybeOne, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { includes, levelOn } from '../access/visible.ts'
import { columnsOf } from '../columns.ts'

// Who holds a run id, and with which content: what an upload is judged by.

const Claim = RunRow.pick({
  run_no: true,
  id: true,
  project: true,
  suite: true,
  content_hash: true,
  hash_version: true,
})
export type Claim = z.infer<typeof Claim>

const COLUMNS = columnsOf('runs', Claim)

/** Who holds a run id. Takes no viewer: a clash is told even where the other run cannot be seen. */
export const findClaim = (id: string): Query<Claim | null> =>
  maybeOne(sql.type(Claim)`SELECT ${COLUMNS} FROM runs WHERE id = ${id}`)

/** The run that came as exactly these bytes. Takes no viewer, as `findClaim`. */
export const findClaimByDocument = (sha256: string): Query<Claim | null> =>
  mapped(
    any(sql.type(Claim)`SELECT ${COLUMNS} FROM runs WHERE document_sha256 = ${sha256} ORDER BY run_no LIMIT 1`),
    (rows) => rows[0] ?? null,
  )

/**
 * The id of the run that holds these very bytes, where the viewer may upload them: sending them again changes nothing,
 * so it needs no turn in the log. Null says nothing: the upload decides.
 */
export const findUploaded = async (reader: Reader, viewer: Viewer, sha256: string): Promise<string | null> => {
  const claim = await reader.read(findClaimByDocument(sha256))
  return claim && includes(await reader.read(levelOn(viewer, claim)), 'upload') ? claim.id : null
}

import { z } from 'zod'
import { commitmentOf, leafOf } from '../../storage/log/event.ts'
import { findHead } from '../../storage/log/head.ts'
import { listRecords } from '../../storage/log/records.ts'
import type { LogRecord } from '../../storage/log/records.ts'
import type { HeadNote } from '../../storage/sqlite/head-file.ts'
import { appendLeaf, emptyFrontier, rootOf } from '../../storage/log/merkle.ts'
import { connect } from '../../storage/sqlite/connection.ts'
import type { Connection } from '../../storage/sqlite/connection.ts'
import type { PostgresConnection } from '../../storage/postgres/pool.ts'
import { any, sql } from '../../storage/sql.ts'
import { ask, runAtOnce, runInTurn } from '../../storage/commit/steps.ts'
import type { Steps } from '../../storage/commit/steps.ts'
import { findingInDatabase, findingInFile } from './schema.ts'
import type { SchemaFinding } from './schema.ts'
import { VerificationFailed } from './finding.ts'
import type { Finding } from './finding.ts'
import { credentialsToVerify } from './credentials.ts'
import type { Credentials } from './credentials.ts'
import { checkDocument, checkStrays } from './documents.ts'
import type { Document } from './documents.ts'

/** `notes` are sentences on what could not be checked, or is odd and changes nothing. */
export type Verified = {
  readonly finding: Finding | null
  readonly size: number
  readonly root: string
  readonly documents: number
  readonly notes: readonly string[]
}

/** A size and root noted elsewhere, and by whom. */
export type Anchor = HeadNote & { readonly by?: string }

const BATCH = 1000

/**
 * Walks the log in one snapshot: dense numbers, times that never go back, stream versions, commitments, leaves and the
 * root recomputed; every document there with its digest, or deleted by a recorded event, or its body erased by one;
 * every credential as it was recorded; and then the schema, since what acts on the tables by itself may change rows
 * unseen. It sees what was changed in place. Whoever owns the files can rewrite the whole log consistently: only
 * `against`, heads noted elsewhere, shows that. `deeper` then looks at more in the same snapshot.
 */
export const verifyLog = (
  file: string,
  against: Anchor | readonly Anchor[] | null,
  deeper: (snapshot: Connection) => Finding | null = () => null,
): Promise<Verified> =>
  verified(async (at) => {
    const connection = connect(file, { readonly: true })
    try {
      // One snapshot, so that what is written meanwhile is not half seen.
      connection.database.exec('BEGIN')
      at('reading the schema')
      const schema = findingInFile(connection)
      const walked = await beside(schema, () => runAtOnce(walk([against ?? []].flat(), at), connection))
      at('comparing the read tables')
      return withSchema(schema, { finding: schema.altered === null ? deeper(connection) : null, ...walked })
    } finally {
      connection.close()
    }
  })

/**
 * The same for a database, also where it is a standby. `deeper` works on the open transaction of the snapshot. Throws
 * where the database cannot be reached.
 */
export const verifyDatabase = async (
  url: string,
  against: Anchor | null,
  deeper: (snapshot: PostgresConnection) => Promise<Finding | null> = async () => null,
): Promise<Verified> => {
  // Loaded where it is used: slonik costs a quarter of a second.
  const { inTransaction, withSession } = await import('../../storage/postgres/session.ts')
  return withSession(url, (session) =>
    verified(async (at) => {
      at('reading the schema')
      // Before the snapshot: some of the catalogue is always read as it is now.
      const schema = await findingInDatabase(session)
      return inTransaction(session, 'BEGIN ISOLATION LEVEL REPEATABLE READ', async () => {
        const walked = await beside(schema, () => runInTurn(walk([against ?? []].flat(), at), session))
        at('comparing the read tables')
        return withSchema(schema, { finding: schema.altered === null ? await deeper(session) : null, ...walked })
      })
    }),
  )
}

const alteredSchema = (altered: string): Finding => ({
  kind: 'altered',
  message: `the schema is not what the migrations make: ${altered}`,
})

/**
 * What the records show goes before what the schema shows, but where nothing can be read at all the schema may tell
 * why.
 */
const beside = async <T>({ altered }: SchemaFinding, work: () => T | Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (altered === null || error instanceof VerificationFailed) throw error
    const { kind, message } = alteredSchema(altered)
    throw new VerificationFailed(kind, message)
  }
}

const withSchema = ({ altered, notes }: SchemaFinding, verified: Verified): Verified => ({
  ...verified,
  finding: altered === null ? verified.finding : alteredSchema(altered),
  notes: [...notes, ...verified.notes],
})

/** Whatever stops the work is what was found, told with where it was. */
const verified = async (work: (at: At) => Promise<Verified>): Promise<Verified> => {
  let stage = 'opening it'
  try {
    return await work((where) => void (stage = where))
  } catch (error) {
    const finding: Finding =
      error instanceof VerificationFailed
        ? error.finding
        : { kind: 'unreadable', message: `${stage}: ${error instanceof Error ? error.message : String(error)}` }
    return { finding, size: 0, root: '', documents: 0, notes: [] }
  }
}

type At = (where: string) => void

type Body = { readonly stream: string; readonly version: number; readonly data: Record<string, unknown> }

/**
 * What the records told so far: the last version of each stream, records whose stream an erasure took, and the
 * documents and credentials there should be.
 */
type Told = {
  readonly versions: Map<string, number>
  unnamed: number
  readonly documents: Map<number, Document>
  readonly credentials: Credentials
}

function* walk(anchors: readonly Anchor[], at: At): Steps<Omit<Verified, 'finding'>> {
  at('reading the credentials')
  const credentials = yield* credentialsToVerify()
  at('reading the log')
  const erased = yield* erasures()
  const told: Told = { versions: new Map(), unnamed: 0, documents: new Map(), credentials }
  let frontier = emptyFrontier()
  const rootsAt = new Map<number, string>(
    anchors.some(({ size }) => size === 0) ? [[0, rootOf(frontier).toString('hex')]] : [],
  )
  let last = 0
  for (;;) {
    at(`reading the log after record ${frontier.size}`)
    const records = yield* ask(listRecords(frontier.size, BATCH))
    for (const record of records) {
      const seq = frontier.size + 1
      if (record.seq !== seq) throw new VerificationFailed('missing', `record ${seq} is not there`)
      if (record.recorded_at < last)
        throw new VerificationFailed('altered', `record ${seq} is older than the one before it`)
      last = record.recorded_at
      const body = checkRecord(record, erased)
      if (body) follow(record, body, told)
      else told.unnamed++
      frontier = appendLeaf(frontier, record.leaf)
      if (anchors.some(({ size }) => size === frontier.size))
        rootsAt.set(frontier.size, rootOf(frontier).toString('hex'))
    }
    if (records.length < BATCH) break
  }
  const root = rootOf(frontier).toString('hex')
  const head = yield* ask(findHead)
  if (head.size > frontier.size)
    throw new VerificationFailed('missing', `the log ends at record ${frontier.size}, its head says ${head.size}`)
  if (head.size !== frontier.size || head.root.toString('hex') !== root)
    throw new VerificationFailed(
      'altered',
      `the head does not fit the log: it says ${head.size}:${head.root.toString('hex')}, the records give ${frontier.size}:${root}`,
    )
  for (const { size, root: noted, by } of anchors) {
    const told = by === undefined ? '' : ` (${by})`
    if (frontier.size < size)
      throw new VerificationFailed('rolled_back', `the log ends at record ${frontier.size}, yet it held ${size}${told}`)
    if (rootsAt.get(size) !== noted)
      throw new VerificationFailed(
        'rolled_back',
        `the first ${size} records are not those that had the root ${noted}${told}`,
      )
  }
  for (const [run_no, document] of told.documents) {
    at(`reading the document of record ${document.seq} (${document.stream})`)
    yield* checkDocument(run_no, document)
  }
  at('reading the documents')
  yield* checkStrays(told.documents)
  const uncovered = credentials.check()
  const notes =
    uncovered === 0
      ? []
      : [
          `not covered: ${uncovered} ${uncovered === 1 ? 'credential, which was' : 'credentials, which were'} recorded without a digest by an earlier version`,
        ]
  return { size: frontier.size, root, documents: told.documents.size, notes }
}

/** Commitment and leaf of one record; answers its body, or null where it was erased. */
const checkRecord = (
  { seq, recorded_at, type, commitment, leaf, stream, version, salt, body }: LogRecord,
  erased: ReadonlySet<number>,
): Body | null => {
  if (!leafOf(commitment, recorded_at, type).equals(leaf))
    throw new VerificationFailed('altered', `record ${seq} (${type}) does not fit its leaf`)
  if (body === null || salt === null) {
    if (erased.has(seq)) return null
    throw new VerificationFailed('missing', `record ${seq} (${type}) has no body and no erasure names it`)
  }
  if (!commitmentOf(salt, body).equals(commitment))
    throw new VerificationFailed('altered', `record ${seq} (${type}, ${stream}) does not fit its commitment`)
  const parsed = JSON.parse(body) as Body
  if (parsed.stream !== stream || parsed.version !== version)
    throw new VerificationFailed('altered', `record ${seq} stands under another stream or version than its body tells`)
  return parsed
}

const follow = ({ seq, type }: LogRecord, { stream, version, data }: Body, told: Told): void => {
  const before = told.versions.get(stream) ?? 0
  if (version <= before)
    throw new VerificationFailed('altered', `record ${seq} repeats version ${version} of ${stream}`)
  // A version between may be that of an erased body, whose stream nobody knows any more.
  told.unnamed -= version - before - 1
  if (told.unnamed < 0)
    throw new VerificationFailed('missing', `record ${seq} is version ${version} of ${stream}, after version ${before}`)
  told.versions.set(stream, version)
  told.credentials.follow(type, data)
  const run_no = Number(data['run_no'])
  if (type === 'RunIngested')
    told.documents.set(run_no, {
      seq,
      stream,
      sha256: String(data['document_sha256']),
      bytes: Number(data['document_bytes']),
    })
  if (type === 'RunDeleted') told.documents.delete(run_no)
}

const Erasure = z.object({ body: z.string().nullable() })

function* erasures(): Steps<ReadonlySet<number>> {
  const rows = yield* ask(
    any(
      sql.type(
        Erasure,
      )`SELECT b.body FROM events e LEFT JOIN event_bodies b ON b.seq = e.seq WHERE e.type = 'EventErased'`,
    ),
  )
  return new Set(rows.flatMap(({ body }) => (body === null ? [] : erasedBy(body))))
}

const erasedBy = (body: string): number[] => {
  try {
    return [Number((JSON.parse(body) as Body).data['seq'])]
  } catch {
    // Not what was recorded: the walk tells which record it is.
    return []
  }
}

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
import { ask, runSync, runAsync } from '../../storage/commit/steps.ts'
import type { Steps } from '../../storage/commit/steps.ts'
import { findingInDatabase, findingInFile } from './schema.ts'
import type { SchemaFinding } from './schema.ts'
import { VerificationFailed } from './finding.ts'
import type { Finding } from './finding.ts'
import { credentialsToVerify } from './credentials.ts'
import type { Credentials } from './credentials.ts'
import { checkDocument, checkStrays } from './documents.ts'
import type { Document } from './documents.ts'

/** `notes` are sentences about harmless differences, or about what could not be checked. */
export type Verified = {
  readonly finding: Finding | null
  readonly size: number
  readonly root: string
  readonly documents: number
  readonly notes: readonly string[]
}

/** A size and root that were noted elsewhere; `by` names the file that contains them. */
export type Anchor = HeadNote & { readonly by?: string }

const RECORDS_PER_READ = 1000

/**
 * Verifies the log in one snapshot. Numbers must have no gap, and times must never decrease. Stream versions,
 * commitments, leaves and the recomputed root must match. Every document must be stored with its digest, or its deletion
 * recorded; every body must be stored, or its erasure recorded. Every credential must be the recorded one. The schema is
 * verified too, because a trigger could change rows unseen. `deeper` runs further checks in the same snapshot.
 *
 * This detects changes in place. But an owner of the files can rewrite the whole log consistently: only `against`, heads
 * that were noted elsewhere, detects that.
 */
export const verifyLog = (
  file: string,
  against: Anchor | readonly Anchor[] | null,
  deeper: (snapshot: Connection) => Finding | null = () => null,
): Promise<Verified> =>
  asVerified(async (setStage) => {
    const connection = connect(file, { readonly: true })
    try {
      // One snapshot, so that no concurrent write is half visible.
      connection.database.exec('BEGIN')
      setStage('reading the schema')
      const schema = findingInFile(connection)
      const walked = await orAlteredSchema(schema, () => runSync(walk([against ?? []].flat(), setStage), connection))
      setStage('comparing the read tables')
      return withSchema(schema, { finding: schema.altered === null ? deeper(connection) : null, ...walked })
    } finally {
      connection.close()
    }
  })

/**
 * Verifies the log of a database; it may be a standby. `deeper` runs on the open transaction of the snapshot. Throws if
 * the database cannot be reached.
 */
export const verifyDatabase = async (
  url: string,
  against: Anchor | null,
  deeper: (snapshot: PostgresConnection) => Promise<Finding | null> = async () => null,
): Promise<Verified> => {
  // Loaded on demand: slonik takes a quarter of a second to load.
  const { inTransaction, withSession } = await import('../../storage/postgres/session.ts')
  return withSession(url, (session) =>
    asVerified(async (setStage) => {
      setStage('reading the schema')
      // Before the snapshot: some of the catalogue is always read in its current state.
      const schema = await findingInDatabase(session)
      return inTransaction(session, 'BEGIN ISOLATION LEVEL REPEATABLE READ', async () => {
        const walked = await orAlteredSchema(schema, () => runAsync(walk([against ?? []].flat(), setStage), session))
        setStage('comparing the read tables')
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
 * Runs `work`, which checks the records. A finding in the records has priority over one in the schema. If the records
 * cannot be read at all, an altered schema is reported as the reason.
 */
const orAlteredSchema = async <T>({ altered }: SchemaFinding, work: () => T | Promise<T>): Promise<T> => {
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

/** Turns every error into a finding, with the stage in which it occurred. */
const asVerified = async (work: (setStage: SetStage) => Promise<Verified>): Promise<Verified> => {
  let stage = 'opening it'
  try {
    return await work((current) => void (stage = current))
  } catch (error) {
    const finding: Finding =
      error instanceof VerificationFailed
        ? error.finding
        : { kind: 'unreadable', message: `${stage}: ${error instanceof Error ? error.message : String(error)}` }
    return { finding, size: 0, root: '', documents: 0, notes: [] }
  }
}

type SetStage = (stage: string) => void

type Body = { readonly stream: string; readonly version: number; readonly data: Record<string, unknown> }

/**
 * The state after the records so far: the last version of each stream, the number of records with an erased stream, and
 * the expected documents and credentials.
 */
type LogState = {
  readonly versions: Map<string, number>
  unnamed: number
  readonly documents: Map<number, Document>
  readonly credentials: Credentials
}

function* walk(anchors: readonly Anchor[], setStage: SetStage): Steps<Omit<Verified, 'finding'>> {
  setStage('reading the credentials')
  const credentials = yield* credentialsToVerify()
  setStage('reading the log')
  const erased = yield* erasures()
  const state: LogState = { versions: new Map(), unnamed: 0, documents: new Map(), credentials }
  let frontier = emptyFrontier()
  const rootsAt = new Map<number, string>(
    anchors.some(({ size }) => size === 0) ? [[0, rootOf(frontier).toString('hex')]] : [],
  )
  let last = 0
  for (;;) {
    setStage(`reading the log after record ${frontier.size}`)
    const records = yield* ask(listRecords(frontier.size, RECORDS_PER_READ))
    for (const record of records) {
      const seq = frontier.size + 1
      if (record.seq !== seq) throw new VerificationFailed('missing', `record ${seq} is missing`)
      if (record.recorded_at < last)
        throw new VerificationFailed('altered', `record ${seq} is older than the one before it`)
      last = record.recorded_at
      const body = checkRecord(record, erased)
      if (body) follow(record, body, state)
      else state.unnamed++
      frontier = appendLeaf(frontier, record.leaf)
      if (anchors.some(({ size }) => size === frontier.size))
        rootsAt.set(frontier.size, rootOf(frontier).toString('hex'))
    }
    if (records.length < RECORDS_PER_READ) break
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
    const source = by === undefined ? '' : ` (${by})`
    if (frontier.size < size)
      throw new VerificationFailed(
        'rolled_back',
        `the log ends at record ${frontier.size}, yet it held ${size}${source}`,
      )
    if (rootsAt.get(size) !== noted)
      throw new VerificationFailed(
        'rolled_back',
        `the first ${size} records are not those that had the root ${noted}${source}`,
      )
  }
  for (const [run_no, document] of state.documents) {
    setStage(`reading the document of record ${document.seq} (${document.stream})`)
    yield* checkDocument(run_no, document)
  }
  setStage('reading the documents')
  yield* checkStrays(state.documents)
  const uncovered = credentials.check()
  const notes =
    uncovered === 0
      ? []
      : [
          `not covered: ${uncovered} ${uncovered === 1 ? 'credential, which was' : 'credentials, which were'} recorded without a digest by an earlier version`,
        ]
  return { size: frontier.size, root, documents: state.documents.size, notes }
}

/** Checks commitment and leaf of one record. Returns its body, or null if it was erased. */
const checkRecord = (
  { seq, recorded_at, type, commitment, leaf, stream, version, salt, body }: LogRecord,
  erased: ReadonlySet<number>,
): Body | null => {
  if (!leafOf(commitment, recorded_at, type).equals(leaf))
    throw new VerificationFailed('altered', `record ${seq} (${type}) does not fit its leaf`)
  if (body === null || salt === null) {
    if (erased.has(seq)) return null
    throw new VerificationFailed('missing', `record ${seq} (${type}) has no body, and no record erases it`)
  }
  if (!commitmentOf(salt, body).equals(commitment))
    throw new VerificationFailed('altered', `record ${seq} (${type}, ${stream}) does not fit its commitment`)
  const parsed = JSON.parse(body) as Body
  if (parsed.stream !== stream || parsed.version !== version)
    throw new VerificationFailed('altered', `record ${seq} has another stream or version than its body`)
  return parsed
}

const follow = ({ seq, type }: LogRecord, { stream, version, data }: Body, state: LogState): void => {
  const previous = state.versions.get(stream) ?? 0
  if (version <= previous)
    throw new VerificationFailed('altered', `record ${seq} repeats version ${version} of ${stream}`)
  // A version in between may belong to an erased body, whose stream is unknown.
  state.unnamed -= version - previous - 1
  if (state.unnamed < 0)
    throw new VerificationFailed(
      'missing',
      `record ${seq} is version ${version} of ${stream}, after version ${previous}`,
    )
  state.versions.set(stream, version)
  state.credentials.follow(type, data)
  const run_no = Number(data['run_no'])
  if (type === 'RunIngested')
    state.documents.set(run_no, {
      seq,
      stream,
      sha256: String(data['document_sha256']),
      bytes: Number(data['document_bytes']),
    })
  if (type === 'RunDeleted') state.documents.delete(run_no)
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
    // Not the recorded body: the walk reports this record.
    return []
  }
}

import { dirname, join } from 'node:path'
import type { Trust } from '../../domain/proof/check.ts'
import { PARTS_FOLDER } from '../../storage/objects/file-store.ts'
import type { PostgresConnection } from '../../storage/postgres/pool.ts'
import type { Query } from '../../storage/storage.ts'
import { maybeOne, one, sql } from '../../storage/sql.ts'
import { connect, type Connection } from '../../storage/sqlite/connection.ts'
import { z } from 'zod'
import { messageOf } from '../../domain/plain/message-of.ts'
import { nodeCrypto } from '../../storage/log/proof-crypto.ts'
import type { Anchor } from './anchors.ts'
import { checkKeptCheckpoints, readCheckpointSizes, type Signers } from './checkpoints.ts'
import type { Uncovered } from './digests.ts'
import type { PartFiles } from '../parts/strays.ts'
import type { PartBucket } from './bucket.ts'
import type { PartCheck } from './parts.ts'
import type { S3Store } from '../../storage/objects/s3/store.ts'
import { VerificationFailed, type Finding } from './finding.ts'
import { scanHere, scanInThreads } from './records/scan-ranges.ts'
import { openScanner, scannerOn, type ScanSource } from './records/scanner.ts'
import { findingInDatabase, findingInFile, type SchemaFinding } from './schema.ts'
import { walkLog, type SetStage, type Snapshot, type WalkedLog } from './records/walk.ts'
import type { Range } from './records/range.ts'
import { fetchMoved, type MovedDocuments } from '../../storage/objects/moved-documents.ts'
import { objectsOf } from './moved.ts'

/** `notes` are sentences about harmless differences, or about what could not be checked. */
export type Verified = {
  readonly finding: Finding | null
  readonly size: number
  readonly root: string
  readonly documents: number
  /** The number of parts of evidence. */
  readonly parts: number
  /** The number of kept checkpoints that were checked. */
  readonly checkpoints: number
  /** The number of erased records. */
  readonly erased: number
  readonly notes: readonly string[]
}

/** The result of a store of which nothing is known. */
export const NOTHING: Verified = {
  finding: null,
  size: 0,
  root: '',
  documents: 0,
  parts: 0,
  checkpoints: 0,
  erased: 0,
  notes: [],
}

/** What a verification uses in addition to the store. `trust` are keys and a policy of the caller. */
export type VerifyOptions = {
  readonly trust?: Trust
  /** Whose content is read of the parts of evidence; a sample by default. */
  readonly parts?: PartCheck
  /** Decides which parts a sample reads; a new one each time if it is not given. */
  readonly sampleSeed?: string
  /** The bucket of large parts; null if none is named. `unchecked`: what is in one is not looked at. */
  readonly bucket?: S3Store | 'unchecked' | null
  /** Threads that scan records; none for a store of one range. */
  readonly threads?: number
  /** The number of records of a range, a power of two from 256; specs make it smaller. */
  readonly rangeRecords?: number
  /** Called when the first snapshot is open, before any thread has its own; specs change the store then. */
  readonly observeSnapshot?: () => void
}

/** Checks more in the open snapshot. `moved` fetches documents that were moved into objects. */
export type Deeper<Snapshot> = (snapshot: Snapshot, moved: MovedDocuments) => Finding | null | Promise<Finding | null>

/** Records per range: a multiple of the leaves below a stored node, and some 30 MB of bodies. */
const RANGE_RECORDS = 65_536
const THREADS = 2

/**
 * Verifies the log in one snapshot. Numbers must have no gap, and times must never decrease. Stream versions,
 * commitments, leaves and the recomputed root must match. Every document must be stored with its digest, or its deletion
 * recorded; every body must be stored, or its erasure recorded, and then it must be gone. The stored nodes must be those of
 * the leaves, and every kept checkpoint must be of this log and signed. Nothing may have happened under a legal hold, or by
 * a plan of later. Credentials, labels and notes must be the recorded ones. The schema is verified too, because a trigger could change
 * rows unseen. `deeper` runs further checks in the same snapshot.
 *
 * This detects changes in place. But an owner of the files can rewrite the whole log consistently: only `against`, what was
 * noted elsewhere, detects that.
 */
export const verifyLog = (
  file: string,
  against: Anchor | readonly Anchor[] | null,
  deeper: Deeper<Connection> = () => null,
  options: VerifyOptions = {},
): Promise<Verified> =>
  asVerified(async (setStage) => {
    const connection = connect(file, { readonly: true })
    const files: PartFiles = {
      folder: join(dirname(file), PARTS_FOLDER),
      readNow: async (query) => {
        const now = connect(file, { readonly: true })
        try {
          return now.read(query)
        } finally {
          now.close()
        }
      },
    }
    try {
      // One snapshot, so that no concurrent write is half visible.
      connection.database.exec('BEGIN')
      setStage('reading the schema')
      const schema = findingInFile(connection)
      const here = scannerOn(connection)
      const snapshot: Snapshot = {
        ...snapshotOptions(schema, options),
        read: async (query) => connection.read(query),
        files,
        bucket: bucketOf(options, files.readNow),
        here,
        scan: (ranges) =>
          isSmall(ranges)
            ? scanHere(here, ranges)
            : scanInThreads({ kind: 'sqlite', file }, ranges, threadsOf(options)),
      }
      const checked = await orAlteredSchema(schema, () =>
        checkStore(snapshot, [against ?? []].flat(), { ...options, signers: 'one' }, setStage),
      )
      setStage('comparing the read tables')
      return withSchema(schema, {
        finding: schema.finding === null ? await deeper(connection, movedIn(snapshot)) : null,
        ...checked,
      })
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
  against: Anchor | readonly Anchor[] | null,
  deeper: Deeper<PostgresConnection> = () => null,
  options: VerifyOptions = {},
): Promise<Verified> => {
  // Loaded on demand: slonik takes a quarter of a second to load.
  const { inTransaction, withSession } = await import('../../storage/postgres/session.ts')
  return withSession(url, (session) =>
    asVerified(async (setStage) => {
      setStage('reading the schema')
      // Before the snapshot: some of the catalogue is always read in its current state.
      const schema = await findingInDatabase(session)
      return inTransaction(session, 'BEGIN ISOLATION LEVEL REPEATABLE READ', async () => {
        const { name } = await session.read(exportSnapshot)
        const readNow = <T>(query: Query<T>): Promise<T> => withSession(url, (other) => other.read(query))
        const source: ScanSource = { kind: 'postgres', url, snapshot: name }
        const here = await openScanner(source)
        try {
          const snapshot: Snapshot = {
            ...snapshotOptions(schema, options),
            read: session.read,
            files: null,
            bucket: bucketOf(options, readNow),
            here,
            scan: (ranges) =>
              isSmall(ranges) ? scanHere(here, ranges) : scanInThreads(source, ranges, threadsOf(options)),
          }
          const checked = await orAlteredSchema(schema, () =>
            checkStore(snapshot, [against ?? []].flat(), { ...options, signers: 'replicas' }, setStage),
          )
          setStage('comparing the read tables')
          return withSchema(schema, {
            finding: schema.finding === null ? await deeper(session, movedIn(snapshot)) : null,
            ...checked,
          })
        } finally {
          await here.close()
        }
      })
    }),
  )
}

const exportSnapshot = one(sql.type(z.object({ name: z.string() }))`SELECT pg_export_snapshot() AS name`)

const bucketOf = ({ bucket = null }: VerifyOptions, readNow: <T>(query: Query<T>) => Promise<T>): PartBucket | null =>
  bucket === null || bucket === 'unchecked' ? bucket : { store: bucket, readNow }

const movedIn = (snapshot: Snapshot): MovedDocuments =>
  fetchMoved({ read: snapshot.read, readObject: objectsOf(snapshot) })

const threadsOf = ({ threads = THREADS }: VerifyOptions): number => threads
const isSmall = (ranges: readonly Range[]): boolean => ranges.length < 2
const snapshotOptions = (
  { finding }: SchemaFinding,
  { rangeRecords = RANGE_RECORDS }: VerifyOptions,
): Pick<Snapshot, 'rangeRecords' | 'isAltered'> => ({ rangeRecords, isAltered: finding !== null })

const NO_TRUST: Trust = { keys: [], policy: null }

/** Runs all checks in their order. Throws `VerificationFailed` with the first problem. */
const checkStore = async (
  snapshot: Snapshot,
  anchors: readonly Anchor[],
  {
    trust = NO_TRUST,
    parts: partCheck = 'sample',
    sampleSeed,
    observeSnapshot = () => {},
    signers,
  }: VerifyOptions & { readonly signers: Signers },
  setStage: SetStage,
): Promise<Omit<Verified, 'finding'>> => {
  const kept = await readCheckpointSizes(snapshot.read)
  observeSnapshot()
  const sizes = [...new Set([...anchors.map(({ size }) => size), ...kept])]
  const log = await walkLog(snapshot, sizes, setStage)
  if (log.differentNode !== null) throw new VerificationFailed('differs', log.differentNode)
  setStage('comparing with what was noted')
  for (const anchor of anchors) await compareWith(snapshot, log, anchor)
  setStage('reading the checkpoints')
  const { checkpoints, unchecked, untimed, metSize } = await checkKeptCheckpoints(
    snapshot.read,
    log,
    anchors,
    trust,
    nodeCrypto,
    signers,
  )
  const { documents, parts, uncovered, partNotes } = await log.checkRest(partCheck, sampleSeed)
  return {
    size: log.size,
    root: log.root,
    documents,
    parts,
    checkpoints,
    erased: log.erased,
    notes: [
      ...(metSize === null || trust.policy?.quorum === null
        ? []
        : [`the newest checkpoint that meets the policy is that of ${metSize} records`]),
      ...uncoveredNote([...uncovered, ...untimed]),
      ...partNotes,
      ...(unchecked === 0
        ? []
        : [
            `not checked: ${unchecked} ${unchecked === 1 ? 'cosignature of a witness' : 'cosignatures of witnesses'} whose key no --policy names`,
          ]),
    ],
  }
}

/** The note on what has no digest in the log; none if everything has one. */
const uncoveredNote = (uncovered: readonly Uncovered[]): string[] => {
  const total = uncovered.reduce((sum, { count }) => sum + count, 0)
  if (total === 0) return []
  const counts = uncovered.map(({ nouns: [one, several], count }) => `${count} ${count === 1 ? one : several}`)
  return [
    `not covered: ${counts.join(', ')}, which ${total === 1 ? 'was' : 'were'} recorded without a digest by an earlier version`,
  ]
}

const findLeaf = (index: number) =>
  maybeOne(sql.type(z.object({ leaf: z.instanceof(Buffer) }))`SELECT leaf FROM events WHERE seq = ${index + 1}`)

const compareWith = async ({ read }: Snapshot, log: WalkedLog, { size, root, by, leaf }: Anchor): Promise<void> => {
  if (log.size < size)
    throw new VerificationFailed(
      'rolled_back',
      `${by ?? `${size}:${root}`} says ${size} records, the log has ${log.size}`,
    )
  const source = by === undefined ? '' : ` (${by})`
  if (log.rootsAt.get(size) !== root)
    throw new VerificationFailed(
      'rolled_back',
      `another history: the first ${size} records are not those that had the root ${root}${source}`,
    )
  if (leaf && (await read(findLeaf(leaf.index)))?.leaf.toString('hex') !== leaf.hash)
    throw new VerificationFailed(
      'rolled_back',
      `another history: record ${leaf.index + 1} is not the one of the receipt${source}`,
    )
}

/**
 * Runs `work`, which checks the records. A finding in the records has priority over one in the schema. If the records
 * cannot be read at all, the schema is reported as the reason.
 */
const orAlteredSchema = async <T>({ finding }: SchemaFinding, work: () => T | Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (finding === null || error instanceof VerificationFailed) throw error
    throw new VerificationFailed(finding.kind, finding.message)
  }
}

const withSchema = ({ finding, notes }: SchemaFinding, verified: Verified): Verified => ({
  ...verified,
  finding: finding ?? verified.finding,
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
        : { kind: 'unreadable', message: `${stage}: ${messageOf(error)}` }
    return { ...NOTHING, finding }
  }
}

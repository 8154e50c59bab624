import { HeadRow } from '../../storage/log/head.ts'
import {
  COPIED,
  PREPARE_APPEND,
  appendRecords,
  countRows,
  findLast,
  findOrigin,
  forgetOrigin,
  insertCopied,
  isHalfCopied,
  lastRunNo,
  lastSeq,
  listRows,
  noteOrigin,
  type CopiedTable,
} from './tables.ts'
import { messageOf } from '../../domain/plain/message-of.ts'
import type { S3Store } from '../../storage/objects/s3/store.ts'
import type { ObjectPlace } from '../../storage/objects/object-store.ts'
import { readObjectFile } from '../../storage/objects/file-store.ts'
import {
  countInBucket,
  countObjectsIn,
  forgetCopied,
  insertObjectRows,
  moveToTable,
  ROW_BYTES,
} from '../../storage/objects/rows.ts'
import { findRecord, listRecords } from '../../storage/log/records.ts'
import { decodeFrontier, treeRoot } from '../../storage/log/merkle.ts'
import { maybeOne, sql, statement } from '../../storage/sql.ts'
import { ask, write, type Steps } from '../../storage/commit/steps.ts'
import type { Dialect, Query } from '../../storage/storage.ts'
import type { ReplayPosition } from '../../projections/replay.ts'
import { rootAt } from '../../queries/log/tree.ts'
import { fillTree } from '../rebuild/tree.ts'
import { storedObjects } from '../stored-objects.ts'
import { UserError } from '../user-error.ts'

/** A store without writers during the copy. */
export type CopySource = {
  readonly read: <T>(query: Query<T>) => Promise<T>
  /** The folder of large parts of a state directory. */
  readonly partsFolder?: string
}

/** A store with a current schema and no other writer. */
export type CopyTarget = Pick<CopySource, 'read'> & {
  readonly dialect: Dialect
  /** Runs work in one transaction. */
  readonly transact: <T>(work: () => Steps<T>) => Promise<T>
  /** Rebuilds the read tables from the copied log. */
  readonly rebuild: (progress: (reached: ReplayPosition) => void) => Promise<void>
}

/** Reported on the open transaction before its commit, for fault injection. */
export type CopyStep = 'started' | 'records' | 'rows' | 'nodes' | 'head' | 'finished'

type Options = {
  /** Reports what is copied and how far: `records` for the log, table names, `nodes` and `replay` at the end. */
  readonly progress?: (what: string, reached: ReplayPosition) => void
  readonly records?: number
  readonly observe?: (step: CopyStep) => void
  /** Whether the copy may use the bucket of the source, which is not copied then. */
  readonly mayShareBucket?: boolean
  /** The bucket of the source. */
  readonly bucket?: Pick<S3Store, 'read' | 'where'> | null
}

/** Records per transaction. */
const RECORDS_PER_BATCH = 500

const findHeadRow = maybeOne(sql.type(HeadRow)`SELECT size, frontier, recorded_at FROM log_head WHERE one = 1`)

/**
 * Copies a store into an empty one, unchanged, in transactions of bounded size. Computes the nodes of the log's tree from
 * the copied leaves, then rebuilds the read tables from the log. After an interruption the next call resumes. Returns size and root (lower-case hex) of the log. Throws
 * `UserError` if the target holds other data, the source has changed since the start of the copy, or the copied records
 * do not give the root of the source.
 */
export const copyStore = async (
  source: CopySource,
  target: CopyTarget,
  {
    progress = () => {},
    records: batch = RECORDS_PER_BATCH,
    observe = () => {},
    mayShareBucket = false,
    bucket = null,
  }: Options = {},
): Promise<{ readonly size: number; readonly root: string }> => {
  const head = (await source.read(findHeadRow)) ?? { size: 0, frontier: Buffer.alloc(0), recorded_at: 0 }
  const { size } = head
  const root = treeRoot(decodeFrontier(size, head.frontier)).toString('hex')
  if (size === 0) throw new UserError('the source log is empty')
  const places = copiedPlaces(source, mayShareBucket ? null : bucket)
  const inBucket = mayShareBucket || bucket ? 0 : await source.read(countInBucket)
  if (inBucket > 0)
    throw new UserError(
      `${inBucket} ${inBucket === 1 ? 'object' : 'objects'} of large parts or documents ${inBucket === 1 ? 'is' : 'are'} in a bucket: set SERVICE_OBJECT_STORE_URL to it, as for the service. They are copied into the target, or stay there with --keep-store`,
    )

  await target.transact(function* () {
    if (yield* ask(isHalfCopied)) checkOrigin(yield* ask(findOrigin), { size, root })
    else {
      yield* checkEmpty()
      for (const step of noteOrigin({ size, root })) yield* write(step)
      // The rows in these tables were created when the empty store was opened.
      for (const table of ['log_head', 'sequences']) yield* write(statement`DELETE FROM ${sql.identifier([table])}`)
    }
    observe('started')
  })

  await target.transact(function* () {
    for (const step of PREPARE_APPEND[target.dialect]) yield* write(step)
  })
  let position = await target.read(lastSeq)
  await checkSame(source, target, position, size)
  while (position < size) {
    const records = await source.read(listRecords(position, Math.min(batch, size - position)))
    const last = records.at(-1)
    if (!last)
      throw new UserError(`record ${position + 1} is missing from the source log: run "ers verify" on the source`)
    await target.transact(function* () {
      for (const step of appendRecords(target.dialect, records)) yield* write(step)
      observe('records')
    })
    position = last.seq
    progress('records', { position, size })
  }
  // What an interrupted copy took from other places, so that the rows can be compared with those of the source.
  await target.transact(function* () {
    for (const place of ['files', 's3'] as const) yield* write(forgetCopied(place))
  })
  for (const table of COPIED) await copyRows(source, target, table, (reached) => progress(table.name, reached), observe)

  for (const place of places) await copyObjects(source, target, place, (reached) => progress(place.what, reached))

  await fillTree(target, { size, progress: (reached) => progress('nodes', reached), observe: () => observe('nodes') })
  const copied = (await rootAt(target, size)).toString('hex')
  if (copied !== root)
    throw new UserError(
      `the copied records give the root ${copied}, but the head of the source says ${root}: run "ers verify" on the source`,
    )
  await target.transact(function* () {
    yield* write(statement`DELETE FROM log_head`)
    yield* write(
      statement`INSERT INTO log_head (one, size, frontier, recorded_at) VALUES (1, ${size}, ${sql.binary(head.frontier)}, ${head.recorded_at})`,
    )
    observe('head')
  })
  await target.rebuild((reached) => progress('replay', reached))
  await target.transact(function* () {
    for (const { place } of places) yield* write(moveToTable(place))
    yield* write(forgetOrigin)
    observe('finished')
  })
  return { size, root }
}

/** A place of objects whose bytes a copy takes into its table. */
type CopiedPlace = {
  readonly place: ObjectPlace
  readonly what: string
  readonly where: string
  readonly read: (object_id: string, offset: number, length: number) => Promise<Buffer>
}

const copiedPlaces = ({ partsFolder }: CopySource, bucket: NonNullable<Options['bucket']> | null): CopiedPlace[] => [
  ...(partsFolder === undefined
    ? []
    : [
        {
          ...{ place: 'files' as const, what: 'files of parts', where: partsFolder },
          read: (id: string, offset: number, length: number) => readObjectFile(partsFolder, id, offset, length),
        },
      ]),
  ...(bucket ? [{ place: 's3' as const, what: 'objects of the bucket', where: bucket.where, read: bucket.read }] : []),
]

/** Rows of an object that one transaction copies. */
const ROWS_AT_ONCE = 16

/** Copies sealed objects into the table of their bytes, which every store has. */
const copyObjects = async (
  source: CopySource,
  target: CopyTarget,
  { place, where, read }: CopiedPlace,
  progress: (reached: ReplayPosition) => void,
): Promise<void> => {
  const size = await source.read(countObjectsIn(place))
  const damaged = (cause: unknown): UserError =>
    new UserError(`an object of ${where} cannot be copied: ${messageOf(cause)}. Run "ers verify" on the source`, {
      cause,
    })
  let position = 0
  for await (const { object_id, lengths } of storedObjects(source.read, place, damaged)) {
    const bytes = lengths.reduce((sum, length) => sum + length, 0)
    for (let n = 0; n * ROW_BYTES < bytes; n += ROWS_AT_ONCE) {
      const from = n * ROW_BYTES
      const length = Math.min(bytes - from, ROWS_AT_ONCE * ROW_BYTES)
      const part = await read(object_id, from, length).catch((cause: unknown) => {
        throw damaged(cause)
      })
      const rows = Array.from({ length: Math.ceil(length / ROW_BYTES) }, (_, i) =>
        part.subarray(i * ROW_BYTES, (i + 1) * ROW_BYTES),
      )
      await target.transact(function* () {
        yield* write(insertObjectRows(object_id, n, rows))
      })
    }
    progress({ position: ++position, size })
  }
}

type Origin = { readonly size: number; readonly root: string }

const checkOrigin = (started: Origin, { size, root }: Origin): void => {
  if (started.size === size && started.root === root) return
  throw new UserError(
    `an earlier copy was started from a log of ${started.size} records with the root ${started.root}, but this log has ${size} records with the root ${root}: start again with an empty target`,
  )
}

function* checkEmpty(): Steps<void> {
  for (const table of [
    'events',
    'event_bodies',
    'runs',
    ...COPIED.map(({ name }) => name).filter((name) => name !== 'sequences'),
  ]) {
    const rows = yield* ask(countRows(table))
    if (rows > 0) throw new UserError(`the target is not empty: its table ${table} holds ${rows} rows`)
  }
  if ((yield* ask(lastRunNo)) > 0) throw new UserError('the target is not empty: it has numbered runs')
}

/**
 * The records in the target must be the start of the same log. A leaf contains a commitment to random bytes, so no
 * other log has it.
 */
const checkSame = async (source: CopySource, target: CopySource, position: number, size: number): Promise<void> => {
  const [sourceRecord, targetRecord] = [
    await source.read(findRecord(position)),
    await target.read(findRecord(position)),
  ]
  if (
    position > size ||
    (position > 0 && !(sourceRecord && targetRecord && sourceRecord.leaf.equals(targetRecord.leaf)))
  )
    throw new UserError(
      `record ${position} of the target differs from that of the source log: start again with an empty target`,
    )
}

const copyRows = async (
  source: CopySource,
  target: CopyTarget,
  table: CopiedTable,
  progress: (reached: ReplayPosition) => void,
  observe: (step: CopyStep) => void,
): Promise<void> => {
  const size = await source.read(countRows(table.name))
  let position = await target.read(countRows(table.name))
  let last = await target.read(findLast(table))
  for (;;) {
    const rows = await source.read(listRows(table, last))
    if (rows.length === 0) break
    await target.transact(function* () {
      yield* write(insertCopied(table, rows))
      observe('rows')
    })
    last = rows.at(-1) ?? null
    position += rows.length
    progress({ position, size })
  }
  if (position !== size)
    throw new UserError(
      `the table ${table.name} of the target holds ${position} rows, but that of the source has ${size}: start again with an empty target`,
    )
}

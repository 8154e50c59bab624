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
  listLeaves,
  listRows,
  noteOrigin,
} from './tables.ts'
import type { CopiedTable } from './tables.ts'
import { findRecord, listRecords } from '../../storage/log/records.ts'
import { appendLeaf, decodeFrontier, emptyFrontier, rootOf } from '../../storage/log/merkle.ts'
import { maybeOne, sql, statement } from '../../storage/sql.ts'
import { ask, write } from '../../storage/commit/steps.ts'
import type { Steps } from '../../storage/commit/steps.ts'
import type { Dialect, Query } from '../../storage/storage.ts'
import type { ReplayPosition } from '../../projections/replay.ts'
import { UserError } from '../user-error.ts'

/** A store that nobody writes to while it is copied. */
export type CopySource = { readonly read: <T>(query: Query<T>) => Promise<T> }

/** A store whose schema is current and that nobody else writes to. */
export type CopyTarget = CopySource & {
  readonly dialect: Dialect
  /** Work in one transaction. */
  readonly transact: <T>(work: () => Steps<T>) => Promise<T>
  /** Makes the read tables from the log that is there then. */
  readonly rebuild: (progress: (reached: ReplayPosition) => void) => Promise<void>
}

/** Told on the open transaction, before its commit: for injected faults. */
export type CopyStep = 'begun' | 'records' | 'rows' | 'head' | 'finished'

type Options = {
  /** Told what is copied and how far: the log as `records`, tables by their names, and `replay` at the end. */
  readonly progress?: (what: string, reached: ReplayPosition) => void
  readonly records?: number
  readonly observe?: (step: CopyStep) => void
}

/** Records that one transaction takes. */
const RECORDS = 500
const LEAVES = 5000

const findHeadRow = maybeOne(sql.type(HeadRow)`SELECT size, frontier, recorded_at FROM log_head WHERE one = 1`)

/**
 * Copies a store into an empty one, unchanged, in transactions of bounded size, and makes its read tables at the end
 * from the log. Broken off at any point, the next call goes on where this one was. Answers size and root (lower-case
 * hex) of the log. Throws `UserError` where the target holds something else, where the source is no longer what was
 * begun, or where what was copied is not what the source holds.
 */
export const copyStore = async (
  source: CopySource,
  target: CopyTarget,
  { progress = () => {}, records: most = RECORDS, observe = () => {} }: Options = {},
): Promise<{ readonly size: number; readonly root: string }> => {
  const head = (await source.read(findHeadRow)) ?? { size: 0, frontier: Buffer.alloc(0), recorded_at: 0 }
  const { size } = head
  const root = rootOf(decodeFrontier(size, head.frontier)).toString('hex')
  if (size === 0) throw new UserError('the log to be copied is empty')

  await target.transact(function* () {
    if (yield* ask(isHalfCopied)) checkOrigin(yield* ask(findOrigin), { size, root })
    else {
      yield* checkEmpty()
      for (const each of noteOrigin({ size, root })) yield* write(each)
      // What an opening of the empty store left.
      for (const table of ['log_head', 'sequences']) yield* write(statement`DELETE FROM ${sql.identifier([table])}`)
    }
    observe('begun')
  })

  await target.transact(function* () {
    for (const each of PREPARE_APPEND[target.dialect]) yield* write(each)
  })
  let at = await target.read(lastSeq)
  await checkSame(source, target, at, size)
  while (at < size) {
    const records = await source.read(listRecords(at, Math.min(most, size - at)))
    const last = records.at(-1)
    if (!last) throw new UserError(`record ${at + 1} is missing from the log to be copied: run "ers verify" on it`)
    await target.transact(function* () {
      for (const each of appendRecords(target.dialect, records)) yield* write(each)
      observe('records')
    })
    at = last.seq
    progress('records', { position: at, size })
  }
  for (const table of COPIED) await copyRows(source, target, table, (reached) => progress(table.name, reached), observe)

  const copied = await rootIn(target, size)
  if (copied !== root)
    throw new UserError(
      `the records that were copied give the root ${copied}, and the head to be copied says ${root}: run "ers verify" on what is copied`,
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
    yield* write(forgetOrigin)
    observe('finished')
  })
  return { size, root }
}

type Origin = { readonly size: number; readonly root: string }

const checkOrigin = (begun: Origin, { size, root }: Origin): void => {
  if (begun.size === size && begun.root === root) return
  throw new UserError(
    `a copy was begun of a log of ${begun.size} records with the root ${begun.root}, and this one has ${size} with the root ${root}: begin anew with an empty target`,
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

/** What is there already must be the beginning of the same log: a leaf holds a commitment to random bytes. */
const checkSame = async (source: CopySource, target: CopySource, at: number, size: number): Promise<void> => {
  const [ours, theirs] = [await source.read(findRecord(at)), await target.read(findRecord(at))]
  if (at > size || (at > 0 && !(ours && theirs && ours.leaf.equals(theirs.leaf))))
    throw new UserError(
      `record ${at} of the target is not that of the log to be copied: begin anew with an empty target`,
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
      `the table ${table.name} of the target holds ${position} rows, and there are ${size} to be copied: begin anew with an empty target`,
    )
}

const rootIn = async ({ read }: CopySource, size: number): Promise<string> => {
  let frontier = emptyFrontier()
  while (frontier.size < size) {
    const leaves = await read(listLeaves(frontier.size, LEAVES))
    if (leaves.length === 0) break
    for (const leaf of leaves) frontier = appendLeaf(frontier, leaf)
  }
  return rootOf(frontier).toString('hex')
}

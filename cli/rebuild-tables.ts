import { z } from 'zod'
import { projections, readTables } from '../projections/index.ts'
import { markCurrent, replay } from '../projections/replay.ts'
import type { Reached } from '../projections/replay.ts'
import { createFresh, hasFresh, indexFresh, planOf, swapFresh, toFresh } from '../storage/fresh-tables.ts'
import type { SwapStep } from '../storage/fresh-tables.ts'
import { findRecord } from '../storage/log-reader.ts'
import { maybeOne, sql, statement } from '../storage/sql.ts'
import type { Connection } from '../storage/sqlite-connection.ts'
import type { SqliteWriter } from '../storage/sqlite.ts'

export type RebuildStep = 'begun' | 'replayed' | SwapStep | 'swapped'

type Options = {
  readonly progress?: (reached: Reached) => void
  /** What one transaction takes, where a spec wants it smaller. */
  readonly batch?: { readonly records: number; readonly bytes: number }
  /** Told each step on its open transaction: for injected faults. */
  readonly observe?: (step: RebuildStep) => void
}

const Begun = z.object({ plan: z.string(), position: z.number(), leaf: z.instanceof(Buffer).nullable() })

const findBegun = maybeOne(sql.type(Begun)`SELECT plan, position, leaf FROM rebuilds WHERE one = 1`)

/**
 * Makes every read table anew from the log, beside the live ones, in transactions of bounded size, and swaps them in at
 * the end in one. Until then the live tables are as they were. Broken off at any point, the next call goes on where this
 * one was, also when the log has grown meanwhile; what was begun for other versions, other tables or another log is
 * begun anew. Answers the position reached.
 */
export const rebuildTables = (writer: SqliteWriter, { progress = () => {}, batch, observe = () => {} }: Options = {}): number => {
  const { connection, exclusively } = writer
  const { database, read, run } = connection
  // What is built counts for nothing before the swap, which is a commit like any other: so its parts need no fsync
  // each. In WAL mode the order of commits stands all the same, so progress is never ahead of what was built.
  database.pragma('synchronous = NORMAL')
  try {
    let position = exclusively(() => {
      const from = begin(writer)
      observe('begun')
      return from
    })
    const fresh = toFresh(readTables)
    const steps = replay(
      { read, run: (each) => run(fresh(each)), onDeletion: () => indexFresh(database, readTables), ...(batch ? { batch } : {}) },
      position,
    )
    for (;;) {
      const step = exclusively(() => {
        const next = steps.next()
        if (!next.done) note(connection, next.value)
        observe('replayed')
        return next
      })
      if (step.done) break
      position = step.value.position
      progress(step.value)
    }
    database.pragma('synchronous = FULL')
    exclusively(() => {
      swapFresh(database, readTables, observe)
      markCurrent(run, position)
      run(statement`DELETE FROM rebuilds`)
      observe('swapped')
    })
    return position
  } finally {
    database.pragma('synchronous = FULL')
  }
}

/** Where to go on from: the position of what was begun, when that is still of use, else the beginning. */
const begin = ({ connection: { database, read, run } }: SqliteWriter): number => {
  const plan = planOf(database, readTables, projections.map(({ name, version }) => [name, version]))
  const begun = read(findBegun)
  if (begun?.plan === plan && sameLog(read, begun) && hasFresh(database, readTables)) return begun.position
  createFresh(database, readTables)
  run(statement`DELETE FROM rebuilds`)
  run(statement`INSERT INTO rebuilds (one, plan, position, leaf) VALUES (1, ${plan}, 0, NULL)`)
  return 0
}

const note = ({ read, run }: Connection, { position }: Reached): void => {
  const { leaf = null } = read(findRecord(position)) ?? {}
  run(statement`UPDATE rebuilds SET position = ${position}, leaf = ${leaf && sql.binary(leaf)} WHERE one = 1`)
}

/** The leaf holds a commitment to random bytes: no other log has it. */
const sameLog = (read: SqliteWriter['read'], { position, leaf }: z.infer<typeof Begun>): boolean =>
  leaf === null ? position === 0 : read(findRecord(position))?.leaf.equals(leaf) === true

/** How far a rebuild is that was begun and never finished, or null. */
export const unfinishedRebuild = ({ connection: { read }, head }: Pick<SqliteWriter, 'connection' | 'head'>): Reached | null => {
  const begun = read(findBegun)
  return begun && { position: begun.position, size: head().size }
}

import { hash } from 'node:crypto'
import { z } from 'zod'
import { any, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import { VerificationFailed } from './finding.ts'
import { hasTable } from './stored-tables.ts'

/** A text that the log expects: the record of its plan, its SHA-256 in hex, and its length in bytes. */
export type PlannedText = { readonly seq: number; readonly sha256: string; readonly bytes: number }

const Row = z.object({ plan_id: z.string(), bytes: z.instanceof(Buffer) })

/** Texts per read; each has up to 64 KiB. */
const TEXTS_PER_READ = 64

const listTexts = (after: string | null): Query<Array<z.infer<typeof Row>>> =>
  any(sql.type(Row)`
    SELECT plan_id, bytes FROM plan_texts WHERE ${after === null ? sql.fragment`TRUE` : sql.fragment`plan_id > ${after}`}
    ORDER BY plan_id LIMIT ${TEXTS_PER_READ}`)

/**
 * Checks the stored texts of plans: each is the one that was registered or revealed, none is missing, and none is there
 * that no record names. Throws `VerificationFailed`.
 */
export const checkPlanTexts = async (
  read: <T>(query: Query<T>) => Promise<T>,
  expected: ReadonlyMap<string, PlannedText>,
): Promise<void> => {
  // A store of an early version has no plans.
  if (!(await read(hasTable('plan_texts')))) return
  const missing = new Map(expected)
  for (let after: string | null = null; ;) {
    const rows: Array<z.infer<typeof Row>> = await read(listTexts(after))
    for (const { plan_id, bytes } of rows) {
      const text = missing.get(plan_id)
      if (!text) throw new VerificationFailed('altered', `a text of the plan ${plan_id} exists, but no record names it`)
      // SQLite stores any type in a column.
      if (!Buffer.isBuffer(bytes) || bytes.length !== text.bytes || hash('sha256', bytes, 'hex') !== text.sha256)
        throw new VerificationFailed(
          'altered',
          `record ${text.seq}: the text of the plan ${plan_id} is not the one that was recorded`,
        )
      missing.delete(plan_id)
    }
    after = rows.at(-1)?.plan_id ?? null
    if (rows.length < TEXTS_PER_READ) break
  }
  for (const [plan_id, { seq }] of missing)
    throw new VerificationFailed('missing', `record ${seq}: the text of the plan ${plan_id} is missing`)
}

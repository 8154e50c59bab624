import { z } from 'zod'
import { any, sql } from '../../../storage/sql.ts'
import type { Query } from '../../../storage/storage.ts'
import { VerificationFailed } from '../finding.ts'

/** What the log keeps of an erased body, because tables still need it. */
export type KeptData = {
  readonly data: Readonly<Record<string, unknown>>
  readonly stream: string
  readonly version: number
}

/** The attempt that stays of an upload of which nothing else is kept. */
type Attempt = { readonly attempt: number; readonly plan_id: string }

/**
 * An erasure by the number of the erased record: the first record that names it, and what it keeps. `problem` is what is
 * wrong with it: an erasure can itself not be erased, nor a record twice.
 */
type Erasure = {
  readonly by: number
  readonly kept: KeptData | null
  readonly followed: Attempt | null
  readonly problem: string | null
}
export type Erasures = ReadonlyMap<number, Erasure>

const Row = z.object({ seq: z.number(), body: z.string().nullable() })

/** The erasures that the log records. */
export const listErasures: Query<Array<z.infer<typeof Row>>> = any(sql.type(Row)`
  SELECT e.seq, b.body FROM events e LEFT JOIN event_bodies b ON b.seq = e.seq WHERE e.type = 'EventErased' ORDER BY e.seq`)

type Body = {
  readonly data: {
    readonly seq: number
    readonly kept?: KeptData | null
    readonly followed?: Attempt | null
  }
}

/** Reads the erasures from their bodies. */
export const erasuresOf = (rows: ReadonlyArray<z.infer<typeof Row>>): Erasures => {
  const numbers = new Set(rows.map(({ seq }) => seq))
  const erasures = new Map<number, Erasure>()
  for (const { seq: by, body } of rows) {
    const data = body === null ? null : dataOf(body)
    if (data === null) continue
    const { kept = null, followed = null } = data
    const seq = Number(data.seq)
    const earlier = erasures.get(seq)
    const problem = numbers.has(seq)
      ? `record ${by} (EventErased) names record ${seq}, which is an erasure itself: those are never erased`
      : null
    if (!earlier) erasures.set(seq, { by, kept, followed, problem })
    else
      erasures.set(seq, {
        ...earlier,
        problem: `record ${by} (EventErased) names record ${seq}, which record ${earlier.by} has erased already`,
      })
  }
  return erasures
}

const dataOf = (body: string): Body['data'] | null => {
  try {
    return (JSON.parse(body) as Partial<Body> | null)?.data ?? null
  } catch (error) {
    // Not the recorded body: the scan reports this record.
    if (error instanceof SyntaxError) return null
    throw error
  }
}

const Numbered = z.object({ n: z.number() })

/** Of these records, those that have a body. */
export const listWithBody = (records: readonly number[]): Query<Array<z.infer<typeof Numbered>>> =>
  any(
    sql.type(
      Numbered,
    )`SELECT seq AS n FROM event_bodies WHERE seq IN (${sql.join(records, sql.fragment`, `)}) ORDER BY seq`,
  )

/** Throws `VerificationFailed` for an erasure that names no earlier record, another erasure, or what was erased before. */
export const checkTargets = (erasures: Erasures): void => {
  for (const [seq, { by, problem }] of erasures) {
    if (!(seq >= 1 && seq < by))
      throw new VerificationFailed('altered', `record ${by} (EventErased) names record ${seq}, which is not before it`)
    if (problem !== null) throw new VerificationFailed('altered', problem)
  }
}

import { z } from 'zod'
import type { RunCounts } from '../../domain/webhooks/message.ts'
import { maybeOne, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'

const count = z.number().int()
const Counts = z.object({ cases: count, passed: count, failed: count, errors: count })

/** The counts of a run by its number; null if it was deleted. Takes no viewer: the caller checks who may receive them. */
export const findRunCounts = (run_no: number): Query<RunCounts> =>
  maybeOne(sql.type(Counts)`
    SELECT case_count AS cases, pass_count AS passed, fail_count AS failed, error_count AS errors FROM runs WHERE run_no = ${run_no}`)

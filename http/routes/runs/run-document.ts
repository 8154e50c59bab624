import { z } from 'zod'
import { CASE_STATUSES, SCHEMA_WINDOW } from '../../../domain/run/document.ts'
import { IDENTITY_BYTES } from '../../../domain/run/readers.ts'
import { NAME, NO_NUL } from '../../requests/shared-parameters.ts'

const count = z.number().int().min(0)
const moment = z
  .string()
  .meta({ format: 'date-time', description: 'An RFC 3339 instant with at most nine fraction digits.' })

/** A name that may be empty. */
const name = z.string().meta({ maxLength: IDENTITY_BYTES, ...NO_NUL })

/** A name that is part of an address. */
const part = z.string().meta(NAME)

const Cell = z.looseObject({ provider_id: name, prompt_id: name.nullish(), test_id: name, repeat: count.optional() })
const Case = z.looseObject({
  cell: Cell,
  case_key: part,
  status: z.enum(CASE_STATUSES),
  score: z.number(),
  latency_ms: count,
})

/**
 * The fields of a run document that the OpenAPI document describes; other fields are ignored. This schema is not used
 * to check uploads: each upload is checked in full while it is prepared.
 */
export const RunDocument = z
  .looseObject({
    schema_version: z.number().int().min(SCHEMA_WINDOW.min).max(SCHEMA_WINDOW.max),
    run_id: part,
    project: name.nullish(),
    suite: name.nullish(),
    started_at: moment,
    finished_at: moment,
    config_digest: z.string(),
    config_snapshot: z.unknown(),
    cases: z.array(Case),
    summary: z.looseObject({ total: count, passed: count, failed: count, errored: count, skipped: count }),
  })
  .meta({ id: 'RunDocument' })

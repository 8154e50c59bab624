import { z } from 'zod'

const IMPORT_OUTCOMES = ['imported', 'new', 'already_there', 'changed'] as const

const ImportedRun = z.object({
  id: z.string(),
  url: z.string(),
  /** The name of the run in its file; null if the file is one run. */
  part: z.string().nullable(),
  project: z.string().nullable(),
  suite: z.string().nullable(),
  outcome: z.enum(IMPORT_OUTCOMES).meta({
    description: '`new`: a dry run would import it. `changed`: stored with other content; nothing was written.',
  }),
  cases: z.number().int().nullable(),
  statuses: z.record(z.string(), z.number().int()).nullable(),
  created_at: z.string().nullable(),
})

const ImportLoss = z.object({
  kind: z.enum(['left_out', 'cut', 'changed', 'assumed', 'contradicted']),
  path: z.string(),
  count: z.number().int(),
  bytes: z.number().int(),
  example: z.string(),
  note: z.string().optional(),
})

/** What came of an import over HTTP. */
export const ImportResult = z
  .object({
    format: z.string().nullable(),
    runs: z.array(ImportedRun),
    refused: z.array(z.object({ part: z.string().nullable(), reason: z.string() })),
    losses: z.array(ImportLoss),
  })
  .meta({ id: 'ImportResult' })
export type ImportResult = z.infer<typeof ImportResult>

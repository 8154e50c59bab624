import { z } from 'zod'

const IMPORT_OUTCOMES = ['imported', 'new', 'already_there', 'changed', 'evidence_added'] as const

const ImportedRun = z.object({
  id: z.string(),
  url: z.string(),
  /** The name of the run in its file; null if the file is one run. */
  part: z.string().nullable(),
  project: z.string().nullable(),
  suite: z.string().nullable(),
  outcome: z.enum(IMPORT_OUTCOMES).meta({
    description:
      '`new`: a dry run; the run would be imported. `changed`: a run with this id is stored with other content, so nothing was written. `evidence_added`: the run was stored without the evidence that the file has, which is added.',
  }),
  cases: z.number().int().nullable(),
  statuses: z.record(z.string(), z.number().int()).nullable(),
  created_at: z.string().nullable(),
})

const ImportLoss = z.object({
  kind: z.enum(['left_out', 'cut', 'changed', 'assumed', 'contradicted', 'original_only']),
  path: z.string(),
  count: z.number().int(),
  bytes: z.number().int(),
  example: z.string(),
  note: z.string().optional(),
})

const ImportScore = z.object({
  name: z.string(),
  values: z.number().int(),
  min: z.number(),
  max: z.number(),
  range: z.tuple([z.number(), z.number()]).nullable().meta({
    description: 'From a parameter or the file. Null: neither gives it, and 0 to 1 is assumed if all values fit.',
  }),
  lower_is_better: z.boolean(),
  decides: z.boolean(),
  passes_from: z.number().nullable().meta({
    description:
      'The value from which a score passes, or up to which it passes if low values are good. Null: the score decides nothing.',
  }),
  asks: z.enum(['range', 'direction']).nullable().meta({
    description:
      'What is needed before the score may decide: its `range` (parameter `score`), or whether a low value is good (`lower_is_better` or `higher_is_better`).',
  }),
})

/** What came of an import over HTTP. */
export const ImportResult = z
  .object({
    format: z.string().nullable(),
    runs: z.array(ImportedRun),
    refused: z.array(z.object({ part: z.string().nullable(), reason: z.string() })),
    losses: z.array(ImportLoss),
    scores: z.array(ImportScore).meta({
      description:
        'The scores that have no result in the file: those that ask something first, then those that decide.',
    }),
  })
  .meta({ id: 'ImportResult' })
export type ImportResult = z.infer<typeof ImportResult>

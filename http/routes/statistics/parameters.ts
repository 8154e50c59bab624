import { z } from 'zod'
import { parseColumn } from '../../../domain/lists/column.ts'
import { parseClusterBy } from '../../../queries/statistics/clusters.ts'
import { MAX_RUNS, MIN_RUNS } from '../../../queries/statistics/many-runs.ts'
import { fallbackOf } from '../../requests/shared-parameters.ts'

// Values out of range are rejected, not clamped: they would change what a figure means.

/** Parses a text; `message` says what it must be, where `parse` returns null. */
export const parsedBy =
  <T>(parse: (text: string) => T | null, message: string) =>
  (text: string, context: z.core.$RefinementCtx<string>): T => {
    const parsed = parse(text)
    if (parsed !== null) return parsed
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  }

export const clusterBy = z
  .string()
  .default('test')
  .transform(parsedBy(parseClusterBy, 'must be `test`, `tag:PREFIX` or `var:NAME`'))
  .meta({
    description: 'What makes cases depend on each other: `test`, `tag:PREFIX` or `var:NAME`.',
    type: 'string',
    pattern: String.raw`^(test|(tag|var):[\s\S]+)$`,
    ...fallbackOf('test'),
  })

/**
 * Reads names that are separated by commas. A comma or a percent sign within a name is percent-encoded. Null for text
 * that does not decode.
 */
const namesIn = (given: string): string[] | null => {
  try {
    return given.split(',').map(decodeURIComponent)
  } catch {
    return null
  }
}

const NAME = '(?:[^,%]|%[0-9a-fA-F]{2})*'

/** A list of different names. `least` and `most` bound their number, and `thing` says what they name. */
export const names = (least: number, most: number, thing: string) =>
  z
    .string()
    .transform((given, context) => {
      const list = namesIn(given)
      if (list && list.length >= least && list.length <= most && new Set(list).size === list.length) return list
      context.addIssue({ code: 'custom', message: `must be ${least} to ${most} different ${thing}, comma-separated` })
      return z.NEVER
    })
    .meta({
      description: `${least} to ${most} ${thing}, comma-separated; a comma or a percent sign within one is percent-encoded.`,
      type: 'string',
      pattern: `^${NAME}(?:,${NAME}){${least - 1},${most - 1}}$`,
    })

/** A column of a run. */
export const column = (description: string) =>
  z
    .string()
    .transform(
      parsedBy(
        parseColumn,
        'must be `PROVIDER` or `PROVIDER,PROMPT`; percent-encode a comma or a percent sign within a name',
      ),
    )
    .optional()
    .meta({
      description: `${description} \`PROVIDER\`, or \`PROVIDER,PROMPT\` for one of its prompts; a comma or a percent sign within a name is percent-encoded.`,
      type: 'string',
      pattern: `^${NAME}(?:,${NAME})?$`,
    })

/** The columns of two runs that are compared. The runs may be the same one. */
export const columns = {
  base_column: column('The column of the first run that is compared, instead of all its cases.'),
  head_column: column('The column of the second run that is compared, instead of all its cases.'),
}

/** The runs that are compared. */
export const runs = names(MIN_RUNS, MAX_RUNS, 'ids of runs')
export type Runs = { readonly runs: readonly string[] }

export const BASE = 'The run with which the others are compared: one of `runs`.'

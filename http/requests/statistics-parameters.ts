import { z } from 'zod'
import { CHANGE_FILTERS } from '../../domain/lists/changes.ts'
import { parseClusterBy } from '../../queries/statistics/clusters.ts'
import { MAX_RUNS, MIN_RUNS, parseRowFilter } from '../../queries/statistics/many-runs.ts'
import { cursor, fallbackOf, limit } from './shared-parameters.ts'

// Query parameters of the statistics. Values out of range are rejected, not clamped: they would change what a figure
// means.

const MAX_K = 1_000

const clusterBy = z
  .string()
  .default('test')
  .transform((text, context) => {
    const cluster = parseClusterBy(text)
    if (cluster) return cluster
    context.addIssue({ code: 'custom', message: 'must be `test`, `tag:PREFIX` or `var:NAME`' })
    return z.NEVER
  })
  .meta({
    description: 'What makes cases depend on each other: `test`, `tag:PREFIX` or `var:NAME`.',
    type: 'string',
    pattern: String.raw`^(test|(tag|var):[\s\S]+)$`,
    ...fallbackOf('test'),
  })

const k = z
  .string()
  .refine((text) => /^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_K, {
    message: `must be an integer from 1 to ${MAX_K}`,
  })
  .transform(Number)
  .optional()
  .meta({ description: 'Number of trials.', type: 'integer', minimum: 1, maximum: MAX_K })

export const RunStatisticsQuery = z.strictObject({ k, cluster_by: clusterBy })
export const ComparisonStatisticsQuery = z.strictObject({ cluster_by: clusterBy })
export const TrendQuery = z.strictObject({ branch: z.string().optional() })

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

const names = (least: number, most: number, thing: string) =>
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

const runs = names(MIN_RUNS, MAX_RUNS, 'ids of runs')

const BASE = 'The run with which the others are compared: one of `runs`.'

const rowFilter = z
  .string()
  .default('differ')
  .transform((given, context) => {
    const filter = parseRowFilter(given)
    if (filter) return filter
    context.addIssue({
      code: 'custom',
      message: 'must be `differ`, `all`, `all_passed`, `all_failed`, `worse:RUN` or `better:RUN`',
    })
    return z.NEVER
  })
  .meta({
    description: 'Which rows: `differ`, `all`, `all_passed`, `all_failed`, `worse:RUN` or `better:RUN`.',
    type: 'string',
    pattern: String.raw`^(differ|all|all_passed|all_failed|(worse|better):[\s\S]+)$`,
    ...fallbackOf('differ'),
  })

export const ComparedCasesQuery = z.strictObject({
  filter: z
    .enum(CHANGE_FILTERS)
    .default('changed')
    .meta({ description: 'What happened to the cases. `changed`: they got worse or better.' }),
  case: z.string().optional().meta({
    description: 'The key of a case that is returned as `linked` too; `linked` is null if neither run has it.',
  }),
  limit: limit(200, 500),
  cursor,
})

export const CompareManyQuery = z
  .strictObject({
    runs,
    base: z.string().optional().meta({ description: BASE }),
    filter: rowFilter,
    limit: limit(100, 500),
    cursor,
  })
  .check(({ value, issues }) => {
    const { runs: ids, base, filter } = value
    const wrong = (path: string): void =>
      void issues.push({ code: 'custom', input: value, path: [path], message: 'must name one of the runs' })
    if (base !== undefined && !ids.includes(base)) wrong('base')
    if ('run' in filter && !ids.includes(filter.run)) wrong('filter')
  })

export const CompareOutputsQuery = z
  .strictObject({ runs, test: z.string(), against: z.string().optional().meta({ description: BASE }) })
  .check(({ value, issues }) => {
    if (value.against !== undefined && !value.runs.includes(value.against))
      issues.push({ code: 'custom', input: value, path: ['against'], message: 'must name one of the runs' })
  })

const MAX_CASES = 48

export const TestOutputsQuery = z.strictObject({
  against: z.string().optional().meta({
    description: 'The case key of the column with which the others are compared: one of the columns, or 400.',
  }),
  cases: names(1, MAX_CASES, 'case keys').optional(),
})

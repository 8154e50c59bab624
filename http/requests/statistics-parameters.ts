import { z } from 'zod'
import { parseClusterBy } from '../../queries/statistics/clusters.ts'

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
    pattern: '^(test|(tag|var):.+)$',
    default: 'test',
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

import { z } from 'zod'

const count = z.number().int()

/** What a client needs before it signs in. */
export const Meta = z
  .object({
    name: z.string(),
    version: z.string(),
    auth_mode: z.enum(['open', 'protect-writes', 'closed']),
    setup_required: z.boolean(),
    supported_schema_versions: z.array(count),
    result_schema_version: count,
    cache: z.object({ max_entry_bytes: count, max_bytes: count, max_age_days: count }),
    sso_providers: z.array(z.object({ name: z.string(), kind: z.string(), label: z.string(), login_url: z.string() })),
    cache_tiers: z.array(z.object({ id: z.string(), label: z.string(), search: z.string() })),
    mcp_enabled: z.boolean(),
  })
  .meta({ id: 'Meta' })
export type Meta = z.infer<typeof Meta>

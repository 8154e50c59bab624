import { z } from 'zod'
import { CacheStats } from '../cache/facets.ts'
import { Meta } from '../meta.ts'
import { choices } from './arguments.ts'
import { tool } from './tool.ts'

export const serverInfo = tool({
  name: 'get_server_info',
  title: 'Server information',
  description:
    'Returns the version of the service, its mode of access and its limits. With include it adds the statistics of the shared response cache.',
  arguments: z.strictObject({ include: choices(['cache'], 'What to add.').default([]) }),
  narrowing: ['include'],
  result: z.object({ server: Meta, cache: CacheStats.optional() }),
  run: async ({ server, cache }, { include }) => ({
    data: { server, ...(include.includes('cache') ? { cache } : {}) },
    // Facts of the service and of its operator. No uploader writes any of them.
    subject: null,
  }),
})

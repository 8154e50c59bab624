import { z } from 'zod'
import { findPosition } from '../../../queries/position.ts'
import { DiskFull, Unavailable } from '../../../storage/errors.ts'
import { ErrorBody } from '../../errors.ts'
import type { Route } from '../route.ts'
import { Health } from './get-health.ts'

const Readiness = Health.extend({
  problem: z.string().optional().meta({ description: 'Why nothing can be uploaded, although reads are served.' }),
}).meta({ id: 'Readiness' })

const schema = {
  tags: ['system'],
  operationId: 'getReadiness',
  summary: 'Whether the service can answer requests for stored data',
  response: { 200: Readiness, 503: ErrorBody },
}

export const getReadinessRoute: Route = (app, { reader, isDiskFull }) => {
  const readiness = async () => {
    await reader.read(findPosition).catch((cause: unknown) => {
      throw new Unavailable('the store does not answer', { cause })
    })
    // Reads still work, so the service stays ready.
    return isDiskFull?.() ? { status: 'ready', problem: new DiskFull().message } : { status: 'ready' }
  }
  app.get('/api/v1/ready', { config: { scope: null }, schema }, readiness)
  // Where monitors look by default, as for health.
  for (const url of ['/readyz', '/ready'])
    app.get(url, { config: { scope: null }, schema: { ...schema, hide: true } }, readiness)
}

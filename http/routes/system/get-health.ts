import { z } from 'zod'
import type { Route } from '../route.ts'

export const Health = z.object({ status: z.string() }).meta({ id: 'Health' })

const common = { tags: ['system'], response: { 200: Health } }

const ADDRESSES = {
  '/health': {
    ...common,
    operationId: 'getRootHealth',
    summary: 'Whether the process answers, at an address outside of the API',
  },
  '/api/v1/health': { ...common, operationId: 'getHealth', summary: 'Whether the process answers' },
  // Where monitors look by default. Without these routes, the web app would answer them with its page, whatever the state
  // is.
  '/healthz': { ...common, hide: true },
  '/livez': { ...common, hide: true },
}

export const getHealthRoute: Route = (app) => {
  for (const [url, schema] of Object.entries(ADDRESSES))
    app.get(url, { config: { scope: null }, schema }, async () => ({ status: 'ok' }))
}

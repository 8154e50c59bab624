import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { Services } from '../services.ts'

export type App = Parameters<FastifyPluginAsyncZod>[0]

/** Adds one route to the app. A route without a schema of its query accepts no parameters. */
export type Route = (app: App, services: Services) => void

import type { Route } from '../route.ts'
import { listProjectsRoute } from './list-projects.ts'
import { listSuitesRoute } from './list-suites.ts'

/** Routes of projects, in the order of the API's document. */
export const projectRoutes: readonly Route[] = [listProjectsRoute, listSuitesRoute]

import type { Route } from '../route.ts'
import { searchCasesRoute } from './search-cases.ts'
import { searchCommentsRoute } from './search-comments.ts'
import { searchRunsRoute } from './search-runs.ts'
import { searchRoute } from './search.ts'

/** Routes of search, in the order of the API's document. */
export const searchRoutes: readonly Route[] = [searchRoute, searchCasesRoute, searchRunsRoute, searchCommentsRoute]

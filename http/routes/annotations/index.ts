import type { Route } from '../route.ts'
import { changeRunAnnotationsRoute } from './change-run-annotations.ts'
import { listRunAnnotationsRoute } from './list-run-annotations.ts'

/** Routes of what people add to runs, in the order of the API's document. */
export const annotationRoutes: readonly Route[] = [changeRunAnnotationsRoute, listRunAnnotationsRoute]

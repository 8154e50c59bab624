import type { Route } from '../route.ts'
import { changeViewRoute } from './change-view.ts'
import { createViewRoute } from './create-view.ts'
import { deleteViewRoute } from './delete-view.ts'
import { listViewsRoute } from './list-views.ts'

/** Routes of views, in the order of the API's document. */
export const viewRoutes: readonly Route[] = [listViewsRoute, createViewRoute, changeViewRoute, deleteViewRoute]

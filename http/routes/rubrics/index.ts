import type { Route } from '../route.ts'
import { changeRubricRoute } from './change-rubric.ts'
import { createRubricRoute } from './create-rubric.ts'
import { getRubricRoute } from './get-rubric.ts'
import { listRubricsRoute } from './list-rubrics.ts'
import { retireRubricRoute } from './retire-rubric.ts'

/** Routes of rubrics, in the order of the API's document. */
export const rubricRoutes: readonly Route[] = [
  listRubricsRoute,
  createRubricRoute,
  getRubricRoute,
  changeRubricRoute,
  retireRubricRoute,
]

import type { Route } from '../route.ts'
import { getHealthRoute } from './get-health.ts'
import { getMetaRoute } from './get-meta.ts'
import { getOpenApiDocumentRoute } from './get-open-api-document.ts'
import { getReadinessRoute } from './get-readiness.ts'
import { getRunDocumentSchemaRoute } from './get-run-document-schema.ts'

/** Routes with whole addresses, in the order of the API's document. */
export const systemRoutes: readonly Route[] = [
  getHealthRoute,
  getReadinessRoute,
  getMetaRoute,
  getOpenApiDocumentRoute,
  getRunDocumentSchemaRoute,
]

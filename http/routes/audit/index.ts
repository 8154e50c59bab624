import type { Route } from '../route.ts'
import { exportAuditRoute } from './export-audit.ts'
import { getAuditRecordRoute } from './get-audit-record.ts'
import { listAuditRoute } from './list-audit.ts'

/** Routes of the audit trail, in the order of the API's document. */
export const auditRoutes: readonly Route[] = [listAuditRoute, exportAuditRoute, getAuditRecordRoute]

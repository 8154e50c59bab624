import type { byteBudget } from '../../requests/byte-budget.ts'
import type { Route } from '../route.ts'
import { attachEvidenceRoute } from './attach-evidence.ts'
import { deletePartUploadRoute } from './delete-part-upload.ts'
import { findMissingPartsRoute } from './find-missing-parts.ts'
import { getEvidenceManifestRoute } from './get-evidence-manifest.ts'
import { getPartUploadRoute } from './get-part-upload.ts'
import { getRunPartRoute } from './get-run-part.ts'
import { listCasePartsRoute } from './list-case-parts.ts'
import { listEvidenceRoute } from './list-evidence.ts'
import { putPartsRoute } from './put-parts.ts'
import { putPartRoute } from './put-part.ts'

/** Routes of evidence, in the order of the API's document. `uploads` is the room for all bodies that are being received. */
export const evidenceRoutes = (uploads: ReturnType<typeof byteBudget>): readonly Route[] => [
  putPartRoute(uploads),
  putPartsRoute(uploads),
  getPartUploadRoute,
  deletePartUploadRoute,
  findMissingPartsRoute,
  attachEvidenceRoute,
  listEvidenceRoute,
  getEvidenceManifestRoute,
  getRunPartRoute,
  listCasePartsRoute,
]

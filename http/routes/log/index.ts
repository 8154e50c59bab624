import type { Route } from '../route.ts'
import { getCheckpointOfSizeRoute } from './get-checkpoint-of-size.ts'
import { getCheckpointRoute } from './get-checkpoint.ts'
import { getConsistencyProofRoute } from './get-consistency-proof.ts'
import { getEntryTileRoute } from './get-entry-tile.ts'
import { getHashTileRoute } from './get-hash-tile.ts'
import { getInclusionProofRoute } from './get-inclusion-proof.ts'
import { getLogKeysRoute } from './get-log-keys.ts'
import { getLabelReceiptRoute } from './get-label-receipt.ts'
import { getPlanReceiptRoute } from './get-plan-receipt.ts'
import { getRecordReceiptRoute } from './get-record-receipt.ts'
import { getRunReceiptRoute } from './get-run-receipt.ts'
import { listCheckpointsRoute } from './list-checkpoints.ts'

/** Routes of the log, in the order of the API's document. */
export const logRoutes: readonly Route[] = [
  getLogKeysRoute,
  getCheckpointRoute,
  listCheckpointsRoute,
  getCheckpointOfSizeRoute,
  getEntryTileRoute,
  getHashTileRoute,
  getInclusionProofRoute,
  getConsistencyProofRoute,
  getRunReceiptRoute,
  getPlanReceiptRoute,
  getLabelReceiptRoute,
  getRecordReceiptRoute,
]

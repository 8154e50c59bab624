import type { Route } from '../route.ts'
import { adjudicateItemRoute } from './adjudicate-item.ts'
import { changeReviewersRoute } from './change-reviewers.ts'
import { closeReviewQueueRoute } from './close-review-queue.ts'
import { declineItemRoute } from './decline-item.ts'
import { exportLabelsRoute } from './export-labels.ts'
import { getReviewAgreementRoute } from './get-review-agreement.ts'
import { getReviewItemRoute } from './get-review-item.ts'
import { getReviewQueueRoute } from './get-review-queue.ts'
import { importLabelsRoute } from './import-labels.ts'
import { labelItemRoute } from './label-item.ts'
import { listMyQueuesRoute } from './list-my-review-queues.ts'
import { listReviewItemsRoute } from './list-review-items.ts'
import { listReviewQueuesRoute } from './list-review-queues.ts'
import { takeReviewItemsRoute } from './take-review-items.ts'
import { openReviewQueueRoute } from './open-review-queue.ts'
import { withdrawLabelRoute } from './withdraw-label.ts'

/** Routes of review queues and labels, in the order of the API's document. */
export const reviewRoutes: readonly Route[] = [
  listReviewQueuesRoute,
  openReviewQueueRoute,
  importLabelsRoute,
  getReviewQueueRoute,
  listReviewItemsRoute,
  changeReviewersRoute,
  closeReviewQueueRoute,
  getReviewAgreementRoute,
  exportLabelsRoute,
  listMyQueuesRoute,
  takeReviewItemsRoute,
  getReviewItemRoute,
  labelItemRoute,
  adjudicateItemRoute,
  declineItemRoute,
  withdrawLabelRoute,
]

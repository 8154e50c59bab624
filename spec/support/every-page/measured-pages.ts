import { cacheKeyOf } from '../documents/cache-bodies.ts'
import { HOSTILE } from '../documents/hostile-cases.ts'

/** The text whose hash is the key of the only entry of the cache. */
export const CACHED = 'an entry of the cache'

const LONG = `/runs/hostile/cases/${HOSTILE.long.case_key}`

/**
 * The addresses whose budgets are checked. `FAR_CASE` stands for the key of a case in the middle of the run `large`, `USER` for the
 * id of the first account, and `OPEN_QUEUE` and `CLOSED_QUEUE` for those of two review queues.
 */
export const MEASURED_PAGES: readonly string[] = [
  '/',
  '/projects',
  '/projects/agbenchmark',
  '/projects/agbenchmark/suites/beebot',
  `/projects/hostile/suites/all/cases/${HOSTILE.long.case_key}`,
  '/runs',
  '/runs?project=agbenchmark',
  '/runs/hostile',
  '/runs/large',
  '/runs/large?status=fail',
  '/runs/large/cases/FAR_CASE',
  LONG,
  `${LONG}?view=usage`,
  `${LONG}/transcript`,
  '/runs/hostile/matrix',
  '/runs/hostile/tests/long',
  '/runs/hostile/config',
  '/runs/hostile/config?view=raw',
  '/runs/hostile/document',
  '/compare/trial-0/trial-2',
  '/compare?runs=trial-1,trial-2,trial-3',
  '/compare/outputs/flaky?runs=trial-1,trial-2',
  '/search?q=refund',
  '/reviews',
  '/reviews/new?project=chat&suite=review',
  '/reviews/OPEN_QUEUE',
  '/reviews/OPEN_QUEUE/cases',
  '/reviews/CLOSED_QUEUE',
  '/reviews/CLOSED_QUEUE/agreement',
  '/reviews/CLOSED_QUEUE/cases',
  '/projects/chat/suites/review/judges',
  '/projects/chat/suites/review/judges/llm-rubric',
  '/projects/chat/suites/review/whole-cases',
  '/cache',
  `/cache/${cacheKeyOf(CACHED)}`,
  '/settings',
  '/admin/users',
  '/admin/users/USER',
  '/admin/keys',
  '/admin/access',
  '/admin/holds',
  '/admin/audit',
  '/admin/audit/1',
  '/admin/server',
  '/document-format',
  '/check-receipt',
  '/invite',
  '/login',
  '/reset',
  '/runs/none',
  '/no/such/page',
]

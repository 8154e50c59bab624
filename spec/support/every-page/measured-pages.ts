import { cacheKeyOf } from '../documents/cache-bodies.ts'
import { HOSTILE } from '../documents/hostile-cases.ts'

/** The text whose hash is the key of the only entry of the cache. */
export const CACHED = 'an entry of the cache'

const LONG = `/runs/hostile/cases/${HOSTILE.long.case_key}`

/**
 * The addresses whose budgets are checked. `FAR_CASE` stands for the key of a case in the middle of the run `large`, and
 * `USER` for the id of the first account.
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
  '/runs/hostile/matrix',
  '/runs/hostile/tests/long',
  '/runs/hostile/config',
  '/runs/hostile/config?view=raw',
  '/runs/hostile/document',
  '/compare/trial-0/trial-2',
  '/compare?runs=trial-1,trial-2,trial-3',
  '/compare/outputs/flaky?runs=trial-1,trial-2',
  '/search?q=refund',
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
  '/login',
  '/runs/none',
  '/no/such/page',
]

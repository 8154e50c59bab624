import { cacheKeyOf } from '../spec/support/documents/cache-bodies.ts'

/** A page of the web app, as `npm run bench -- web` opens it. */
export type WebPage = {
  readonly path: string
  /** What is in the document when the page can be used. */
  readonly ready: string
  /** Opened without a session. */
  readonly isSignedOut?: true
}

/** The ids of two runs of 10,000 cases each, and a case of the first. */
export const LARGE = ['large-1', 'large-2'] as const

/** The text whose hash is the key of the only entry of the cache. */
export const CACHED = 'an entry of the bench'

/**
 * Every page and deep link; a new page adds a line. `CASE` stands for the key of a case in the middle of the first run,
 * `TEST` for the id of its test, and `USER` for the id of the account.
 */
export const WEB_PAGES: readonly WebPage[] = [
  { path: '/', ready: 'main h1' },
  { path: '/projects', ready: 'main h1' },
  { path: '/projects/agbenchmark', ready: 'main h1' },
  { path: '/projects/agbenchmark/suites/beebot', ready: 'main h1' },
  { path: '/projects/coding/suites/everything/cases/CASE', ready: 'main h1' },
  { path: `/compare?runs=${LARGE.join(',')}`, ready: 'main h1' },
  { path: '/runs', ready: 'tr[data-run]' },
  { path: '/runs?project=agbenchmark', ready: 'tr[data-run]' },
  { path: `/runs/${LARGE[0]}`, ready: 'main a[href*="/cases/"]' },
  { path: `/runs/${LARGE[0]}?status=fail`, ready: 'main a[href*="/cases/"]' },
  { path: `/runs/${LARGE[0]}/cases/CASE`, ready: '#case-title' },
  { path: `/runs/${LARGE[0]}/cases/CASE/transcript`, ready: 'main h1' },
  { path: `/runs/${LARGE[0]}/matrix`, ready: 'main h1' },
  { path: `/runs/${LARGE[0]}/tests/TEST`, ready: 'main h1' },
  { path: `/runs/${LARGE[0]}/config`, ready: 'main h1' },
  { path: `/runs/${LARGE[0]}/document`, ready: 'main h1' },
  { path: `/compare/${LARGE[0]}/${LARGE[1]}`, ready: 'table.cmp tbody tr[data-index]' },
  { path: `/compare/${LARGE[0]}/${LARGE[1]}?case=CASE`, ready: 'table.cmp tbody tr[data-index]' },
  { path: `/compare/outputs/TEST?runs=${LARGE.join(',')}`, ready: 'main h1' },
  { path: '/search?q=refund', ready: 'main h1' },
  { path: '/reviews', ready: 'main h1' },
  { path: '/reviews/new?project=coding&suite=everything', ready: 'main h1' },
  { path: '/reviews/none', ready: 'main h1' },
  { path: '/reviews/none/agreement', ready: 'main h1' },
  { path: '/reviews/none/cases', ready: 'main h1' },
  { path: '/projects/coding/suites/everything/judges', ready: 'main h1' },
  { path: '/projects/coding/suites/everything/judges/none', ready: 'main h1' },
  { path: '/projects/coding/suites/everything/whole-cases', ready: 'main h1' },
  { path: '/cache', ready: 'main h1' },
  { path: `/cache/${cacheKeyOf(CACHED)}`, ready: '#entry-title' },
  { path: '/document-format', ready: 'main h1' },
  { path: '/check-receipt', ready: 'main h1', isSignedOut: true },
  { path: '/settings', ready: 'main h1' },
  { path: '/admin/users', ready: 'main h1' },
  { path: '/admin/users/USER', ready: '#user-title' },
  { path: '/admin/keys', ready: 'main h1' },
  { path: '/admin/access', ready: 'main h1' },
  { path: '/admin/holds', ready: 'main h1' },
  { path: '/admin/audit', ready: 'main h1' },
  { path: '/admin/audit/1', ready: '#record-title' },
  { path: '/admin/server', ready: 'main h1' },
  { path: '/login', ready: 'main h1', isSignedOut: true },
  { path: '/invite', ready: 'main h1', isSignedOut: true },
  { path: '/reset', ready: 'main h1', isSignedOut: true },
  { path: '/no/such/page', ready: 'main h1' },
]

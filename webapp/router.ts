import { createRouter, createWebHistory, type RouteLocationNormalized, type RouteRecordRaw } from 'vue-router'
import { isDotName } from './text/dot-names.ts'
import { isSamePage, pageChanged } from './composables/use-page-focus.ts'
import { watchNavigation } from './frame/navigation.ts'
import { queryClient } from './api/query-client.ts'
import { gateOf, loadSession, signInAddress } from './api/session.ts'

declare module 'vue-router' {
  interface RouteMeta {
    /** Shown without the header, and without a session. */
    bare?: true
    /** A page of its own (labelling/), which is loaded as such. */
    apart?: true
  }
}

// Two routes use each of these components, so opening a drawer does not remount the list below it.
const RunCases = () => import('./pages/run/cases/RunCases.vue')

const CacheEntries = () => import('./pages/cache/CacheEntries.vue')

const CalibrationPage = () => import('./pages/calibration/CalibrationPage.vue')

const UsersPage = () => import('./pages/admin/users/UsersPage.vue')
const AuditPage = () => import('./pages/admin/audit/AuditPage.vue')

/** All routes of the app. The script of a page loads when the page is first shown. */
const routes: readonly RouteRecordRaw[] = [
  { path: '/', name: 'overview', component: () => import('./pages/overview/OverviewPage.vue') },
  { path: '/login', name: 'login', component: () => import('./pages/login/LoginPage.vue'), meta: { bare: true } },
  { path: '/setup', name: 'setup', component: () => import('./pages/setup/SetupPage.vue'), meta: { bare: true } },
  { path: '/invite', name: 'invite', component: () => import('./pages/login/InvitePage.vue'), meta: { bare: true } },
  { path: '/reset', name: 'reset', component: () => import('./pages/login/ResetPage.vue'), meta: { bare: true } },
  { path: '/runs', name: 'runs', component: () => import('./pages/runs/RunsPage.vue') },
  {
    path: '/runs/:id/tests/:test_id',
    name: 'test-outputs',
    component: () => import('./pages/outputs/OutputsPage.vue'),
    props: true,
  },
  {
    path: '/runs/:id/cases/:case_key/transcript',
    name: 'transcript',
    component: () => import('./pages/transcript/TranscriptPage.vue'),
    props: true,
  },
  {
    path: '/runs/:id',
    component: () => import('./pages/run/RunPage.vue'),
    props: true,
    children: [
      { path: '', name: 'run', components: { default: RunCases }, props: { default: true } },
      {
        path: 'cases/:case_key',
        name: 'case',
        components: { default: RunCases, drawer: () => import('./pages/case/CaseDrawer.vue') },
        props: { default: true, drawer: true },
      },
      { path: 'matrix', name: 'matrix', component: () => import('./pages/run/matrix/RunMatrix.vue'), props: true },
      { path: 'config', name: 'config', component: () => import('./pages/run/config/RunConfig.vue'), props: true },
      {
        path: 'document',
        name: 'document',
        component: () => import('./pages/run/document/RunDocument.vue'),
        props: true,
      },
    ],
  },
  {
    path: '/compare/outputs/:test_id',
    name: 'compared-outputs',
    component: () => import('./pages/outputs/OutputsPage.vue'),
    props: true,
  },
  { path: '/compare', name: 'compare-many', component: () => import('./pages/compare/many/ManyPage.vue') },
  { path: '/suites', redirect: { name: 'projects' } },
  { path: '/projects', name: 'projects', component: () => import('./pages/suites/SuitesPage.vue') },
  {
    path: '/projects/:project',
    name: 'project',
    component: () => import('./pages/suites/ProjectPage.vue'),
    props: true,
  },
  {
    path: '/projects/:project/suites/:suite',
    name: 'suite',
    component: () => import('./pages/suite/SuitePage.vue'),
    props: true,
  },
  {
    path: '/projects/:project/suites/:suite/cases/:case_key',
    name: 'case-history',
    component: () => import('./pages/history/HistoryPage.vue'),
    props: true,
  },
  {
    path: '/projects/:project/suites/:suite/judges',
    name: 'judges',
    component: () => import('./pages/calibration/JudgesPage.vue'),
    props: true,
  },
  {
    path: '/projects/:project/suites/:suite/judges/:metric',
    name: 'calibration',
    component: CalibrationPage,
    props: true,
  },
  {
    path: '/projects/:project/suites/:suite/whole-cases',
    name: 'case-calibration',
    component: CalibrationPage,
    props: true,
  },
  { path: '/reviews', name: 'reviews', component: () => import('./pages/reviews/ReviewsPage.vue') },
  { path: '/reviews/new', name: 'new-queue', component: () => import('./pages/reviews/NewQueuePage.vue') },
  {
    path: '/reviews/:id',
    component: () => import('./pages/reviews/QueuePage.vue'),
    props: true,
    children: [
      { path: '', name: 'queue', component: () => import('./pages/reviews/ProgressTab.vue') },
      { path: 'agreement', name: 'queue-agreement', component: () => import('./pages/reviews/AgreementTab.vue') },
      { path: 'cases', name: 'queue-cases', component: () => import('./pages/reviews/CasesTab.vue') },
    ],
  },
  {
    path: '/compare/:base/:head',
    name: 'compare',
    component: () => import('./pages/compare/ComparePage.vue'),
    props: true,
  },
  {
    path: '/cache',
    component: () => import('./pages/cache/CachePage.vue'),
    children: [
      { path: '', name: 'cache', component: CacheEntries },
      {
        path: ':key',
        name: 'cache-entry',
        components: { default: CacheEntries, drawer: () => import('./pages/cache/EntryDrawer.vue') },
        props: { drawer: ({ params }) => ({ entry_key: params['key'] }) },
      },
    ],
  },
  { path: '/settings', name: 'settings', component: () => import('./pages/settings/SettingsPage.vue') },
  {
    path: '/admin',
    name: 'admin',
    redirect: { name: 'admin-users' },
    component: () => import('./pages/admin/AdminPage.vue'),
    children: [
      { path: 'users', name: 'admin-users', component: UsersPage },
      {
        path: 'users/:user_id',
        name: 'admin-user',
        components: { default: UsersPage, drawer: () => import('./pages/admin/users/UserDrawer.vue') },
        props: { drawer: true },
      },
      { path: 'keys', name: 'admin-keys', component: () => import('./pages/admin/keys/KeysPage.vue') },
      { path: 'access', name: 'admin-access', component: () => import('./pages/admin/access/AccessPage.vue') },
      { path: 'holds', name: 'admin-holds', component: () => import('./pages/admin/holds/HoldsPage.vue') },
      { path: 'audit', name: 'admin-audit', component: AuditPage },
      {
        path: 'audit/:seq',
        name: 'admin-record',
        components: { default: AuditPage, drawer: () => import('./pages/admin/audit/RecordDrawer.vue') },
        props: { drawer: true },
      },
      { path: 'server', name: 'admin-server', component: () => import('./pages/admin/server/ServerPage.vue') },
    ],
  },
  {
    path: '/document-format',
    name: 'document-format',
    component: () => import('./pages/document-format/DocumentFormatPage.vue'),
  },
  {
    path: '/check-receipt',
    name: 'check-receipt',
    component: () => import('./pages/check-receipt/CheckReceiptPage.vue'),
    meta: { bare: true },
  },
  {
    path: '/review/:queue?',
    name: 'review',
    component: () => import('./pages/not-found/NotFoundPage.vue'),
    meta: { apart: true },
    beforeEnter: ({ fullPath }) => (location.assign(fullPath), false),
  },
  { path: '/search', name: 'search', component: () => import('./pages/search/SearchPage.vue') },
  { path: '/:path(.*)*', name: 'not-found', component: () => import('./pages/not-found/NotFoundPage.vue') },
]

/** Whether the pages are different tabs of one page, each with its own list. */
const isTab = (to: RouteLocationNormalized, from: RouteLocationNormalized): boolean =>
  to.matched[0]?.path === '/admin' && to.path.split('/')[2] !== from.path.split('/')[2]

export const router = createRouter({
  history: createWebHistory(),
  routes: [...routes],
  scrollBehavior: (to, from, saved) =>
    saved ?? (to.path === from.path || (isSamePage(to, from) && !isTab(to, from)) ? false : { top: 0 }),
})

watchNavigation(router)

// Cancels navigation to an address that the browser would change.
router.beforeEach(({ params }) => !Object.values(params).flat().some(isDotName))

// Runs after the page's script has loaded. `main.ts` requests the session before that, so both load in parallel.
router.beforeResolve(async (to) => {
  // Receipts are checked by people without an account, also while the server has none. The secret of a link must not become a part of
  // the address of another page.
  if (to.name === 'check-receipt' || to.name === 'invite' || to.name === 'reset') return true
  // If the server does not respond, the page itself shows the error and a way to retry.
  const session = await loadSession(queryClient).catch(() => null)
  if (!session) return true
  const gate = gateOf(session)
  // An account that labels cases sees nothing else but its settings.
  if (session.me.scope === 'review' && to.name !== 'settings') return { name: 'review' }
  if (to.name === 'setup') return session.meta.setup_required ? true : '/'
  if (to.name === 'login' && session.me.authenticated) return '/'
  // The address may say why a sign-in through a provider failed; that page shows it as well.
  if (to.name === 'login') return session.meta.setup_required ? { name: 'setup', query: to.query } : true
  if (gate === 'setup') return '/setup'
  return gate === 'login' ? signInAddress(to.fullPath) : true
})

router.afterEach((to, from, failure) => {
  if (!failure) pageChanged(to, from)
})

import { createRouter, createWebHistory } from 'vue-router'
import type { RouteRecordRaw } from 'vue-router'
import { isDotName } from './text/dot-names.ts'
import { pageChanged } from './composables/use-page-focus.ts'
import { queryClient } from './api/query-client.ts'
import { gateOf, loadSession, signInAddress } from './api/session.ts'

declare module 'vue-router' {
  interface RouteMeta {
    /** Shown without the header, and without a session. */
    bare?: true
  }
}

// Both routes use the same component, so opening a case does not remount the list below it.
const RunCases = () => import('./pages/run/cases/RunCases.vue')

/** All routes of the app. The script of a page loads when the page is first shown. */
const routes: readonly RouteRecordRaw[] = [
  { path: '/', redirect: '/runs' },
  { path: '/login', name: 'login', component: () => import('./pages/login/LoginPage.vue'), meta: { bare: true } },
  { path: '/setup', name: 'setup', component: () => import('./pages/setup/SetupPage.vue'), meta: { bare: true } },
  { path: '/runs', name: 'runs', component: () => import('./pages/runs/RunsPage.vue') },
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
    path: '/compare/:base/:head',
    name: 'compare',
    component: () => import('./pages/compare/ComparePage.vue'),
    props: true,
  },
  { path: '/search', name: 'search', component: () => import('./pages/search/SearchPage.vue') },
  { path: '/:path(.*)*', name: 'not-found', component: () => import('./pages/not-found/NotFoundPage.vue') },
]

export const router = createRouter({
  history: createWebHistory(),
  routes: [...routes],
  scrollBehavior: (to, from, saved) =>
    saved ?? (to.path === from.path || to.params['id'] === from.params['id'] ? false : { top: 0 }),
})

// Cancels navigation to an address that the browser would change.
router.beforeEach(({ params }) => !Object.values(params).flat().some(isDotName))

// Runs after the page's script has loaded. `main.ts` requests the session before that, so both load in parallel.
router.beforeResolve(async (to) => {
  // If the server does not respond, the page itself shows the error and a way to retry.
  const session = await loadSession(queryClient).catch(() => null)
  if (!session) return true
  const gate = gateOf(session)
  if (to.name === 'setup') return session.meta.setup_required ? true : '/'
  if (to.name === 'login') return session.me.authenticated ? '/' : session.meta.setup_required ? '/setup' : true
  if (gate === 'setup') return '/setup'
  return gate === 'login' ? signInAddress(to.fullPath) : true
})

router.afterEach((to, from, failure) => {
  if (!failure) pageChanged(to, from)
})

import { createRouter, createWebHashHistory, type Router } from 'vue-router'
import type { SharedComparison, SharedFile } from '../../queries/share/shared-file.ts'
import { isSamePage, pageChanged } from '../composables/use-page-focus.ts'
import CaseDrawer from '../pages/case/CaseDrawer.vue'
import ComparePage from '../pages/compare/ComparePage.vue'
import RunCases from '../pages/run/cases/RunCases.vue'
import RunMatrix from '../pages/run/matrix/RunMatrix.vue'
import SharedRunPage from './SharedRunPage.vue'

/** The page of a comparison, or of two columns. */
export const comparisonAddress = ({ base, head, base_column, head_column }: SharedComparison) => ({
  name: 'compare',
  params: { base, head },
  query: {
    ...(base_column === null ? {} : { base_column: [base_column] }),
    ...(head_column === null ? {} : { head_column: [head_column] }),
  },
})

/** The pages of a file. Their addresses are behind `#`, because a file has one address. */
export const fileRouter = ({ runs, comparisons, case_key }: SharedFile): Router => {
  const [comparison] = comparisons
  const first = comparison
    ? comparisonAddress(comparison)
    : case_key === null
      ? { name: 'run', params: { id: runs[0]?.run.id ?? '' } }
      : { name: 'case', params: { id: runs[0]?.run.id ?? '', case_key } }
  const router = createRouter({
    history: createWebHashHistory(),
    routes: [
      {
        path: '/runs/:id',
        component: SharedRunPage,
        props: true,
        children: [
          { path: '', name: 'run', components: { default: RunCases }, props: { default: true } },
          {
            path: 'cases/:case_key',
            name: 'case',
            components: { default: RunCases, drawer: CaseDrawer },
            props: { default: true, drawer: true },
          },
          { path: 'matrix', name: 'matrix', component: RunMatrix, props: true },
        ],
      },
      ...(comparison ? [{ path: '/compare/:base/:head', name: 'compare', component: ComparePage, props: true }] : []),
      { path: '/:path(.*)*', redirect: first },
    ],
    scrollBehavior: (to, from, saved) => saved ?? (to.path === from.path || isSamePage(to, from) ? false : { top: 0 }),
  })
  router.afterEach((to, from, failure) => {
    if (!failure) pageChanged(to, from)
  })
  return router
}

import { QueryClient, VueQueryPlugin } from '@tanstack/vue-query'
import { mount } from '@vue/test-utils'
import { expect, it, vi } from 'vitest'
import { createMemoryHistory, createRouter } from 'vue-router'
import CaseHistoryStrip from '../../../../../webapp/pages/case/history/CaseHistoryStrip.vue'
import type { HistoryCell } from '../../../../../webapp/pages/case/history/history.ts'

const cell = (n: number, point: object | null, status: HistoryCell['status'] = 'pass'): HistoryCell => ({
  run_id: `run-${n}`,
  created_at: `2026-05-0${n}T00:00:00Z`,
  note: null,
  status: point === null ? null : status,
  point: point as HistoryCell['point'],
  flipped: false,
})
const point = (changes: object = {}) => ({
  ...{ status: 'pass', score: 1, output_changed: null, cost_usd: null, latency_ms: 0 },
  ...changes,
})

const router = createRouter({
  history: createMemoryHistory(),
  routes: [
    { path: '/', component: {} },
    { path: '/runs/:id/cases/:case_key', name: 'case', component: {} },
  ],
})

/** The run is never loaded: the strip shows what it gets. */
const strip = (...cells: readonly HistoryCell[]) => {
  vi.stubGlobal('fetch', () => new Promise(() => {}))
  return mount(CaseHistoryStrip, {
    props: { cells, id: 'run-1', case_key: 'a', baseline: null },
    global: { plugins: [router, [VueQueryPlugin, { queryClient: new QueryClient() }]] },
  })
}
const titles = (page: ReturnType<typeof strip>) =>
  page.findAll('[title^="2026"]:not(time)').map((each) => each.attributes('title'))

it('counts the runs that it shows', () => {
  expect(strip(cell(1, point())).get('h3').text()).toMatch(/^1 run of the suite/)
  expect(strip(cell(1, point()), cell(2, point())).get('h3').text()).toMatch(/^2 runs of the suite/)
})

it('names a status that it does not know, and says when the case is not in a run', () => {
  const page = strip(cell(1, point({ status: 'flagged' }), null), cell(2, null), cell(3, point()))
  expect(titles(page)).toEqual(['2026-05-01: flagged', '2026-05-02: not in this run', '2026-05-03'])
})

it('shows a latency of 0', () => {
  expect(strip(cell(1, point())).get('tbody tr').text()).toMatch(/0\s?ms$|0\s?s$/)
})

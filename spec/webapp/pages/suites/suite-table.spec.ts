import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import { createMemoryHistory, createRouter } from 'vue-router'
import SuiteTable from '../../../../webapp/pages/suites/SuiteTable.vue'
import type { OverviewSuite } from '../../../../webapp/suites/use-overview.ts'

const nowhere = { template: '<div />' }
const router = createRouter({
  history: createMemoryHistory(),
  routes: ['suite', 'project', 'runs', 'run'].map((name) => ({
    path: `/${name}`,
    name,
    component: nowhere,
  })),
})

const suites = Array.from(
  { length: 130 },
  (_, n) =>
    ({
      project: 'chat',
      suite: `s${String(n).padStart(3, '0')}`,
      restricted: false,
      run_count: 1,
      pass_rates: [],
      baseline: null,
      newest_run: { id: `r${n}`, created_at: '2026-03-12T12:58:41Z', case_count: 2, pass_count: 1 },
    }) as unknown as OverviewSuite,
)

it('a table of many suites renders a hundred rows at once', async () => {
  const page = mount(SuiteTable, { props: { suites, withProject: false }, global: { plugins: [router] } })
  const rows = () => page.findAll('tbody tr').length
  const more = () => page.find('.rest button')
  expect(rows()).toBe(100)
  expect(page.find('.rest').text()).toContain('100 of 130 suites')
  expect(more().text()).toBe('Show 30 more')
  await more().trigger('click')
  expect([rows(), more().exists()]).toEqual([130, false])
})

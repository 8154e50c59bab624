import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import { createMemoryHistory, createRouter } from 'vue-router'
import VerdictCells from '../../../../../webapp/pages/case/history/VerdictCells.vue'

const router = createRouter({
  history: createMemoryHistory(),
  routes: [{ path: '/:path(.*)*', component: { render: () => null } }],
})
const cell = (key: string, status: 'pass' | 'fail' | null, current = false) => ({
  key,
  status,
  title: key,
  to: status ? `/${key}` : null,
  current,
})
const strip = () =>
  mount(VerdictCells, {
    props: { label: 'Runs', cells: [cell('a', 'pass'), cell('gap', null), cell('b', 'fail', true)] },
    global: { plugins: [router] },
    attachTo: document.body,
  })

it('the verdicts are a single Tab stop at the current one', () =>
  expect(
    strip()
      .findAll('a')
      .map((link) => link.attributes('tabindex')),
  ).toEqual(['-1', '0']))
it('each verdict has a text for screen readers; gaps are not links', () => {
  const row = strip()
  expect(row.findAll('li').map((each) => each.text())).toEqual(['a: Pass', 'gap', 'b: Fail'])
  expect(row.findAll('a')).toHaveLength(2)
})
it('arrow keys skip gaps and stop at the ends', async () => {
  const row = strip()
  const focusedIndex = () => row.findAll('a').findIndex(({ element }) => element === document.activeElement)
  await row.get('ul').trigger('keydown', { key: 'ArrowLeft' })
  expect(focusedIndex()).toBe(0)
  await row.get('ul').trigger('keydown', { key: 'ArrowLeft' })
  expect(focusedIndex()).toBe(0)
  await row.get('ul').trigger('keydown', { key: 'ArrowRight' })
  expect(focusedIndex()).toBe(1)
  await row.get('ul').trigger('keydown', { key: 'Home' })
  expect(focusedIndex()).toBe(0)
  await row.get('ul').trigger('keydown', { key: 'End' })
  expect(focusedIndex()).toBe(1)
})

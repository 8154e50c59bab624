import { flushPromises, mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import { createMemoryHistory, createRouter, type RouteLocationRaw } from 'vue-router'
import NameLink from '../../../webapp/components/NameLink.vue'
import { router as appRouter } from '../../../webapp/router.ts'

const page = { template: '<i />' }
const router = createRouter({
  history: createMemoryHistory(),
  routes: [
    { path: '/', component: page },
    { path: '/runs/:id/cases/:case_key?', name: 'case', component: page },
  ],
})
const link = (to: RouteLocationRaw) =>
  mount(NameLink, {
    props: { to },
    attrs: { class: 'l1', title: 'its name' },
    slots: { default: 'name' },
    global: { plugins: [router] },
  })

describe('NameLink', () => {
  it('renders a link', () => {
    const rendered = link({ name: 'case', params: { id: 'a/b', case_key: '...' } }).get('a')
    expect(rendered.attributes()).toMatchObject({ href: '/runs/a%2Fb/cases/...', class: 'l1', title: 'its name' })
    expect(rendered.text()).toBe('name')
  })

  it.each([
    { id: '..', case_key: 'c' },
    { id: 'r', case_key: '.' },
    { id: 'r', case_key: '..' },
  ])('renders plain text if the browser would drop a name: %o', (params) => {
    const rendered = link({ name: 'case', params })
    expect(rendered.find('a').exists()).toBe(false)
    expect(rendered.get('span').attributes()).toMatchObject({
      class: 'l1',
      title: 'browsers cannot open a name that consists of dots only',
    })
    expect(rendered.text()).toBe('name')
  })

  it('checks path parameters only, not the query', () =>
    expect(
      link({ name: 'case', params: { id: 'r' }, query: { q: '..' } })
        .find('a')
        .exists(),
    ).toBe(true))
})

it.each([
  { name: 'run', params: { id: '..' } },
  { name: 'case', params: { id: 'r', case_key: '.' } },
  { name: 'compare', params: { base: 'a', head: '..' } },
])('the router cancels navigation if the browser would drop a name: %o', async (to) => {
  const before = appRouter.currentRoute.value.fullPath
  expect(await appRouter.push(to)).toMatchObject({ type: 4 })
  await flushPromises()
  expect(appRouter.currentRoute.value.fullPath).toBe(before)
})

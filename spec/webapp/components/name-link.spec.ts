import { flushPromises, mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import { createMemoryHistory, createRouter } from 'vue-router'
import type { RouteLocationRaw } from 'vue-router'
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

describe('a link to what a name leads to', () => {
  it('is a link', () => {
    const made = link({ name: 'case', params: { id: 'a/b', case_key: '...' } }).get('a')
    expect(made.attributes()).toMatchObject({ href: '/runs/a%2Fb/cases/...', class: 'l1', title: 'its name' })
    expect(made.text()).toBe('name')
  })

  it.each([
    { id: '..', case_key: 'c' },
    { id: 'r', case_key: '.' },
    { id: 'r', case_key: '..' },
  ])('is text where the browser would lead elsewhere: %o', (params) => {
    const made = link({ name: 'case', params })
    expect(made.find('a').exists()).toBe(false)
    expect(made.get('span').attributes()).toMatchObject({
      class: 'l1',
      title: 'browsers cannot open a name that consists of dots only',
    })
    expect(made.text()).toBe('name')
  })

  it('looks at names alone, not at what is asked for', () =>
    expect(
      link({ name: 'case', params: { id: 'r' }, query: { q: '..' } })
        .find('a')
        .exists(),
    ).toBe(true))
})

describe('the router', () => {
  it.each([
    { name: 'run', params: { id: '..' } },
    { name: 'case', params: { id: 'r', case_key: '.' } },
    { name: 'compare', params: { base: 'a', head: '..' } },
  ])('goes nowhere for such a name: %o', async (to) => {
    const before = appRouter.currentRoute.value.fullPath
    expect(await appRouter.push(to)).toMatchObject({ type: 4 })
    await flushPromises()
    expect(appRouter.currentRoute.value.fullPath).toBe(before)
  })
})

import { QueryClient, VueQueryPlugin } from '@tanstack/vue-query'
import { flushPromises, mount } from '@vue/test-utils'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { defineComponent, ref } from 'vue'
import { createMemoryHistory, createRouter } from 'vue-router'
import { provideCaseOrder, useCaseOrder } from '../../../webapp/composables/use-case-order.ts'
import type { CaseOrder } from '../../../webapp/composables/use-case-order.ts'
import { aRow } from '../../support/stores/case-rows.ts'

const rows = (['pass', 'fail', 'pass'] as const).map((status, n) => aRow({ case_key: `k${n}`, idx: n * 10, status }))
const order: CaseOrder = { run_id: 'r', cases: rows, complete: true, total: 3 }

afterEach(() => vi.unstubAllGlobals())

/**
 * The order beside case `case_key`, on a page whose list offers `offered`; the server answers every question with
 * `answered`.
 */
const at = async (
  case_key: string,
  offered: CaseOrder | null,
  { query = '', answered = [aRow({ case_key: 'server', idx: 50 })] } = {},
) => {
  const asked: string[] = []
  vi.stubGlobal('fetch', (url: string) => {
    asked.push(url)
    return Promise.resolve(new Response(JSON.stringify({ cases: answered, next_cursor: null })))
  })
  const router = createRouter({
    history: createMemoryHistory(),
    routes: [{ path: '/:path(.*)*', component: { render: () => null } }],
  })
  await router.push(`/runs/r${query}`)
  let used: ReturnType<typeof useCaseOrder> | undefined
  const list = ref(offered)
  const page = defineComponent({ setup: () => (provideCaseOrder(list), () => null) })
  const drawer = defineComponent({
    setup() {
      used = useCaseOrder({ id: 'r', case_key, idx: 20 }, 'fail')
      return () => null
    },
  })
  const plugins = [router, [VueQueryPlugin, { queryClient: new QueryClient() }]] as const
  const beneath = mount(page, { global: { plugins: [...plugins] as never } })
  mount(drawer, { global: { plugins: [...plugins] as never } })
  await flushPromises()
  if (!used) throw new Error('nothing was mounted')
  return { used, asked, list, beneath }
}

describe('the order of cases', () => {
  it('is that of the list on the page, and asks nobody', async () => {
    const { used, asked } = await at('k1', order)
    expect([used.previous.value?.case_key, used.next.value?.case_key]).toEqual(['k0', 'k2'])
    expect(used.position.value).toEqual({ number: 2, total: 3 })
    expect(await used.neighbour('next', true)).toBeNull()
    expect(asked).toEqual([])
  })

  it('is asked of the server where the list has not loaded further', async () => {
    const { used, asked } = await at('k2', { ...order, complete: false })
    expect([used.previous.value?.case_key, used.next.value?.case_key]).toEqual(['k1', 'server'])
    expect(asked).toEqual(['/api/v1/runs/r/cases?limit=1&cursor=20'])
  })

  it('is asked of the server under the filters of the address where no list is', async () => {
    const { used, asked } = await at('k2', null, { query: '?tag=easy&view=raw' })
    expect(used.next.value?.case_key).toBe('server')
    expect(asked).toContain('/api/v1/runs/r/cases?tag=easy&limit=1&cursor=20')
    expect(used.position.value).toBeNull()
  })

  it('is asked of the list that knows bounds where the address has some', async () => {
    const { asked } = await at('k2', null, { query: '?score=0.5..&status=pass' })
    expect(asked).toContain('/api/v1/runs/r/distribution/cases?status=pass&score_from=0.5&limit=1&cursor=20')
  })

  it('gives the focus back to the row of its case', async () => {
    const focus = vi.fn(() => true)
    const { used } = await at('k1', { ...order, focus })
    expect(used.focus()).toBe(true)
    expect(focus).toHaveBeenCalledWith('k1')
    expect((await at('k1', null)).used.focus()).toBe(false)
  })

  it('of another run is none of this one', async () =>
    expect((await at('k1', { ...order, run_id: 'other' })).used.row.value).toBeNull())
  it('has no case of a status that the list leaves out', async () => {
    const { used } = await at('k2', null, { query: '?status=pass' })
    expect(await used.neighbour('next', true)).toBeNull()
  })
  it('goes with the list', async () => {
    const { used, beneath } = await at('k1', order)
    beneath.unmount()
    expect(used.row.value).toBeNull()
  })
})

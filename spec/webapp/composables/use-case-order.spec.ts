import { QueryClient, VueQueryPlugin } from '@tanstack/vue-query'
import { flushPromises, mount } from '@vue/test-utils'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { defineComponent, ref } from 'vue'
import { createMemoryHistory, createRouter } from 'vue-router'
import { provideCaseOrder, useCaseOrder, type CaseOrder } from '../../../webapp/composables/use-case-order.ts'
import { aRow } from '../../support/stores/case-rows.ts'

const rows = (['pass', 'fail', 'pass'] as const).map((status, n) => aRow({ case_key: `k${n}`, idx: n * 10, status }))
const pageList: CaseOrder = { run_id: 'r', cases: rows, complete: true, total: 3 }

afterEach(() => vi.unstubAllGlobals())

/**
 * Mounts a page with the list `listed`, or without one if it is null, and a drawer with the case `case_key`, and returns the drawer's order. The
 * server answers every request with the cases `served`.
 */
const mountOrder = async (
  case_key: string,
  listed: CaseOrder | 'loading' | null,
  { query = '', served = [aRow({ case_key: 'server', idx: 50 })] } = {},
) => {
  const requests: string[] = []
  vi.stubGlobal('fetch', (url: string) => {
    requests.push(url)
    return Promise.resolve(new Response(JSON.stringify({ cases: served, next_cursor: null })))
  })
  const router = createRouter({
    history: createMemoryHistory(),
    routes: [{ path: '/:path(.*)*', component: { render: () => null } }],
  })
  await router.push(`/runs/r${query}`)
  let order: ReturnType<typeof useCaseOrder> | undefined
  const list = ref(listed === 'loading' ? null : listed)
  const page = defineComponent({
    setup: () => {
      if (listed !== null) provideCaseOrder(list)
      return () => null
    },
  })
  const drawer = defineComponent({
    setup() {
      order = useCaseOrder({ id: 'r', case_key, idx: 20 }, 'fail')
      return () => null
    },
  })
  const plugins = [router, [VueQueryPlugin, { queryClient: new QueryClient() }]] as const
  const beneath = mount(page, { global: { plugins: [...plugins] as never } })
  mount(drawer, { global: { plugins: [...plugins] as never } })
  await flushPromises()
  if (!order) throw new Error('nothing was mounted')
  return { order, requests, list, beneath }
}

/** Only in this order the server finds the case next to another. */
const IN_DOCUMENT_ORDER = '?sort=document'

describe('the order of cases', () => {
  it('is that of the list on the page, without a request', async () => {
    const { order, requests } = await mountOrder('k1', pageList)
    expect([order.previous.value?.case_key, order.next.value?.case_key]).toEqual(['k0', 'k2'])
    expect(order.position.value).toEqual({ number: 2, total: 3 })
    expect(await order.neighbour('next', true)).toBeNull()
    expect(requests).toEqual([])
  })

  it('comes from the server after the last loaded row of the list', async () => {
    const { order, requests } = await mountOrder('k2', { ...pageList, complete: false }, { query: IN_DOCUMENT_ORDER })
    expect([order.previous.value?.case_key, order.next.value?.case_key]).toEqual(['k1', 'server'])
    expect(requests).toEqual(['/api/v1/runs/r/cases?limit=1&cursor=20'])
  })

  it('comes from the server, with the filters of the address, if there is no list', async () => {
    const { order, requests } = await mountOrder('k2', null, { query: `${IN_DOCUMENT_ORDER}&tag=easy&view=raw` })
    expect(order.next.value?.case_key).toBe('server')
    expect(requests).toContain('/api/v1/runs/r/cases?tag=easy&limit=1&cursor=20')
    expect(order.position.value).toBeNull()
  })

  it('is not requested while the list loads', async () => {
    const { order, requests } = await mountOrder('k2', 'loading')
    expect([order.previous.value, order.next.value, requests]).toEqual([null, null, []])
  })

  it('comes from the server for a step that is taken while the list loads', async () => {
    const { order, requests } = await mountOrder('k2', 'loading', { query: IN_DOCUMENT_ORDER })
    expect((await order.neighbour('next', false))?.case_key).toBe('server')
    expect(requests).toEqual(['/api/v1/runs/r/cases?limit=1&cursor=20'])
  })

  it.each(['', '?sort=score', '?sort=document&order=desc'])(
    'is not known while a sorted list loads: %s',
    async (query) => {
      const { order, requests } = await mountOrder('k2', 'loading', { query })
      await expect(order.neighbour('next', false)).rejects.toThrow('loading')
      expect(requests).toEqual([])
    },
  )

  it('comes from the distribution route if the address has bounds', async () => {
    const { requests } = await mountOrder('k2', null, { query: `${IN_DOCUMENT_ORDER}&score=0.5..&status=pass` })
    expect(requests).toContain('/api/v1/runs/r/distribution/cases?status=pass&score_from=0.5&limit=1&cursor=20')
  })

  it('returns the focus to the row of its case', async () => {
    const focus = vi.fn(() => true)
    const { order, beneath } = await mountOrder('k1', { ...pageList, focus })
    expect(order.focus()).toBe(true)
    expect(focus).toHaveBeenCalledWith('k1')
    beneath.unmount()
    expect((await mountOrder('k1', null)).order.focus()).toBe(false)
  })

  it('ignores the list of another run', async () =>
    expect((await mountOrder('k1', { ...pageList, run_id: 'other' })).order.row.value).toBeNull())
  it('finds no next case of a status that the filters exclude', async () => {
    const { order } = await mountOrder('k2', null, { query: `${IN_DOCUMENT_ORDER}&status=pass` })
    expect(await order.neighbour('next', true)).toBeNull()
  })
  it('is removed with the list', async () => {
    const { order, beneath } = await mountOrder('k1', pageList)
    beneath.unmount()
    expect(order.row.value).toBeNull()
  })
})

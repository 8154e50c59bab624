import { mount } from '@vue/test-utils'
import { defineComponent } from 'vue'
import { createMemoryHistory, createRouter } from 'vue-router'
import { describe, expect, it } from 'vitest'
import { useCaseFilters } from '../../../../../webapp/pages/run/cases/use-case-filters.ts'

/** Mounts a page with the filters at an address. */
const openPage = async (address: string) => {
  let caseFilters: ReturnType<typeof useCaseFilters> | undefined
  const Page = defineComponent({
    setup: () => {
      caseFilters = useCaseFilters()
      return () => null
    },
  })
  const router = createRouter({ history: createMemoryHistory(), routes: [{ path: '/:path(.*)*', component: Page }] })
  await router.push(address)
  mount(Page, { global: { plugins: [router] } })
  if (!caseFilters) throw new Error('nothing was set up')
  const { filters, isFiltered, set, clear } = caseFilters
  /** Runs an action and waits until the address has changed. */
  const go = async (act: () => void): Promise<string> => {
    const navigated = new Promise<void>((resolve) => {
      const stop = router.afterEach(() => {
        stop()
        resolve()
      })
    })
    act()
    await navigated
    return router.currentRoute.value.fullPath
  }
  return { router, filters, isFiltered, set, clear, go }
}

describe('the filters of a page', () => {
  it('are read from its address', async () => {
    const { filters, isFiltered } = await openPage('/runs/a?status=fail&view=x')
    expect([filters.value, isFiltered.value]).toEqual([{ status: 'fail' }, true])
  })

  it('are added to its address without removing other parameters', async () => {
    const { go, set, filters } = await openPage('/runs/a/cases/k?view=x')
    expect(await go(() => set('tag', 'a b'))).toBe('/runs/a/cases/k?view=x&tag=a+b')
    expect(filters.value).toEqual({ tag: 'a b' })
    expect(await go(() => set('tag', null))).toBe('/runs/a/cases/k?view=x')
  })

  it('are cleared together, without removing other parameters', async () => {
    const { go, clear } = await openPage('/runs/a?status=fail&q=x&view=x')
    expect(await go(clear)).toBe('/runs/a?view=x')
  })

  it('add an entry to the history of the browser if chosen, but not if typed', async () => {
    const { go, set, router } = await openPage('/runs/a')
    await go(() => set('tag', 'one'))
    await go(() => set('q', 'w', { typing: true }))
    await go(() => set('q', 'words', { typing: true }))
    expect(await go(() => router.back())).toBe('/runs/a')
  })
})

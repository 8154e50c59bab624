import { mount } from '@vue/test-utils'
import { defineComponent } from 'vue'
import { createMemoryHistory, createRouter } from 'vue-router'
import { describe, expect, it } from 'vitest'
import { useCaseFilters } from '../../../../../webapp/pages/run/cases/use-case-filters.ts'

/** A page that has the filters, at an address. */
const at = async (address: string) => {
  let found: ReturnType<typeof useCaseFilters> | undefined
  const Page = defineComponent({
    setup: () => {
      found = useCaseFilters()
      return () => null
    },
  })
  const router = createRouter({ history: createMemoryHistory(), routes: [{ path: '/:path(.*)*', component: Page }] })
  await router.push(address)
  mount(Page, { global: { plugins: [router] } })
  if (!found) throw new Error('nothing was set up')
  const { filters, isFiltered, set, clear } = found
  /** Does something and waits until the address has changed. */
  const go = async (act: () => void): Promise<string> => {
    const moved = new Promise<void>((resolve) => {
      const stop = router.afterEach(() => {
        stop()
        resolve()
      })
    })
    act()
    await moved
    return router.currentRoute.value.fullPath
  }
  return { router, filters, isFiltered, set, clear, go }
}

describe('the filters of a page', () => {
  it('are read from its address', async () => {
    const { filters, isFiltered } = await at('/runs/a?status=fail&view=x')
    expect([filters.value, isFiltered.value]).toEqual([{ status: 'fail' }, true])
  })

  it('are written into it, beside what else it holds', async () => {
    const { go, set, filters } = await at('/runs/a/cases/k?view=x')
    expect(await go(() => set('tag', 'a b'))).toBe('/runs/a/cases/k?view=x&tag=a+b')
    expect(filters.value).toEqual({ tag: 'a b' })
    expect(await go(() => set('tag', null))).toBe('/runs/a/cases/k?view=x')
  })

  it('go all at once, and nothing else does', async () => {
    const { go, clear } = await at('/runs/a?status=fail&q=x&view=x')
    expect(await go(clear)).toBe('/runs/a?view=x')
  })

  it('are undone by Back where they were chosen, not where they were typed', async () => {
    const { go, set, router } = await at('/runs/a')
    await go(() => set('tag', 'one'))
    await go(() => set('q', 'w', { typing: true }))
    await go(() => set('q', 'words', { typing: true }))
    expect(await go(() => router.back())).toBe('/runs/a')
  })
})

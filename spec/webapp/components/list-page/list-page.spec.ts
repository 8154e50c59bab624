import { QueryClient, VueQueryPlugin } from '@tanstack/vue-query'
import { flushPromises, mount } from '@vue/test-utils'
import { expect, it, vi } from 'vitest'
import { h } from 'vue'
import ListPage from '../../../../webapp/components/list-page/ListPage.vue'
import { useList } from '../../../../webapp/api/use-list.ts'

type Page = { readonly names: readonly string[]; readonly next_cursor: string | null }

/** A page of names, with a server that answers each request with the next of `answers`. */
const mountNames = async (...answers: ReadonlyArray<Page | 500>) => {
  const left = [...answers]
  vi.stubGlobal('fetch', async () => {
    const answer = left.shift()
    return answer === undefined || answer === 500
      ? Response.json({ error: 'broken' }, { status: 500 })
      : Response.json(answer)
  })
  const page = mount(
    {
      setup: () => {
        const list = useList({
          key: () => ['names'],
          path: (_key, cursor) => `/names?cursor=${cursor}`,
          rows: ({ names }: Page) => names,
        })
        return () =>
          h(
            ListPage,
            { list, what: 'names', more: 'More names' },
            {
              default: () => h('p', list.rows.value.join(' ')),
              empty: () => 'No names yet',
            },
          )
      },
    },
    {
      global: {
        plugins: [
          [VueQueryPlugin, { queryClient: new QueryClient({ defaultOptions: { queries: { retry: false } } }) }],
        ],
      },
    },
  )
  const settle = async (): Promise<void> => {
    await flushPromises()
    await expect.poll(() => page.find('[aria-busy=true]').exists()).toBe(false)
  }
  return { page, settle, left }
}

it('a list is loading, then shows its rows, and loads more when the user asks', async () => {
  const { page, settle } = await mountNames({ names: ['ann'], next_cursor: 'b' }, { names: ['bo'], next_cursor: null })
  expect(page.find('[aria-label="Loading names"]').exists()).toBe(true)
  await settle()
  expect(page.text()).toContain('ann')
  await page.get('button').trigger('click')
  await expect.poll(() => page.text()).toContain('ann bo')
  expect(page.find('button').exists()).toBe(false)
})

it('a list without rows says so', async () => {
  const { page, settle } = await mountNames({ names: [], next_cursor: null })
  await settle()
  expect(page.text()).toBe('No names yet')
})

it('a list that cannot be loaded says why, and loads when the user tries again', async () => {
  const { page } = await mountNames(500, { names: ['ann'], next_cursor: null })
  await expect.poll(() => page.text()).toContain('The names could not be loaded')
  expect(page.text()).toContain('broken')
  await page.get('button').trigger('click')
  await expect.poll(() => page.text()).toContain('ann')
})

it('a next page that cannot be loaded keeps the rows, says why, and is requested again only by the user', async () => {
  const { page, settle, left } = await mountNames({ names: ['ann'], next_cursor: 'b' }, 500, {
    names: ['bo'],
    next_cursor: null,
  })
  await settle()
  await page.get('button').trigger('click')
  await expect.poll(() => page.get('[role=alert]').text()).toContain('Could not load the next names: broken')
  expect(page.text()).toContain('ann')
  expect(left).toHaveLength(1)
  expect(page.get('button').text()).toBe('Try again')
  await page.get('button').trigger('click')
  await expect.poll(() => page.text()).toContain('ann bo')
  expect(page.find('[role=alert]').exists()).toBe(false)
})

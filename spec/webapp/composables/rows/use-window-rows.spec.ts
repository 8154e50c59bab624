import { mount } from '@vue/test-utils'
import { afterEach, describe, expect, it } from 'vitest'
import { defineComponent, h, nextTick, useTemplateRef } from 'vue'
import { useWindowRows } from '../../../../webapp/composables/rows/use-window-rows.ts'

type Used = ReturnType<typeof useWindowRows>
const HEIGHT = 50

const mountRows = async (count: number, whole = 0): Promise<Used> => {
  let used: Used | undefined
  const list = defineComponent({
    setup() {
      const body = useTemplateRef<HTMLElement>('body')
      const rows = useWindowRows({ body: () => body.value, count, wide: HEIGHT, narrow: 90, whole })
      used = rows
      return () =>
        h('table', [
          h(
            'tbody',
            { ref: 'body' },
            rows.shown.value.map(({ index }) =>
              h('tr', { 'data-index': index }, [h('td', [h('a', { href: '#', id: `row-${index}` })])]),
            ),
          ),
        ])
    },
  })
  mount(list, { attachTo: document.body })
  await nextTick()
  if (!used) throw new Error('nothing was mounted')
  return used
}
afterEach(() => {
  document.body.innerHTML = ''
})

describe('useWindowRows', () => {
  it('draws visible rows and some around them, and reserves the height of the rest', async () => {
    const { shown, before, after } = await mountRows(10_000)
    expect(shown.value.length).toBeGreaterThan(10)
    expect(shown.value.length).toBeLessThanOrEqual(58)
    expect(before.value + shown.value.length * HEIGHT + after.value).toBe(10_000 * HEIGHT)
  })
  it('draws all rows of a short list', async () => {
    const { shown, before, after } = await mountRows(120, 150)
    expect([shown.value.length, before.value, after.value]).toEqual([120, 0, 0])
  })
  it('focuses a row', async () => {
    const { focusRow } = await mountRows(10_000)
    await focusRow(3)
    expect(document.activeElement?.id).toBe('row-3')
  })
  it('does not move the focus if there is no such row', async () => {
    const { focusRow } = await mountRows(0)
    await focusRow(0)
    expect(document.activeElement).toBe(document.body)
  })
})

import { mount } from '@vue/test-utils'
import { afterEach, describe, expect, it } from 'vitest'
import { defineComponent, h, nextTick, useTemplateRef } from 'vue'
import { useWindowRows } from '../../../webapp/composables/use-window-rows.ts'

type Used = ReturnType<typeof useWindowRows>
const HEIGHT = 50

const rowsOf = async (count: number, whole = 0): Promise<Used> => {
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

describe('rows of a page that scrolls', () => {
  it('are those in sight and some around them; what is left out keeps its height', async () => {
    const { shown, before, after } = await rowsOf(10_000)
    expect(shown.value.length).toBeGreaterThan(10)
    expect(shown.value.length).toBeLessThanOrEqual(58)
    expect(before.value + shown.value.length * HEIGHT + after.value).toBe(10_000 * HEIGHT)
  })
  it('are all there while they are few enough', async () => {
    const { shown, before, after } = await rowsOf(120, 150)
    expect([shown.value.length, before.value, after.value]).toEqual([120, 0, 0])
  })
  it('take the focus', async () => {
    const { focusRow } = await rowsOf(10_000)
    await focusRow(3)
    expect(document.activeElement?.id).toBe('row-3')
  })
  it('leave the focus where it is when there is no such row', async () => {
    const { focusRow } = await rowsOf(0)
    await focusRow(0)
    expect(document.activeElement).toBe(document.body)
  })
})

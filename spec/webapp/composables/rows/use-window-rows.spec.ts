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
afterEach(() => void (document.body.innerHTML = ''))

describe('useWindowRows', () => {
  it('draws visible rows and some around them, and reserves the height of the rest', async () => {
    const { shown, before, after } = await mountRows(10_000)
    expect(shown.value.length).toBeGreaterThan(10)
    expect(shown.value.length).toBeLessThanOrEqual(58)
    expect(before.value + shown.value.length * HEIGHT + after.value).toBe(10_000 * HEIGHT)
  })
  it('draws other rows only after several rows were scrolled', async () => {
    const { shown } = await mountRows(10_000)
    const drawn = []
    for (const top of [0, 3, 40, 41, 42, 44]) {
      window.scrollTo({ top: top * HEIGHT, behavior: 'instant' })
      window.dispatchEvent(new Event('scroll'))
      await nextTick()
      drawn.push(shown.value)
    }
    expect(new Set(drawn).size).toBe(3)
    expect(drawn[3]?.[0]?.index).toBeLessThan(40)
    expect(drawn[3]?.at(-1)?.index).toBeGreaterThan(40 + window.innerHeight / HEIGHT)
    expect(Math.max(...drawn.map(({ length }) => length))).toBeLessThanOrEqual(58)
  })
  it('scrolls to a row as little as needed', async () => {
    const { scrollToRow, visible } = await mountRows(10_000)
    scrollToRow(5_000)
    // The beginning of the next row is visible.
    expect(visible().to).toBe(5_001)
    const position = window.scrollY
    scrollToRow(4_999)
    expect(window.scrollY).toBe(position)
    scrollToRow(100)
    expect(visible().from).toBe(100)
    scrollToRow(9_999)
    expect(visible().to).toBe(9_999)
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

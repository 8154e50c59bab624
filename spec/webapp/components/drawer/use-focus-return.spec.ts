import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import { defineComponent, h, useTemplateRef } from 'vue'
import { useFocusReturn } from '../../../../webapp/components/drawer/use-focus-return.ts'

const elementOf = (id: string): HTMLElement | null => document.getElementById(id)
const focusRow = (): boolean => {
  elementOf('row')?.focus()
  return elementOf('row') !== null
}
const Drawer = defineComponent({
  setup() {
    const drawer = useTemplateRef<HTMLElement>('drawer')
    useFocusReturn(() => drawer.value, focusRow)
    return () => h('div', { ref: 'drawer' }, [h('button', { id: 'inside' })])
  },
})
const ROWS =
  '<main><h1 tabindex="-1">Run</h1><button id="other"></button><a id="row" href="/runs/r/cases/a">row</a></main>'

const openDrawer = (page: string, from?: string) => {
  document.body.innerHTML = page
  if (from) elementOf(from)?.focus()
  const drawer = mount(Drawer, { attachTo: document.body })
  elementOf('inside')?.focus()
  return drawer
}
const focusAfterClosing = async (drawer: ReturnType<typeof openDrawer>): Promise<string> => {
  drawer.unmount()
  await Promise.resolve()
  await Promise.resolve()
  return document.activeElement?.id || (document.activeElement?.tagName ?? '')
}

describe('when a drawer closes, the focus', () => {
  it('moves to the row of the open case', async () =>
    expect(await focusAfterClosing(openDrawer(ROWS, 'other'))).toBe('row'))
  it('moves to the previous element if there is no such row', async () =>
    expect(await focusAfterClosing(openDrawer(ROWS.replace('id="row"', ''), 'other'))).toBe('other'))
  it('moves to the page heading if no element had it before', async () =>
    expect(await focusAfterClosing(openDrawer('<main><h1 tabindex="-1">Run</h1></main>'))).toBe('H1'))
  it('stays on an element that received it in the meantime', async () => {
    const drawer = openDrawer(ROWS)
    elementOf('other')?.focus()
    expect(await focusAfterClosing(drawer)).toBe('other')
  })
})

import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import { defineComponent, h, useTemplateRef } from 'vue'
import { useFocusReturn } from '../../../../webapp/pages/case/use-focus-return.ts'

const at = (id: string): HTMLElement | null => document.getElementById(id)
const focusRow = (): boolean => {
  at('row')?.focus()
  return at('row') !== null
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

const opened = (page: string, from?: string) => {
  document.body.innerHTML = page
  if (from) at(from)?.focus()
  const drawer = mount(Drawer, { attachTo: document.body })
  at('inside')?.focus()
  return drawer
}
const closed = async (drawer: ReturnType<typeof opened>): Promise<string> => {
  drawer.unmount()
  await Promise.resolve()
  await Promise.resolve()
  return document.activeElement?.id || (document.activeElement?.tagName ?? '')
}

describe('when a drawer closes, the focus', () => {
  it('goes to the row of what was open', async () => expect(await closed(opened(ROWS, 'other'))).toBe('row'))
  it('goes to what had it before, where there is no such row', async () =>
    expect(await closed(opened(ROWS.replace('id="row"', ''), 'other'))).toBe('other'))
  it('goes to the heading of the page, where nothing had it', async () =>
    expect(await closed(opened('<main><h1 tabindex="-1">Run</h1></main>'))).toBe('H1'))
  it('stays where it was moved in the meantime', async () => {
    const drawer = opened(ROWS)
    at('other')?.focus()
    expect(await closed(drawer)).toBe('other')
  })
})

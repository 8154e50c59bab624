import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import { defineComponent, h, nextTick, ref, useTemplateRef } from 'vue'
import FoldedText from '../../../../webapp/components/text/FoldedText.vue'
import { useFolded } from '../../../../webapp/components/text/use-folded.ts'

// happy-dom lays nothing out: every height is 0. What depends on heights is specified with a box of given heights, and in a
// real browser with the assertions of a case.

const folded = (text: string, lines = 3, props: { readonly prose?: boolean } = {}) =>
  mount(FoldedText, { props: { text, label: 'the reason', lines, ...props }, attachTo: document.body })
type Folded = ReturnType<typeof folded>
const textOf = (wrapper: Folded): string | null => wrapper.get('.stored').element.textContent
/** 40 lines of 99 characters. */
const LONG = Array.from({ length: 40 }, (_, n) => `line ${n} `.padEnd(99, 'x')).join('\n')

describe('FoldedText', () => {
  it('draws only the beginning of a long text, and all of it on request', async () => {
    const wrapper = folded(LONG)
    expect(LONG.startsWith(textOf(wrapper) ?? '-')).toBe(true)
    expect(textOf(wrapper)).toHaveLength(900)
    expect(wrapper.get('.folded').attributes('style')).toContain('--lines: 3')
    const button = wrapper.get('button')
    expect([button.text(), button.attributes('aria-expanded')]).toEqual(['Show all 40 lines of the reason', 'false'])
    await button.trigger('click')
    expect(textOf(wrapper)).toBe(LONG)
    expect(wrapper.find('.folded').exists()).toBe(false)
    expect([button.text(), button.attributes('aria-expanded')]).toEqual(['Fold of the reason', 'true'])
    await button.trigger('click')
    expect(textOf(wrapper)).toHaveLength(900)
    expect(button.attributes('aria-expanded')).toBe('false')
  })

  it('counts characters if the text has few lines', () =>
    expect(folded('x'.repeat(1_234)).get('button').text()).toBe('Show all 1,234 characters of the reason'))

  it('does not split a character where it cuts', () =>
    expect(textOf(folded(`${'x'.repeat(899)}🚀${'x'.repeat(100)}`))).toBe('x'.repeat(899)))

  it('shows a short text whole, without a button', () => {
    const wrapper = folded('one\ntwo')
    expect(textOf(wrapper)).toBe('one\ntwo')
    expect(wrapper.find('button').exists()).toBe(false)
  })

  it('folds again when the text changes', async () => {
    const wrapper = folded(LONG)
    await wrapper.get('button').trigger('click')
    await wrapper.setProps({ text: LONG.toUpperCase() })
    expect(textOf(wrapper)).toBe(LONG.toUpperCase().slice(0, 900))
    expect(wrapper.get('button').attributes('aria-expanded')).toBe('false')
  })
})

describe('a folded box', () => {
  /** Mounts a box that is as high as `heights` says. */
  const box = (heights: { shown: number; whole: number }) => {
    const text = ref('a')
    const Box = defineComponent(() => {
      const element = useTemplateRef<HTMLElement>('box')
      const state = useFolded(
        () => {
          if (element.value)
            Object.defineProperties(element.value, {
              clientHeight: { configurable: true, get: () => heights.shown },
              scrollHeight: { configurable: true, get: () => heights.whole },
            })
          return element.value
        },
        () => text.value,
      )
      const toggle = (): boolean => (state.isOpen.value = !state.isOpen.value)
      return () =>
        h('button', { ref: 'box', onClick: toggle }, `${state.isOpen.value} ${state.overflows.value} ${text.value}`)
    })
    return { text, wrapper: mount(Box, { attachTo: document.body }) }
  }

  it.each([
    [60, 61, 'false false a'],
    [60, 62, 'false true a'],
  ])('overflows by more than the pixel of a rounded height (%i, %i)', async (shown, whole, words) => {
    const { wrapper } = box({ shown, whole })
    await nextTick()
    expect(wrapper.text()).toBe(words)
  })

  it('is closed and measured again when its text changes', async () => {
    const heights = { shown: 60, whole: 200 }
    const { text, wrapper } = box(heights)
    await nextTick()
    await wrapper.trigger('click')
    expect(wrapper.text()).toBe('true true a')
    heights.whole = 60
    text.value = 'b'
    await nextTick()
    await nextTick()
    expect(wrapper.text()).toBe('false false b')
  })

  it('stays one that overflows while it is open, when it is as high as its text', async () => {
    const heights = { shown: 60, whole: 200 }
    const { wrapper } = box(heights)
    await nextTick()
    heights.shown = 200
    await wrapper.trigger('click')
    expect(wrapper.text()).toBe('true true a')
  })
})

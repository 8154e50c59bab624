import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import LongText from '../../../../webapp/components/text/LongText.vue'

const button = (wrapper: ReturnType<typeof mount>, text: string) =>
  wrapper.findAll('button').find((each) => each.text() === text)

describe('a long text', () => {
  it('is drawn a portion at a time', async () => {
    const long = mount(LongText, { props: { text: 'x'.repeat(130_000), label: 'Output' } })
    expect(long.get('.stored').text()).toHaveLength(20_000)
    expect(long.text()).toContain('20,000 of 130,000 characters')
    await button(long, 'Show 20,000 more')?.trigger('click')
    expect(long.get('.stored').text()).toHaveLength(40_000)
    await button(long, 'Show all')?.trigger('click')
    expect(long.get('.stored').text()).toHaveLength(130_000)
    expect(long.find('button').exists()).toBe(false)
  })

  it('of lines is drawn in blocks of whole lines', async () => {
    const line = `${'x'.repeat(99)}\n`
    const long = mount(LongText, { props: { text: line.repeat(500), label: 'Output' } })
    await button(long, 'Show all')?.trigger('click')
    expect(long.findAll('.lines').map((block) => block.element.textContent?.length)).toEqual([20_000, 20_000, 10_000])
  })

  it('begins anew with another text', async () => {
    const long = mount(LongText, { props: { text: 'x'.repeat(30_000), label: 'Output' } })
    await button(long, 'Show all')?.trigger('click')
    await long.setProps({ text: 'y'.repeat(30_000) })
    expect(long.get('.stored').text()).toBe('y'.repeat(20_000))
  })

  it('that is not wrapped can be scrolled by keyboard, and says what it is', () => {
    const flat = mount(LongText, { props: { text: 'x', label: 'Output', flat: true } })
    expect(flat.get('.stored').attributes()).toMatchObject({
      tabindex: '0',
      role: 'region',
      'aria-label': 'Output',
      dir: 'auto',
    })
  })
})

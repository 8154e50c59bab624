import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import LongText from '../../../../webapp/components/text/LongText.vue'

const button = (wrapper: ReturnType<typeof mount>, text: string) =>
  wrapper.findAll('button').find((each) => each.text() === text)

describe('LongText', () => {
  it('draws one portion at a time', async () => {
    const long = mount(LongText, { props: { text: 'x'.repeat(130_000), label: 'Output' } })
    expect(long.get('.stored').text()).toHaveLength(20_000)
    expect(long.text()).toContain('20,000 of 130,000 characters')
    await button(long, 'Show 20,000 more')?.trigger('click')
    expect(long.get('.stored').text()).toHaveLength(40_000)
    await button(long, 'Show all')?.trigger('click')
    expect(long.get('.stored').text()).toHaveLength(130_000)
    expect(long.find('button').exists()).toBe(false)
  })

  it('draws lines in blocks of whole lines', async () => {
    const line = `${'x'.repeat(99)}\n`
    const long = mount(LongText, { props: { text: line.repeat(500), label: 'Output' } })
    await button(long, 'Show all')?.trigger('click')
    expect(long.findAll('.lines').map((block) => block.element.textContent?.length)).toEqual([20_000, 20_000, 10_000])
  })

  it('breaks a very long line into blocks, and marks where it is broken', async () => {
    const text = `${'x'.repeat(150_000)}\n${'y'.repeat(10)}`
    const long = mount(LongText, { props: { text, label: 'Output' } })
    await button(long, 'Show all')?.trigger('click')
    const blocks = long.findAll('.lines')
    expect(blocks).toHaveLength(8)
    expect(blocks.map((block) => block.classes('broken'))).toEqual([false, ...Array<boolean>(7).fill(true)])
    expect(blocks.map((block) => block.element.textContent).join('')).toBe(text)
    // A shorter line stays one paragraph.
    const short = mount(LongText, { props: { text: 'x'.repeat(90_000), label: 'Output' } })
    await button(short, 'Show all')?.trigger('click')
    expect(short.findAll('.lines, .broken')).toHaveLength(0)
    expect(short.get('.stored').text()).toHaveLength(90_000)
  })

  it('starts again when the text changes', async () => {
    const long = mount(LongText, { props: { text: 'x'.repeat(30_000), label: 'Output' } })
    await button(long, 'Show all')?.trigger('click')
    await long.setProps({ text: 'y'.repeat(30_000) })
    expect(long.get('.stored').text()).toBe('y'.repeat(20_000))
  })

  it('is a labelled, focusable region if it is not wrapped', () => {
    const flat = mount(LongText, { props: { text: 'x', label: 'Output', flat: true } })
    expect(flat.get('.stored').attributes()).toMatchObject({
      tabindex: '0',
      role: 'region',
      'aria-label': 'Output',
      dir: 'auto',
    })
  })
})

import { flushPromises, mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import CodeText from '../../../../webapp/components/text/CodeText.vue'

// The scripts of the highlighter are loaded before they are needed, so that the specs wait for promises alone.
const { loadLanguage } = await import('../../../../webapp/text/code/highlighter.ts')
for (const language of ['ts', 'js', 'html']) await loadLanguage(language)

const code = async (text: string, language: string | null) => {
  const mounted = mount(CodeText, { props: { text, language, label: 'Code' } })
  await flushPromises()
  return mounted
}

describe('CodeText', () => {
  it('colours code', async () => {
    const shown = await code('const a = "b"', 'ts')
    expect([shown.get('.keyword').text(), shown.get('.string').text()]).toEqual(['const', '"b"'])
  })

  it('makes no element of stored text, and marks what is invisible', async () => {
    const text = '<img src=x onerror="alert(1)">\n<!-- \u202e -->'
    const shown = await code(text, 'html')
    expect(shown.find('img').exists()).toBe(false)
    expect(shown.get('.stored').text()).toContain('<img src=x onerror="alert(1)">')
    expect(shown.get('bdi').attributes('title')).toContain('right-to-left override')
  })

  it.each([null, 'klingon'])('shows text of the language %s without colours', async (language) => {
    const shown = await code('const a = 1', language)
    expect([shown.find('.keyword').exists(), shown.get('.stored').text()]).toEqual([false, 'const a = 1'])
  })

  it('draws a long text by portions, and colours its beginning alone', async () => {
    const shown = await code(`let a =${' '.repeat(492)}\n`.repeat(400), 'js')
    expect(shown.findAll('.keyword')).toHaveLength(40)
    await shown.findAll('button').at(-1)?.trigger('click')
    expect(shown.findAll('.keyword')).toHaveLength(200)
    expect(shown.get('.stored').element.textContent).toHaveLength(200_000)
  })
})

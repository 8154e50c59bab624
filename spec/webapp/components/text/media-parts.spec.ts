import fc from 'fast-check'
import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import MediaParts from '../../../../webapp/components/markdown/MediaParts.vue'
import { mediaIn } from '../../../../webapp/components/markdown/media.ts'
import { hasMedia } from '../../../../webapp/text/markdown/has-markdown.ts'

const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII='
const PNG = `data:image/png;base64,${DOT}`

describe('the pictures and sounds of a value', () => {
  it.each([
    ['a text that is an address', PNG, [PNG]],
    ['an address within a text', `See ${PNG}, above.`, [PNG]],
    [
      'OpenAI',
      [
        { type: 'image_url', image_url: { url: PNG } },
        { type: 'text', text: 'What is it?' },
      ],
      [PNG],
    ],
    ['OpenAI Responses', { type: 'input_image', image_url: PNG }, [PNG]],
    [
      'OpenAI sounds',
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
      ['data:audio/mpeg;base64,AAAA'],
    ],
    ['Anthropic', { type: 'image', source: { type: 'base64', media_type: 'image/png', data: DOT } }, [PNG]],
    ['Gemini', { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } }, ['data:audio/wav;base64,AAAA']],
    ['Inspect', { type: 'image', image: PNG, detail: 'auto' }, [PNG]],
    ['a text that is JSON', JSON.stringify({ source: { media_type: 'image/png', data: DOT } }), [PNG]],
  ])('are found in %s', (_, value, addresses) => {
    expect(mediaIn(value)).toEqual(addresses)
    expect(hasMedia(typeof value === 'string' ? value : JSON.stringify(value))).toBe(true)
  })

  it.each([
    ['an address that would be requested', { image_url: { url: 'https://elsewhere.invalid/a.png' } }],
    ['a document', { source: { media_type: 'application/pdf', data: 'AAAA' } }],
    ['SVG', { source: { media_type: 'image/svg+xml', data: 'PHN2Zy8+' }, url: 'data:image/svg+xml;base64,PHN2Zy8+' }],
    ['a type with more in it', { source: { media_type: 'image/png;base64,AA"x', data: 'AAAA' } }],
    ['what is larger than 5 MB', { source: { media_type: 'image/png', data: 'A'.repeat(6_000_000) } }],
  ])('do not include %s', (_, value) => expect(mediaIn(value)).toEqual([]))

  it('are twelve at first, and a hundred at most', async () => {
    const value = Array.from({ length: 300 }, (_, n) => `data:image/gif;base64,${1000 + n}`)
    const shown = mount(MediaParts, { props: { value } })
    expect(shown.findAll('img')).toHaveLength(12)
    await shown.get('button').trigger('click')
    expect(shown.findAll('img')).toHaveLength(100)
  })

  it('are drawn as pictures and players that load nothing before they are played', () => {
    const shown = mount(MediaParts, { props: { value: [PNG, 'data:audio/wav;base64,AAAA'] } })
    expect(shown.get('img').attributes('src')).toBe(PNG)
    expect(shown.get('audio').attributes('controls')).toBeDefined()
    expect(shown.text()).toContain('image/png')
  })
})

const PIECES = [
  ...[
    'data:',
    'data:image/png;base64,',
    'data:image/svg+xml;base64,',
    'data:text/html;base64,',
    'data:audio/mp3;base64,',
  ],
  ...[
    'AAAA',
    'PHN2Zz4=',
    '"',
    "'",
    '>',
    '<script>alert(1)</script>',
    '" onerror="alert(1)',
    'javascript:alert(1)',
    '\n',
    ' ',
  ],
  ...[
    'image/png',
    'image/svg+xml',
    'text/html',
    'audio/wav',
    'wav',
    'https://elsewhere.invalid/a.png',
    '//x',
    '{"data":"AA"}',
  ],
]
const NAMES = [
  'data',
  'media_type',
  'mimeType',
  'format',
  'url',
  'image_url',
  'source',
  'inlineData',
  '__proto__',
  'length',
]

describe('any value', () => {
  it('runs nothing and loads nothing', async () => {
    const text = fc.oneof(
      { weight: 4, arbitrary: fc.array(fc.constantFrom(...PIECES), { maxLength: 5 }).map((pieces) => pieces.join('')) },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
    )
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        text,
        fc.constantFrom(null, 0, true, undefined),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...NAMES), tie('value'), { maxKeys: 4 }),
      ),
    }))
    const mounted = mount(MediaParts, { props: { value: null }, attachTo: document.body })
    let seen = 0
    await fc.assert(
      fc.asyncProperty(value, async (stored) => {
        await mounted.setProps({ value: stored })
        for (const element of document.body.querySelectorAll('*')) {
          expect(element.tagName).toMatch(/^(?:DIV|SPAN|P|BUTTON|IMG|AUDIO|CODE|BDI)$/)
          for (const { name, value: attribute } of element.attributes) {
            expect(name).not.toMatch(/^on|^href$|^srcdoc$|^srcset$|^style$/)
            if (name !== 'src') continue
            seen++
            expect(attribute).toMatch(
              /^data:(?:image\/(?:png|jpeg|gif|webp)|audio\/[a-z0-9-]+);base64,[A-Za-z0-9+/=\s]+$/,
            )
          }
        }
      }),
      { numRuns: 10_000 },
    )
    expect(seen).toBeGreaterThan(100)
    mounted.unmount()
  })
})

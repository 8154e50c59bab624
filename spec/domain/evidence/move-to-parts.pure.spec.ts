import { describe, expect, it } from 'vitest'
import type { PartRole } from '../../../domain/evidence/manifest.ts'
import { mayHoldMedia } from '../../../domain/evidence/media.ts'
import { moveToParts } from '../../../domain/evidence/move-to-parts.ts'
import { digestOf, noise } from '../../support/documents/parts.ts'

const collected = (moving: Parameters<typeof moveToParts>[1] = {}) => {
  const parts = new Map<string, { readonly role: PartRole; readonly type: string; readonly bytes: Uint8Array }>()
  const move = moveToParts(
    {
      name: 'answer',
      has: (digest) => parts.has(digest),
      add: (role, _, type, bytes) => {
        parts.set(digestOf(bytes), { role, type, bytes })
        return digestOf(bytes)
      },
    },
    moving,
  )
  return { parts, move }
}

const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), noise(300)])
const MP3 = Buffer.concat([Buffer.from('ID3'), noise(300)])
const base64 = (bytes: Buffer): string => bytes.toString('base64')

describe('media in answers of OpenAI', () => {
  it.each([
    ['a spoken answer', { id: 'audio_1', data: base64(MP3), transcript: 'hi' }, 'data', MP3, 'audio/mpeg'],
    ['a picture of the images API', { b64_json: base64(PNG) }, 'b64_json', PNG, 'image/png'],
    [
      'a picture of the responses API',
      { type: 'image_generation_call', result: base64(PNG), output_format: 'webp' },
      'result',
      PNG,
      'image/webp',
    ],
  ])('%s becomes a part', (_, value, key, bytes, type) => {
    const { parts, move } = collected()
    expect(mayHoldMedia(JSON.stringify(value))).toBe(true)
    expect(move(value, 'output')).toEqual({ ...value, [key]: `part:${digestOf(bytes)}` })
    expect([...parts.values()]).toMatchObject([{ role: 'output', type }])
  })

  it('a result of another tool, and data next to a transcript that is no base64, stay', () => {
    const { parts, move } = collected()
    for (const value of [
      { type: 'function_call', result: base64(PNG) },
      { data: 'these are words, and no base64 at all, which goes on for a long while', transcript: 'hi' },
    ])
      expect(move(value, 'output')).toEqual(value)
    expect(parts.size).toBe(0)
  })
})

describe('pictures in Markdown', () => {
  const leaving = { movesTexts: false, keepsPictures: () => false }
  const url = `data:image/png;base64,${base64(PNG)}`

  it.each([
    [`a ![x](${url}) b`, `a ![x](part:${digestOf(PNG)}) b`],
    [`![x]( <${url}> "t") [y](${url}\n)`, `![x]( <part:${digestOf(PNG)}> "t") [y](part:${digestOf(PNG)}\n)`],
    [`![x](${url}`, `![x](${url}`],
    [`![x](${url}!)`, `![x](${url}!)`],
  ])('become parts', (text, expected) => {
    const { move } = collected(leaving)
    expect(move(text, 'output')).toBe(expected)
  })

  it('one of many megabytes does too', () => {
    const large = Buffer.concat([PNG, Buffer.alloc(9_000_000, 7)])
    const { parts, move } = collected(leaving)
    expect(move(`![x](data:image/png;base64,${base64(large)})`, 'output')).toBe(`![x](part:${digestOf(large)})`)
    expect(parts.get(digestOf(large))?.bytes.length).toBe(large.length)
  })

  it('stay in a text that may keep them, and are parts too', () => {
    const { parts, move } = collected({ ...leaving, keepsPictures: () => true })
    expect(move(`![x](${url})`, 'output')).toBe(`![x](${url})`)
    expect([...parts.keys()]).toEqual([digestOf(PNG)])
  })
})

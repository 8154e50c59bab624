import { describe, expect, it } from 'vitest'
import type { PartRole } from '../../../domain/evidence/manifest.ts'
import { mayHoldMedia } from '../../../domain/evidence/media.ts'
import { moveToParts } from '../../../domain/evidence/move-to-parts.ts'
import { digestOf, noise } from '../../support/documents/parts.ts'

const collected = () => {
  const parts = new Map<string, { readonly role: PartRole; readonly type: string; readonly bytes: Uint8Array }>()
  const move = moveToParts({
    name: 'answer',
    has: (digest) => parts.has(digest),
    add: (role, _, type, bytes) => {
      parts.set(digestOf(bytes), { role, type, bytes })
      return digestOf(bytes)
    },
  })
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

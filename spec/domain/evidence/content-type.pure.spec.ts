import { describe, expect, it } from 'vitest'
import { contentTypeOf, dispositionOf, fileNameOf } from '../../../domain/evidence/content-type.ts'

const bytes = (...parts: ReadonlyArray<string | readonly number[]>): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))))

describe('the type of a part', () => {
  it.each([
    ['image/png', bytes([0x89], 'PNG\r\n', [0x1a, 0x0a])],
    ['image/jpeg', bytes([0xff, 0xd8, 0xff, 0xe0])],
    ['image/gif', bytes('GIF89a')],
    ['image/webp', bytes('RIFF', [1, 2, 3, 4], 'WEBPVP8 ')],
    ['image/avif', bytes([0, 0, 0, 28], 'ftypavif')],
    ['audio/wav', bytes('RIFF', [1, 2, 3, 4], 'WAVEfmt ')],
    ['audio/mpeg', bytes('ID3', [4, 0])],
    ['audio/mpeg', bytes([0xff, 0xfb, 0x90, 0x64])],
    ['audio/ogg', bytes('OggS')],
    ['audio/flac', bytes('fLaC')],
    ['audio/mp4', bytes([0, 0, 0, 28], 'ftypM4A ')],
    ['video/mp4', bytes([0, 0, 0, 28], 'ftypisom')],
    ['video/webm', bytes([0x1a, 0x45, 0xdf, 0xa3], '....webm')],
  ])('that is shown in place is %s', (type, start) => expect(contentTypeOf(start)).toEqual({ type, isInline: true }))

  it.each([
    ['application/pdf', bytes('%PDF-1.7')],
    ['image/svg+xml', bytes('<?xml version="1.0"?>\n<!-- a --><svg xmlns="http://www.w3.org/2000/svg">')],
    ['application/octet-stream', bytes('<!doctype html><script>alert(1)</script>')],
    ['application/octet-stream', bytes('<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">')],
    ['application/octet-stream', bytes('{"a":1}')],
    ['application/octet-stream', bytes('PK', [3, 4])],
    ['application/octet-stream', bytes([0xff, 0xff, 0xff, 0xff])],
    ['application/octet-stream', bytes('RIFF', [1, 2, 3, 4], 'AVI ')],
    ['application/octet-stream', Buffer.alloc(0)],
  ])('that is saved is %s', (type, start) => expect(contentTypeOf(start)).toEqual({ type, isInline: false }))
})

describe('the name of a file', () => {
  it.each([
    ['screen.png', 'screen.png'],
    ['../../etc/passwd', '_.._etc_passwd'],
    ['a\r\nSet-Cookie: x', 'a__Set-Cookie_ x'],
    ['\u202Egnp.exe', '_gnp.exe'],
    ['C:\\x"y', 'C__x_y'],
    ['...', 'DIGEST'],
    ['', 'DIGEST'],
    [null, 'DIGEST'],
    ['Bild ü.png', 'Bild ü.png'],
  ])('%j is %s', (name, safe) => expect(fileNameOf(name, 'DIGEST')).toBe(safe))

  it('is in the header without a quote', () =>
    expect(dispositionOf({ type: 'image/png', isInline: true }, "Bild ü (1)'*.png")).toBe(
      "inline; filename*=UTF-8''Bild%20%C3%BC%20%281%29%27%2A.png",
    ))
})

it('is found at once in bytes that begin like many comments', () => {
  const many = '<!---->'.repeat(500)
  expect(contentTypeOf(Buffer.from(`${many}x`)).type).toBe('application/octet-stream')
  expect(contentTypeOf(Buffer.from(`${many}<svg>`)).type).toBe('image/svg+xml')
})

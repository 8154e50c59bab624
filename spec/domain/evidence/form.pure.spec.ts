import { describe, expect, it } from 'vitest'
import { formBoundary, InvalidForm, readForm } from '../../../domain/evidence/form.ts'

const read = (text: string) => readForm(Buffer.from(text), 'b', 3).map(({ name, bytes }) => [name, bytes.toString()])
const part = (name: string, text: string) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`

describe('a form', () => {
  it('has its fields with their bytes, as the platform writes it', async () => {
    const form = new FormData()
    form.set('one', new Blob(['\r\n--not the boundary\r\n']), 'a "name".txt')
    form.set('two', new Blob([]))
    const response = new Response(form)
    const boundary = formBoundary(response.headers.get('content-type') ?? '')
    const fields = readForm(Buffer.from(await response.arrayBuffer()), boundary ?? '', 2)
    expect(fields.map(({ name, bytes }) => [name, bytes.toString()])).toEqual([
      ['one', '\r\n--not the boundary\r\n'],
      ['two', ''],
    ])
  })

  it('may have text around it, other headers, and none of fields', () => {
    expect(read(`before\r\n${part('x', 'y')}--b--after`)).toEqual([['x', 'y']])
    expect(
      read('--b\r\nContent-Type: a/b\r\ncontent-disposition: form-data; name="x"; filename="f"\r\n\r\ny\r\n--b--'),
    ).toEqual([['x', 'y']])
    expect(read('--b--')).toEqual([])
  })

  it.each([
    ['', 'the last boundary is missing'],
    [part('x', 'y'), 'the last boundary is missing'],
    [`${part('x', 'y')}--bc`, 'a boundary is not followed by a line break'],
    [`--b\r\nContent-Type: a/b\r\n\r\ny\r\n--b--`, 'a part has no name'],
    ['--b\r\nContent-Disposition: form-data; name="x"', 'a part has no headers, or too long ones'],
    [`${part('1', '').repeat(4)}--b--`, 'a form has at most 3 parts'],
  ])('is not %j', (text, message) => {
    expect(() => read(text)).toThrow(new InvalidForm(message))
  })

  it.each([
    ['multipart/form-data; boundary=abc', 'abc'],
    ['multipart/form-data; charset=utf-8; boundary="a b"', 'a b'],
    ['Multipart/Form-Data;boundary=x;y=z', 'x'],
    ['multipart/form-data', null],
    ['multipart/mixed; boundary=x', null],
    ['', null],
  ])('is announced by %j', (type, boundary) => expect(formBoundary(type)).toBe(boundary))
})

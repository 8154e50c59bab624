import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readCacheBody } from '../../../domain/cache/body.ts'
import { shortenJson } from '../../../domain/cache/shorten-json.ts'

const NAMED: ReadonlySet<string> = new Set(['output'])
const shorten = (text: string, codePoints = 2): string =>
  shortenJson(Buffer.from(text), codePoints, NAMED).toString('utf8')
const first = (text: string, n: number): string => [...text].slice(0, n).join('')

/** The value with each string cut to its first n code points. */
const truncated = (value: unknown, n: number): unknown => {
  if (typeof value === 'string') return first(value, n)
  if (Array.isArray(value)) return value.map((member) => truncated(member, n))
  return value !== null && typeof value === 'object'
    ? Object.entries(value).map(([key, member]) => [key, truncated(member, n)])
    : value
}
const parsed = (text: string): { readonly value: unknown } | null => {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return null
  }
}

describe('a shortened text', () => {
  it('has its long strings cut; in the outermost object, only those of the named keys', () => {
    expect(shorten('{"output":"abcdefghijklmnop","a":["abcdefghijklmnop"],"b":"abcdefghijklmnop"}')).toBe(
      '{"output":"abcdefgh","a":["abcdefgh"],"b":"abcdefghijklmnop"}',
    )
  })

  it.each([
    ['without long strings', '{"output":"abc","a":["abc","abc","abc"]}'],
    ['with a control character in a string', '{"output":"abcdefghijklmnop\n"}'],
    ['with an invalid escape', '{"output":"abcdefghijklmnop\\x"}'],
    ['with an escape of too few digits', '{"output":"abcdefghijklmnop\\u12g4"}'],
    ['with an unterminated string', '{"output":"abcdefghijklmnop'],
  ])('is unchanged if the original is a text %s', (_, text) => expect(shorten(text)).toBe(text))

  it('parses if and only if the whole text does, with the same start of every string', () => {
    const piece = fc.constantFrom(
      'a',
      'é',
      '€',
      '😀',
      '\\n',
      '\\"',
      '\\\\',
      '\\u00e9',
      '\\ud83d\\ude00',
      '\\ud83d',
      '\\ude00',
      '\\u12',
      '\\',
      '\u0001',
    )
    const string = fc.array(piece, { maxLength: 30 }).map((pieces) => `"${pieces.join('')}"`)
    const { value } = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        string,
        fc.constantFrom('1', 'null', 'x'),
        fc.array(tie('value'), { maxLength: 3 }).map((members) => `[${members.join(', ')}]`),
        fc
          .array(fc.tuple(fc.oneof(fc.constant('"output"'), string), tie('value')), { maxLength: 3 })
          .map((members) => `{${members.map(([key, member]) => `${key}: ${member}`).join(',')}}`),
      ),
    }))
    fc.assert(
      fc.property(value, fc.integer({ min: 1, max: 4 }), (text, n) => {
        const [whole, shortened] = [parsed(text), parsed(shorten(text, n))]
        expect(shortened === null).toBe(whole === null)
        if (whole && shortened) expect(truncated(shortened.value, n)).toEqual(truncated(whole.value, n))
      }),
      { numRuns: 3000 },
    )
  })

  it('is enough to read the metadata of a large cache entry', () => {
    const large = (fields: Readonly<Record<string, unknown>>, text = `${'é\n"x" '.repeat(50_000)}zyzzyva`): string =>
      JSON.stringify({
        created_at: '2026-05-03T22:10:00Z',
        service_version: '1',
        output: text,
        request: { text },
        raw: [text],
        ...fields,
      })
    const { search_text, ...read } = readCacheBody(
      Buffer.from(large({ empty_reason: `${'\u0000'.repeat(100_000)}refused` })),
    )
    expect(read).toMatchObject({ status: 'parsed', empty_reason: 'refused', output_preview: 'é\n"x" '.repeat(50) })
    expect(search_text.length).toBeGreaterThan(30_000)
    expect(readCacheBody(Buffer.from(`${large({})}}`)).status).toBe('opaque')
    expect(readCacheBody(Buffer.from(large({}).replace('zyzzyva', '\\z'))).status).toBe('opaque')
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseExact } from '../../../../domain/run/canonical-json.ts'
import { firstCodePoints, instantMs, outputText, promptProse } from '../../../../domain/run/document.ts'

describe('the texts of a case', () => {
  it('returns an output as text', () => {
    expect([undefined, null, '', 'x', 0, false, { a: [1, null] }].map(outputText)).toEqual([
      null,
      null,
      '',
      'x',
      '0',
      'false',
      '{"a":[1,null]}',
    ])
    expect(outputText(parseExact('[1e400, 12345678901234567890]'))).toBe('[1e400,12345678901234567890]')
  })

  it('returns texts and tool calls of a prompt as lines, without thinking and roles', () => {
    expect(promptProse(undefined)).toBe('')
    expect(promptProse({ text: 'Say hi' })).toBe('Say hi')
    expect(
      promptProse({
        messages: [
          { role: 'system', content: 'Be brief.' },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'a' },
              { type: 'thinking', thinking: 'secret' },
              { type: 'text', text: 'b' },
            ],
          },
          {
            role: 'assistant',
            content: '',
            tool_calls: [
              { name: 'find', arguments: { q: 1 } },
              { name: 'now', arguments: null },
            ],
          },
        ],
      }),
    ).toBe('Be brief.\na\nb\nfind {"q":1}\nnow null')
  })

  it('cuts text between code points', () => {
    expect(firstCodePoints('a😀b', 2)).toBe('a😀')
    expect(firstCodePoints('\ud800\ud800x', 2)).toBe('\ud800\ud800')
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat({ max: 12 }), (text, n) => {
        expect(firstCodePoints(text, n)).toBe([...text].slice(0, n).join(''))
      }),
    )
  })

  it('rounds an instant down to its millisecond', () => {
    expect(instantMs('2026-05-04T09:00:42.25Z')).toBe(1777885242250)
    expect(instantMs('2026-05-04T09:00:42Z')).toBe(1777885242000)
    expect(instantMs('1969-12-31T23:59:59.9999Z')).toBe(-1)
    expect(instantMs('1969-12-31T23:59:59.123456789Z')).toBe(-877)
    expect(instantMs('0000-01-01T00:00:00Z')).toBe(-62167219200000)
    expect(instantMs('9999-12-31T23:59:59.999999999Z')).toBe(253402300799999)
  })
})

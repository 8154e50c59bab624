import { describe, expect, it } from 'vitest'
import {
  endsOf,
  readCacheFilters,
  entryParameters,
  parseTyped,
  rangeText,
  unknownCacheFilters,
  valueWords,
} from '../../../../webapp/pages/cache/cache-filters.ts'
import { kindWords, missingAnswer, requestText, shortKey } from '../../../../webapp/pages/cache/cache-words.ts'
import { readEntry } from '../../../../webapp/pages/cache/use-entry.ts'

const DAY = 86_400_000
const NOW = Date.UTC(2026, 4, 4, 12)

describe('the filters of cache entries', () => {
  it('are read from the address, without values that they do not accept', () => {
    const query = { kind: 'judge', model: '', stored: 'soon', paid: '0.01..', q: ['a', 'b'], tier: 'local' }
    expect(readCacheFilters(query)).toEqual({ kind: 'judge', paid: '0.01..' })
    expect(unknownCacheFilters(query)).toEqual([
      { name: 'stored', value: 'soon' },
      { name: 'q', value: 'a' },
    ])
    expect(readCacheFilters({ stored: '2026-13-01..' })).toEqual({})
    expect(readCacheFilters({ stored: '..' })).toEqual({})
  })

  it('become parameters of the server', () => {
    expect(entryParameters({ kind: 'judge', stored: '7d', paid: '0.01..0.5', q: 'walrus' }, NOW)).toEqual({
      kind: 'judge',
      q: 'walrus',
      since: NOW - 7 * DAY,
      min_cost_microusd: 10_000,
      max_cost_microusd: 500_000,
    })
    expect(entryParameters({ stored: '2026-05-01..2026-05-02', paid: '..1' }, NOW)).toEqual({
      since: Date.UTC(2026, 4, 1),
      until: Date.UTC(2026, 4, 3) - 1,
      min_cost_microusd: undefined,
      max_cost_microusd: 1_000_000,
    })
  })

  it('have words', () => {
    expect(valueWords('kind', 'exec_assert')).toBe('Assertion program')
    expect(valueWords('kind', 'own\u202ekind')).toBe('own⟨U+202E⟩kind')
    expect(valueWords('stored', '1d')).toBe('last day')
    expect(valueWords('stored', '2026-05-01..')).toBe('since 2026-05-01')
    expect(valueWords('stored', '..2026-05-01')).toBe('up to 2026-05-01')
    expect(valueWords('paid', '0.01..0.5')).toBe('$0.01 to $0.50')
    expect(valueWords('paid', '0.01..')).toBe('$0.01 or more')
    expect(valueWords('model', ' ')).toBe('" "')
  })

  it('are typed with a colon', () => {
    expect(parseTyped('model: fast')).toEqual({ name: 'model', value: 'fast' })
    expect(parseTyped('Empty reason:blank')).toEqual({ name: 'empty_reason', value: 'blank' })
    expect(parseTyped('stored:30d')).toEqual({ name: 'stored', value: '30d' })
    for (const words of ['paid:cheap', 'q:walrus', 'the walrus', 'model:']) expect(parseTyped(words)).toBeNull()
  })

  it('have two ends', () => {
    expect(endsOf('0.01..0.5')).toEqual({ from: '0.01', to: '0.5' })
    expect(endsOf('7d')).toEqual({ from: '', to: '' })
    expect(rangeText({ from: '', to: '3' })).toBe('..3')
    expect(rangeText({ from: '', to: '' })).toBe('')
  })
})

describe('the words of cache entries', () => {
  it('say why there is no answer', () => {
    const item = { indexed: true, parseable: true, output_preview: 'Hello.', empty_reason: null }
    expect(missingAnswer(item)).toBeNull()
    expect(missingAnswer({ ...item, indexed: false, parseable: null })).toBe('Not read yet')
    expect(missingAnswer({ ...item, parseable: false })).toBe('Cannot be read as an entry')
    expect(missingAnswer({ ...item, output_preview: ' \n' })).toBe('Empty answer')
    expect(missingAnswer({ ...item, output_preview: '', empty_reason: 'refusal' })).toBe('Empty answer: refusal')
  })

  it('shorten a key, and show another text as it is', () => {
    expect(shortKey(`sha256:${'ab'.repeat(32)}`)).toBe('sha256:abab…abab')
    expect(shortKey('no\u202ekey')).toBe('no⟨U+202E⟩key')
    expect(kindWords('toString')).toBe('toString')
  })

  it('are those of a request', () => {
    const asking = (body: unknown) => requestText({ transport: 'http', path: '/v1', body })
    expect(asking({ messages: [{ role: 'user', content: 'Hi' }] })).toBe('Hi')
    expect(
      asking({
        system: [{ type: 'text', text: 'Be short.' }],
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'Hi' }, { type: 'image' }, null] },
          { role: 'assistant', content: 'Hello.' },
        ],
      }),
    ).toBe('system:\nBe short.\n\nuser:\nHi\n\nassistant:\nHello.')
    expect(asking({ input: 'Embed this.' })).toBe('Embed this.')
    expect(requestText({ transport: 'exec', stdin: { prompt: 'Do it.' } })).toBe('Do it.')
    for (const other of [null, 'text', [], {}, { body: 3 }, { body: { messages: [1, {}] } }])
      expect(requestText(other)).toBeNull()
  })

  it('keep all digits of stored numbers', () => {
    const { raw, size } = readEntry('{"size":12,"cost_usd":0.1,"raw":{"n":12345678901234567890}}')
    expect(size).toBe(12)
    expect(JSON.stringify(raw)).toContain('12345678901234567890')
  })
})

import { describe, expect, it } from 'vitest'
import { parseExact } from '../../../domain/run/canonical-json.ts'
import { caseName, shownName, withShownName } from '../../../domain/lists/case-name.ts'

describe('the name of a case', () => {
  it('is its own, else its variables, else the id of its test', () => {
    const cell = { test_id: 't' }
    const vars = { city: 'Lima', country: 'Peru' }
    expect(caseName({ name: 'own', vars, cell })).toBe('own')
    expect(caseName({ vars, cell })).toBe('city=Lima, country=Peru')
    expect(caseName({ name: '', vars, cell })).toBe('city=Lima, country=Peru')
    expect(caseName({ cell })).toBe('t')
    expect(withShownName({ vars })).toEqual({ vars, name: 'city=Lima, country=Peru' })
    const named = { name: 'own', vars }
    expect(withShownName(named)).toBe(named)
  })

  it.each([
    ['numbers, yes or no', { n: 0, isOld: false }, 'n=0, isOld=false'],
    ['objects by their members', { doc: { q: 'why?', deep: { a: 1 } } }, 'doc.q=why?, doc.deep.a=1'],
    ['one line', { text: '  a\n\n b\t' }, 'text=a b'],
    ['no lists and no null', { files: ['a'], none: null }, null],
    ['the depth of three', { a: { b: { c: { d: 1 } } } }, null],
    ['a number that no double has', parseExact('{"id":123456789012345678901}') as object, 'id=123456789012345678901'],
    [
      'a name that reaches the prototype',
      JSON.parse('{"__proto__":"x","constructor":"y"}'),
      '__proto__=x, constructor=y',
    ],
    ['nothing', {}, null],
  ] as ReadonlyArray<readonly [string, object, string | null]>)('is made of %s', (_, vars, expected) => {
    expect(shownName({ vars })).toBe(expected)
  })

  it('is at most 200 code points, and never ends in half of one', () => {
    const long = shownName({ vars: { context: '🎉'.repeat(1000), city: 'Lima' } })
    expect(long).toBe(`context=${'🎉'.repeat(80)}…, city=Lima`)
    const many = shownName({
      vars: Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`name ${at}`, 'value'])),
    })
    expect([...(many ?? '')].length).toBeLessThanOrEqual(201)
    expect(many).toMatch(/^name 0=value, .*…$/)
    expect(many?.isWellFormed()).toBe(true)
  })

  it('reads little of large variables', () => {
    let read = 0
    const vars: Record<string, unknown> = {}
    for (let at = 0; at < 1000; at++)
      Object.defineProperty(vars, `name ${at}`, { enumerable: true, get: () => ((read += 1), 'x'.repeat(100)) })
    shownName({ vars })
    // One read by `Object.entries` each: nothing else depends on their number.
    expect(read).toBeLessThanOrEqual(1000)
  })
})

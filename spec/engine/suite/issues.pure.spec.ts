import { describe, expect, it } from 'vitest'
import { dottedPath, formatIssue, keyPath, SuiteError } from '../../../engine/suite/issues.ts'
import { nearestName } from '../../../domain/text/nearest.ts'

const issue = { severity: 'error', file: 'a.yaml', path: 'tests[0]', message: 'what' } as const

describe('formatIssue', () => {
  it('shows the place, the line and a caret', () =>
    expect(formatIssue({ ...issue, line: 3, column: 5, source: '\t  key: x' })).toBe(
      'a.yaml:3:5: error: tests[0]: what\n    \t  key: x\n    \t   ^',
    ))

  it('leaves out what is not known', () => {
    expect(formatIssue(issue)).toBe('a.yaml: error: tests[0]: what')
    expect(formatIssue({ ...issue, path: '' })).toBe('a.yaml: error: what')
    expect(formatIssue({ ...issue, line: 3, column: 1, source: ' ' })).toBe('a.yaml:3:1: error: tests[0]: what')
  })

  it('cuts long lines around the column, and shows no control characters', () => {
    const source = `${'x'.repeat(500)}\u001b[31my${'z'.repeat(500)}`
    const [, shown = '', caret = ''] = formatIssue({ ...issue, line: 1, column: 501, source }).split('\n')
    expect(shown.length).toBeLessThan(170)
    expect(shown).not.toContain('\u001b')
    expect(shown[caret.length - 1]).toBe('�')
  })
})

describe('a line with a key of a vendor', () => {
  it.each([
    ['api_key: a, b: a', 'api_key: *, b: a'],
    ['api_key: a b#c', 'api_key: *****'],
    ['{apiKey: a,b}, c: {API-KEY: d}}', '{apiKey: ***}, c: {API-KEY: *}}'],
    ['{"api_key":"a\\"b","c":1}', '{"api_key":******,"c":1}'],
    ["'api_key' : 'it''s', c: 1", "'api_key' : *******, c: 1"],
    ['x-api-key: "open, to the end', 'x-api-key: *****************'],
    ['{Authorization: Bearer a b, c: 1}', '{Authorization: **********, c: 1}'],
    ['[{apikey: 12345}]', '[{apikey: *****}]'],
    ['api_key:', 'api_key:'],
    ['api_key_env: A', 'api_key_env: A'],
    ['{api_key: , b: 1}', '{api_key: , b: 1}'],
  ])('%s', (source, shown) =>
    expect(formatIssue({ ...issue, line: 1, column: 1, source }).split('\n')[1]).toBe(`    ${shown}`),
  )

  it('hides the end of a key where the line is cut', () => {
    const source = `${'x'.repeat(90)} api_key: ${'k'.repeat(300)}`
    expect(formatIssue({ ...issue, line: 1, column: 300, source })).not.toContain('kk')
  })
})

it('a SuiteError has all issues, errors first', () => {
  const error = new SuiteError([{ ...issue, severity: 'warning', message: 'first' }, issue])
  expect(error.message).toBe('a.yaml: error: tests[0]: what\na.yaml: warning: tests[0]: first')
  expect(error.issues).toHaveLength(2)
})

it('a path is written with dots, indexes and quoted keys', () =>
  expect(dottedPath(keyPath('tests', 2, 'vars', 'a b', 'c', 0))).toBe('tests[2].vars["a b"].c[0]'))

it.each([
  ['maxx', 'max'],
  ['timeoutMs', 'timeout_ms'],
  ['retires', 'retries'],
  ['zzzzz', undefined],
  ['x'.repeat(100), undefined],
])('nearestName %s → %s', (name, nearest) => expect(nearestName(name, ['max', 'timeout_ms', 'retries'])).toBe(nearest))

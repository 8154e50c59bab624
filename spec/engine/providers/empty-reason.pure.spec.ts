import { describe, expect, it } from 'vitest'
import { parseExact } from '../../../domain/run/canonical-json.ts'
import { EMPTY_REASONS } from '../../../domain/cache/empty-reasons.ts'
import type { Json } from '../../../engine/json.ts'
import { classifyEmpty, isBlank, reasonOfStop } from '../../../engine/providers/empty-reason.ts'

it.each([
  [undefined, true],
  [null, true],
  ['', true],
  [' \n\t\u00a0', true],
  [[], true],
  [{}, true],
  ['a', false],
  [0, false],
  [false, false],
  [[null], false],
  [{ a: null }, false],
  [parseExact('12345678901234567890') as Json, false],
])('isBlank(%j) is %s', (output, blank) => {
  expect(isBlank(output)).toBe(blank)
})

it.each([
  ['max_tokens', 'truncated'],
  [' LENGTH ', 'truncated'],
  ['content_length', 'truncated'],
  ['refusal', 'refusal'],
  ['content_filter', 'content_filter'],
  ['safety', 'content_filter'],
  ['tool_use', 'tool_use_only'],
  ['tool_calls', 'tool_use_only'],
  ['function_call', 'tool_use_only'],
  ['end_turn', undefined],
  ['constructor', undefined],
  [undefined, undefined],
])('the finish reason %j implies %s', (stop, reason) => {
  expect(reasonOfStop(stop)).toBe(reason)
})

describe('classifyEmpty', () => {
  it('takes the most specific candidate', () => {
    const order = ['refusal', 'content_filter', 'truncated', 'tool_use_only', 'thinking_only', 'no_content_blocks']
    const all = [...order, 'empty_body', 'output_expr_empty', 'blank']
    expect(new Set(all)).toEqual(EMPTY_REASONS)
    for (let from = 0; from < all.length; from++) expect(classifyEmpty('', all.slice(from).reverse())).toBe(all[from])
  })

  it('takes an unknown candidate rather than none', () => {
    expect(classifyEmpty('', [undefined, 'own'])).toBe('own')
    expect(classifyEmpty('', ['own', 'truncated'])).toBe('truncated')
    expect(classifyEmpty('', [])).toBe('blank')
    expect(classifyEmpty('text', ['refusal'])).toBeUndefined()
  })
})

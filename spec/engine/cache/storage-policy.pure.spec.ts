import { expect, it } from 'vitest'
import { isStored } from '../../../engine/cache/storage-policy.ts'

it.each([
  ['never', []],
  ['reproducible', ['truncated', 'tool_use_only', 'output_expr_empty']],
  ['always', ['truncated', 'tool_use_only', 'output_expr_empty', 'refusal', 'content_filter', 'blank', 'unheard-of']],
] as const)('the policy %s stores empty outputs of these reasons: %j', (policy, reasons) => {
  const all = ['truncated', 'tool_use_only', 'output_expr_empty', 'refusal', 'content_filter', 'blank', 'unheard-of']
  expect(all.filter((reason) => isStored(reason, policy))).toEqual(reasons)
  expect(isStored(null, policy)).toBe(true)
})

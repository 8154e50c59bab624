import { describe, expect, it } from 'vitest'
import { caseKey } from '../../../domain/run/case-key.ts'

describe('the key of a case', () => {
  it.each([
    ['fast-model', 'terse', 'refund/eligible', 0, '07f1c0919d4689f8'],
    ['fast-model', 'terse', 'refund/eligible', 1, '8cb9b3fd0ce1b8d1'],
    ['fast-model', 'terse', 'refund/abuse', 0, 'bd75180fbe9cd7fa'],
    ['fast-model', 'terse', 'shipping/eta', 0, 'b5f8bbee625b5b36'],
    ['crm-bot', null, 'refund/eligible', 0, '2e729be0ea27d081'],
  ])('for %s, %s, %s, repeat %i is %s', (provider_id, prompt_id, test_id, repeat, key) => {
    expect(caseKey({ provider_id, prompt_id, test_id, repeat })).toBe(key)
  })

  it('is the same without a prompt and with an empty prompt', () => {
    const cell = { provider_id: 'p', test_id: 't', repeat: 3 }
    expect(caseKey(cell)).toBe(caseKey({ ...cell, prompt_id: '' }))
  })
})

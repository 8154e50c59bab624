import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../webapp/api/api.ts'
import { refusedReceipt } from '../../../webapp/runs/refused-receipt.ts'

const refused = (status: number, message: string) => new ApiError(status, message, null)

describe('a receipt that the viewer cannot have', () => {
  it('names who can', () => {
    const others = refused(403, 'only who uploaded this run, or an admin, may have its receipt')
    expect(refusedReceipt(others, 'run')).toBe(
      'Only the account that uploaded this run, or an admin, can have its receipt.',
    )
    expect(refusedReceipt(others, 'plan')).toBe(
      'Only the account that registered this plan, or an admin, can have its receipt.',
    )
    expect(refusedReceipt(refused(403, 'only an admin may have the receipt of a plan'), 'plan')).toBe(
      'Only an admin can have the receipt of a plan.',
    )
  })
  it('is no other failure, which may pass', () => {
    expect(refusedReceipt(refused(503, 'busy'), 'run')).toBeNull()
    expect(refusedReceipt(new TypeError('no'), 'run')).toBeNull()
  })
})

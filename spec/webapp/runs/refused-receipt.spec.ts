import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../webapp/api/api.ts'
import { refusedReceipt } from '../../../webapp/runs/refused-receipt.ts'

const refused = (status: number, message: string) => new ApiError(status, message, null)

describe('a receipt that the viewer cannot have', () => {
  it('names who can', () => {
    const others = refused(403, 'only who uploaded this run, or an admin, may have its receipt')
    expect(refusedReceipt(others, 'run')).toBe(
      'Only the account that uploaded this run, or an admin, can have its receipt. To get it, sign in as one of them.',
    )
    expect(refusedReceipt(others, 'plan')).toBe(
      'Only the account that registered this plan, or an admin, can have its receipt. To get it, sign in as one of them.',
    )
    expect(refusedReceipt(refused(403, 'only an admin may have the receipt of a plan'), 'plan')).toBe(
      'Only an admin can have the receipt of a plan. To get it, sign in as an admin.',
    )
  })
  it('says on an open server, where no one signs in, who can have it and why', () => {
    const others = refused(403, 'only who uploaded this run, or an admin, may have its receipt')
    expect(refusedReceipt(others, 'run', true)).toBe(
      'This server is open: it cannot know whether you uploaded this run. Its receipt holds the network address of who did, so only an admin can have it, such as the operator with a token of the scope admin.',
    )
  })
  it('is no other failure, which may pass', () => {
    expect(refusedReceipt(refused(503, 'busy'), 'run')).toBeNull()
    expect(refusedReceipt(new TypeError('no'), 'run')).toBeNull()
  })
})

import { ApiError } from '../api/api.ts'

/** Why the viewer cannot have a receipt, or null if another thing failed. Trying again is of no use then. */
export const refusedReceipt = (error: unknown, thing: 'run' | 'plan'): string | null => {
  if (!(error instanceof ApiError) || error.status !== 403) return null
  if (error.message.startsWith('only an admin')) return `Only an admin can have the receipt of a ${thing}.`
  return `Only the account that ${thing === 'run' ? 'uploaded' : 'registered'} this ${thing}, or an admin, can have its receipt.`
}

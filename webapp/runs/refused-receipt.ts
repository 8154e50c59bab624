import { ApiError } from '../api/api.ts'

/**
 * Why the viewer cannot have a receipt, or null if another thing failed. Trying again is of no use then. `isOpen`: the
 * server takes runs without an account.
 */
export const refusedReceipt = (error: unknown, thing: 'run' | 'plan', isOpen = false): string | null => {
  if (!(error instanceof ApiError) || error.status !== 403) return null
  if (error.message.startsWith('only an admin'))
    return `Only an admin can have the receipt of a ${thing}. To get it, sign in as an admin.`
  const act = thing === 'run' ? 'uploaded' : 'registered'
  if (isOpen)
    return `This server is open: it cannot know whether you ${act} this ${thing}. Its receipt holds the network address of who did, so only an admin can have it, such as the operator with a token of the scope admin.`
  return `Only the account that ${act} this ${thing}, or an admin, can have its receipt. To get it, sign in as one of them.`
}

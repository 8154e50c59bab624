import { agentText } from '../../domain/agent-text/fence.ts'
import { errorText } from '../error-text.ts'
import type { Answer, Id } from './messages.ts'

type Refusal = {
  readonly status: number
  readonly code: number
  readonly message: string
  readonly data?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A request of the protocol is refused with a JSON-RPC error. */
export class Rejected extends Error {
  override readonly name = 'Rejected'
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}

/** The answer of a refusal. Without an id, the request could not be read or was not looked at. */
export const rejectedAnswer = ({ refusal }: Rejected, id: Id | undefined): Answer => {
  const { status, code, message, data, headers } = refusal
  return {
    status,
    text: JSON.stringify({
      jsonrpc: '2.0',
      ...(id === undefined ? {} : { id }),
      error: { code, message: errorText(agentText(message)), ...(data === undefined ? {} : { data }) },
    }),
    ...(headers ? { headers } : {}),
  }
}

import { ApiError } from './api.ts'

/** Why something failed, in a sentence, and the request by which the server's log knows it. */
export const whyFailed = (error: unknown): string => {
  if (!(error instanceof ApiError)) return 'this page has a fault.'
  return `${error.message}.${error.requestId === null ? '' : ` Request ${error.requestId}.`}`
}

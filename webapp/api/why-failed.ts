import { ApiError } from './api.ts'

/** Why something failed, in a sentence, with the id of the request in the server's log. */
export const whyFailed = (error: unknown): string => {
  if (!(error instanceof ApiError)) return 'an error occurred in this page.'
  return `${error.message}.${error.requestId === null ? '' : ` Request ${error.requestId}.`}`
}

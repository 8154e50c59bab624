import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { ADocument } from '../documents/documents.ts'
import type { RunningServer } from '../servers/server.ts'

/** Requests with the admin token to the server that runs when they are sent. */
export const adminRequests = (started: () => RunningServer) => {
  const send = (method: string, path: string, body?: unknown) =>
    fetch(`${started().url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${started().token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const upload = async (document: ADocument) => expect((await send('POST', '/runs', document)).status).toBe(201)

  return { send, upload }
}

export const table = (page: Page) => page.getByRole('table', { name: /^Cases of the run/ })
export const rows = (page: Page) => table(page).locator('tbody tr[data-index]')

// PollResult through the debugger: a function that waits in the page would need eval, which the content security policy
// forbids.
export const until = (page: Page, condition: string) => expect.poll(() => page.evaluate(condition)).toBe(true)

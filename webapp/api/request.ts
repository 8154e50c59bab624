import { noteWrite } from '../live/own-writes.ts'
import { noteServerTime } from './server-clock.ts'

/**
 * Sends a request below `/api/v1`. Rejects if there is no response, or if the signal aborts. The page that is one file
 * is built with another module in place of this one, which answers from the data in the file.
 */
export const request = async (path: string, init: RequestInit): Promise<Response> => {
  const sent = fetch(`/api/v1${path}`, init)
  if (init.method !== 'GET') noteWrite(sent)
  const response = await sent
  noteServerTime(response.headers.get('date'))
  return response
}

import { ApiError, reportUnauthenticated } from './api.ts'

export type Uploaded = { readonly id: string; readonly url: string; readonly isNew: boolean }

type Options = {
  /** Called with the number of bytes that were sent. */
  readonly onProgress: (sentBytes: number) => void
  readonly signal: AbortSignal
}

/**
 * Uploads one run document unchanged, compressed or not. `fetch` does not report the progress of an upload, so this uses
 * the older interface. Throws ApiError; AbortError if the signal aborts.
 */
export const uploadRun = (file: Blob, isCompressed: boolean, { onProgress, signal }: Options): Promise<Uploaded> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', '/api/v1/runs')
    request.setRequestHeader('content-type', 'application/json')
    if (isCompressed) request.setRequestHeader('content-encoding', 'gzip')
    request.responseType = 'json'
    request.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded))
    request.addEventListener('load', () => {
      const body: unknown = request.response
      if (request.status < 300 && isStored(body)) return resolve({ ...body, isNew: request.status === 201 })
      if (request.status === 401) reportUnauthenticated()
      const message =
        typeof body === 'object' && body !== null && 'error' in body
          ? String(body.error)
          : `the server answered ${request.status}`
      reject(new ApiError(request.status, message, request.getResponseHeader('x-request-id')))
    })
    request.addEventListener('error', () => reject(new ApiError(0, 'the server could not be reached', null)))
    request.addEventListener('abort', () => reject(new DOMException('the upload was cancelled', 'AbortError')))
    signal.addEventListener('abort', () => request.abort(), { once: true })
    if (signal.aborted) request.abort()
    else request.send(file)
  })

const isStored = (body: unknown): body is { id: string; url: string } =>
  typeof body === 'object' && body !== null && 'id' in body && typeof body.id === 'string' && 'url' in body

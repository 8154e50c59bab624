import type { ImportResult } from '../../queries/imports/import-result.ts'
import { noteWrite } from '../live/own-writes.ts'
import { ApiError, reportUnauthenticated } from './api.ts'

export type Uploaded = { readonly id: string; readonly url: string; readonly isNew: boolean }

type Options = {
  /** Called with the number of bytes that were sent. */
  readonly onProgress: (sentBytes: number) => void
  readonly signal: AbortSignal
}

/**
 * Uploads one run document unchanged, compressed or not. Throws ApiError; AbortError if the signal aborts.
 */
export const uploadRun = async (file: Blob, isCompressed: boolean, options: Options): Promise<Uploaded> => {
  const headers = {
    'content-type': 'application/json',
    ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
  }
  const sent = send('/api/v1/runs', headers, file, options, isStored)
  noteWrite(sent)
  const { status, body } = await sent
  return { ...body, isNew: status === 201 }
}

/** How a file of another tool is imported; an absent member leaves it to the file. */
export type ImportChoices = {
  readonly project?: string
  readonly suite?: string
  /** What the user entered about scores, by their name. */
  readonly scores?: Readonly<Record<string, ScoreChoice>>
}

/** Numbers as they were typed. An incomplete number is not sent. */
export type ScoreChoice = {
  readonly min?: string
  readonly max?: string
  readonly from?: string
  readonly direction?: 'lower' | 'higher'
}

const isNumber = (text: string | undefined): text is string =>
  text !== undefined && /^-?(?:\d+(?:\.\d+)?|\.\d+)$/.test(text)

/** The parameters for what the user entered about scores. */
const scoreParameters = (scores: NonNullable<ImportChoices['scores']>): [string, string][] =>
  Object.entries(scores).flatMap(([name, { min, max, from, direction }]) => {
    const found: [string, string][] = []
    if (isNumber(min) && isNumber(max) && Number(min) < Number(max)) found.push(['score', `${name}=${min}..${max}`])
    if (isNumber(from)) found.push(['pass_threshold', `${name}=${from}`])
    if (direction !== undefined) found.push([`${direction}_is_better`, name])
    return found
  })

/**
 * Imports a file of another tool, or with `isDryRun` only shows what it holds. Throws ApiError; AbortError if the signal
 * aborts.
 */
export const importFile = async (
  file: File,
  { isDryRun, scores = {}, ...choices }: ImportChoices & { readonly isDryRun: boolean },
  options: Options,
): Promise<ImportResult> => {
  const query = new URLSearchParams({
    name: file.name,
    // Only for files whose content and name have no time.
    created_at: new Date(file.lastModified).toISOString(),
    ...(isDryRun ? { dry_run: 'true' } : {}),
    ...choices,
  })
  for (const [name, value] of scoreParameters(scores)) query.append(name, value)
  const path = `/api/v1/import?${query.toString()}`
  const sent = send(path, { 'content-type': 'application/octet-stream' }, file, options, isImported)
  if (!isDryRun) noteWrite(sent)
  return (await sent).body
}

/** `fetch` does not report the progress of an upload, so this uses the older interface. */
const send = <T>(
  path: string,
  headers: Readonly<Record<string, string>>,
  file: Blob,
  { onProgress, signal }: Options,
  isExpected: (body: unknown) => body is T,
): Promise<{ readonly status: number; readonly body: T }> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', path)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.responseType = 'json'
    request.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded))
    request.addEventListener('load', () => {
      const body: unknown = request.response
      const { status } = request
      if (status < 300 && isExpected(body)) return resolve({ status, body })
      if (status === 401) reportUnauthenticated()
      const message =
        typeof body === 'object' && body !== null && 'error' in body
          ? String(body.error)
          : `the server answered ${status}`
      reject(new ApiError(status, message, request.getResponseHeader('x-request-id')))
    })
    request.addEventListener('error', () => reject(new ApiError(0, 'the server could not be reached', null)))
    request.addEventListener('abort', () => reject(new DOMException('the upload was cancelled', 'AbortError')))
    signal.addEventListener('abort', () => request.abort(), { once: true })
    if (signal.aborted) request.abort()
    else request.send(file)
  })

const isStored = (body: unknown): body is { id: string; url: string } =>
  typeof body === 'object' && body !== null && 'id' in body && typeof body.id === 'string' && 'url' in body

const isImported = (body: unknown): body is ImportResult =>
  typeof body === 'object' && body !== null && 'runs' in body && Array.isArray(body.runs)

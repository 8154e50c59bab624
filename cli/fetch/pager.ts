import { createHash } from 'node:crypto'
import { FetchFailed, type Api, type ApiRequest } from './api.ts'
import type { PageFolder, Progress } from './folder.ts'

/** A list of the API that is read page by page. */
export type List = {
  /** The name of its files. */
  readonly name: string
  /** The request of a page; the first one has no cursor. */
  readonly request: (cursor: string | null) => ApiRequest
  /** The rows of a page; null if it is no page of this list. */
  readonly rows: (page: unknown) => readonly unknown[] | null
  /** The cursor of the page after this one; null after the last. */
  readonly next: (page: unknown, rows: readonly unknown[], cursor: string | null) => string | null
}

/** What happens while pages are read. */
export type PageEvents = { readonly onPage: (bytes: number) => void }

/** More pages than any list has: a server that invents cursors for ever is stopped. */
const MAX_PAGES = 1_000_000

/**
 * Reads all pages of a list, each as its rows. Pages that are in the folder are read from there, the others are fetched
 * and written as they came before they are yielded. Throws `FetchFailed` if an answer is no page, or if a cursor or a page
 * repeats.
 */
export const fetchPages = async function* (
  api: Api,
  folder: PageFolder,
  list: List,
  events: PageEvents,
): AsyncGenerator<readonly unknown[]> {
  const found = folder.progress(list.name)
  for (let page = 1; page <= (found?.pages ?? 0); page++) yield parsed(list, folder.read(list.name, page)).rows
  yield* newPages(api, folder, list, events, found)
}

/** Reads a list to its end, and returns whether it has rows. Pages that are in the folder are not read again. */
export const fetchList = async (api: Api, folder: PageFolder, list: List, events: PageEvents): Promise<boolean> => {
  const found = folder.progress(list.name)
  let hasRows = found !== null && found.pages > 0
  for await (const rows of newPages(api, folder, list, events, found)) hasRows ||= rows.length > 0
  return hasRows
}

const newPages = async function* (
  api: Api,
  folder: PageFolder,
  list: List,
  { onPage }: PageEvents,
  found: Progress | null,
): AsyncGenerator<readonly unknown[]> {
  if (found !== null && found.next === null) return
  const seen = new Set<string>()
  let done: Progress = found ?? { pages: 0, bytes: 0, at: null, next: null }
  let lastDigest: string | null = null
  for (let count = 1; ; count++) {
    if (count > MAX_PAGES) throw new FetchFailed(`${list.name}: more than ${MAX_PAGES} pages`)
    const cursor = done.next
    if (cursor !== null) seen.add(cursor)
    const body = await api.read(list.request(cursor))
    const { value, rows } = parsed(list, body)
    const next = list.next(value, rows, cursor)
    const digest = createHash('sha256').update(body).digest('base64')
    if (next !== null && seen.has(next))
      throw new FetchFailed(`${list.name}: the service repeats the cursor ${shown(next)}`)
    if (next !== null && rows.length > 0 && digest === lastDigest)
      throw new FetchFailed(`${list.name}: the service repeats a page at the cursor ${shown(next)}`)
    lastDigest = digest
    // A page without rows is recorded, but not written: importers would not know what it is.
    done = rows.length > 0 ? { pages: done.pages + 1, bytes: body.length, at: cursor, next } : { ...done, next }
    await folder.write(list.name, rows.length > 0 ? body : null, done)
    onPage(body.length)
    yield rows
    if (next === null) return
  }
}

/** Fetches one answer as a file, unless it is there. */
export const fetchDocument = async (
  api: Api,
  folder: PageFolder,
  name: string,
  request: ApiRequest,
  { onPage }: PageEvents,
): Promise<void> => {
  if (folder.hasDocument(name)) return
  const body = await api.read(request)
  if (!/^\s*[[{]/.test(body.subarray(0, 64).toString('latin1'))) throw new FetchFailed(`${name}: the answer is no JSON`)
  await folder.writeDocument(name, body)
  onPage(body.length)
}

const parsed = (list: List, body: Buffer): { readonly value: unknown; readonly rows: readonly unknown[] } => {
  let value: unknown
  try {
    value = JSON.parse(body.toString('utf8'))
  } catch (error) {
    throw new FetchFailed(`${list.name}: the answer is no JSON`, null, { cause: error })
  }
  const rows = list.rows(value)
  if (rows === null) throw new FetchFailed(`${list.name}: the answer is no page of this list; check --url`)
  return { value, rows }
}

const shown = (cursor: string): string => JSON.stringify(cursor.length > 80 ? `${cursor.slice(0, 80)}…` : cursor)

import { isObject } from '../../domain/plain/is-object.ts'
import { FetchFailed, type Api, type Credentials, type ApiRequest } from './api.ts'
import { fetchDocument, fetchList, fetchPages, type List, type PageEvents } from './pager.ts'
import { pageFolder, safeName } from './folder.ts'
import { join } from 'node:path'
import { UserError } from '../../maintenance/user-error.ts'
import { textAt } from '../../interchange/read/members.ts'

/** A service that `ers fetch` reads. */
export type Tool = {
  readonly title: string
  readonly defaultUrl: string
  /** Throws `UserError` if a variable is missing. */
  readonly credentials: (env: NodeJS.ProcessEnv) => Credentials
  readonly experiments: (fetching: Fetching) => AsyncIterable<Experiment>
}

/** An experiment, or a run of an evaluation: what becomes one folder. */
export type Experiment = {
  readonly id: string
  /** Fetches it into its folder. Returns whether it has cases. */
  readonly fetch: (into: Target) => Promise<boolean>
}

/** Where lists and answers are written. */
export type Target = {
  readonly list: (list: List) => Promise<boolean>
  readonly rows: (list: List) => AsyncIterable<Row>
  readonly document: (name: string, request: ApiRequest) => Promise<void>
  readonly content: (name: string) => unknown
}

export type Fetching = {
  /** Only experiments from this time on, in epoch ms. */
  readonly sinceMs: number | null
  /** The rows of a list of experiments or of what has them. With a parent, a list that fails is reported and ends. */
  readonly rows: (list: List, parent?: string) => AsyncIterable<Row>
  /** Reports something that could not be fetched, while the rest can. */
  readonly failed: (what: string, error: FetchFailed) => void
}

/** A row of an answer. */
export type Row = Readonly<Record<string, unknown>>

/** The rows of a page that has them in the list `key`; null if it has none. */
export const rowsIn =
  (key: string) =>
  (page: unknown): readonly unknown[] | null =>
    isObject(page) && Array.isArray(page[key]) ? (page[key] as unknown[]) : null

/** The rows of a page that is a list. */
export const plainRows = (page: unknown): readonly unknown[] | null => (Array.isArray(page) ? page : null)

/** The id of a row. Throws `FetchFailed` without one. */
export const rowId = (row: Row, key = 'id'): string => {
  const id = textAt(row, key)
  if (id === null) throw new FetchFailed(`an answer has a row without ${key}`)
  return id
}

/** Whether a row is of the wanted time. One without a time is. */
export const isSince = (sinceMs: number | null, time: string | null): boolean => {
  // Some services write UTC without a zone.
  const ms = Date.parse(time !== null && /\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/.test(time) ? `${time}Z` : (time ?? ''))
  return sinceMs === null || Number.isNaN(ms) || ms >= sinceMs
}

/** The cursor of a list that is read by offset: pages that are full have a next one. */
export const nextOffset =
  (limit: number) =>
  (_page: unknown, rows: readonly unknown[], cursor: string | null): string | null =>
    rows.length < limit ? null : String(Number(cursor ?? 0) + rows.length)

/** A key as the environment has it. Throws `UserError` if it cannot be in a header; null if it is not set. */
export const keyIn = (env: NodeJS.ProcessEnv, variable: string): string | null => {
  const key = env[variable]?.trim() ?? ''
  if (/[^\x21-\x7e]/.test(key)) throw new UserError(`${variable} has characters that a key cannot have`)
  return key === '' ? null : key
}

export const neededKey = (env: NodeJS.ProcessEnv, variable: string): string => {
  const key = keyIn(env, variable)
  if (key === null) throw new UserError(`${variable} is not set: it is the key of the service`)
  return key
}

/** Credentials in an `Authorization: Bearer` header. */
export const bearer = (key: string | null, variables: string): Credentials => ({
  headers: key === null ? {} : { authorization: `Bearer ${key}` },
  secrets: key === null ? [] : [key],
  variables,
})

/** Credentials of a user and a password. */
export const basic = (user: string, password: string, variables: string): Credentials => {
  const token = Buffer.from(`${user}:${password}`).toString('base64')
  return { headers: { authorization: `Basic ${token}` }, secrets: [token, password], variables }
}

/** The target that writes into the folder of an id. */
export const targetAt = (api: Api, path: string, events: PageEvents): Target => {
  const folder = pageFolder(path)
  return {
    list: (list) => fetchList(api, folder, list, events),
    rows: async function* (list) {
      for await (const rows of fetchPages(api, folder, list, events)) yield* rows.filter(isObject)
    },
    document: (name, request) => fetchDocument(api, folder, name, request, events),
    content: (name) => folder.content(name),
  }
}

/** Lists are in a hidden folder, which `ers import` does not read. */
const LISTS = '.lists'

/** What a tool reads from: its lists are written below `out`. */
export const fetchingInto = (
  api: Api,
  out: string,
  sinceMs: number | null,
  events: PageEvents,
  failed: Fetching['failed'],
): Fetching => ({
  sinceMs,
  failed,
  rows: async function* (list, parent) {
    const folder = parent === undefined ? join(out, LISTS) : join(out, LISTS, safeName(parent))
    try {
      yield* targetAt(api, folder, events).rows(list)
    } catch (error) {
      if (parent === undefined || !(error instanceof FetchFailed)) throw error
      failed(parent, error)
    }
  },
})

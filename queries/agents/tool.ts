import type { z } from 'zod'
import type { Cut } from '../../domain/agent-text/cut.ts'
import type { ReadObject } from '../../storage/objects/object-store.ts'
import type { Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import type { CacheStats } from '../cache/facets.ts'
import type { Meta } from '../meta.ts'
import type { DocumentReader } from '../runs/documents.ts'

/** What a tool reads from. `server` and `cache` are null unless the tool is `get_server_info`. */
export type ToolContext = {
  readonly reader: Reader
  readonly documents: DocumentReader
  readonly readObject: ReadObject
  readonly viewer: Viewer
  readonly server: Meta | null
  readonly cache: CacheStats | null
  /** The time of the call, in ms. */
  readonly now: number
}

/** A tool cannot answer: its arguments are wrong, or nothing was found. The message is for the agent. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}

/**
 * A page of the web app that shows the same data. `path` begins with a slash. `name` stands outside the fence, so it has
 * no stored text.
 */
export type Page = { readonly path: string; readonly name: string }

/** The path of a page. A lone surrogate, which no path can have, becomes U+FFFD. */
export const pagePath = (...parts: readonly string[]): string =>
  parts.map((part) => `/${encodeURIComponent(part.toWellFormed())}`).join('')

/** Filters as the query of a page, in the order of the object; nothing for no filter. */
export const pageQuery = (filters: Readonly<Record<string, string | number | boolean | undefined>>): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(filters)) if (value !== undefined) query.set(name, String(value))
  return query.size === 0 ? '' : `?${query.toString()}`
}

/** A result with less in it, and what was left out. */
export type Shortened = { readonly data: ToolResult['data']; readonly cuts: readonly Cut[] }

/**
 * What a tool returns. `data` is the structured result. `text` is what a reader without it gets; if it is missing, the
 * data as JSON. `subject` names what the result is about: its text is fenced with it. It is null only for a result
 * without any stored text or name.
 */
export type ToolResult = {
  readonly data: Readonly<Record<string, unknown>>
  readonly text?: (data: Readonly<Record<string, unknown>>) => string
  readonly subject: string | null
  /** Maximum length of each text in code points. */
  readonly max_chars?: number
  readonly page?: Page
  /**
   * If the result is too large: the same with less in it. The first attempt is 1. Null if there is nothing to leave out.
   * Without it a result that is too large is refused.
   */
  readonly shorter?: (attempt: number) => Shortened | null
}

/** A read for agents. It never changes anything. */
export type Tool<Arguments extends z.ZodObject = z.ZodObject> = {
  readonly name: string
  readonly title: string
  /** At most 800 bytes. */
  readonly description: string
  readonly arguments: Arguments
  /** The arguments that make a result smaller, for the message about one that is too large. */
  readonly narrowing: readonly string[]
  /** The members of `data` when the tool could answer. */
  readonly result: z.ZodObject
  readonly run: (context: ToolContext, given: z.output<Arguments>) => Promise<ToolResult>
}

/** Declares a tool: its arguments are typed within `run`. */
export const tool = <Arguments extends z.ZodObject>(declared: Tool<Arguments>): Tool =>
  // Safe: `run` gets only what `arguments` accepted.
  declared

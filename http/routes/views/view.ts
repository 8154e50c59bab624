import { z } from 'zod'
import { Refused } from '../../../commands/refused.ts'
import type { Viewer } from '../../../queries/access/viewer.ts'
import { findOwnView, type SavedView } from '../../../queries/views.ts'
import { mustExist } from '../../errors.ts'
import type { Services } from '../../services.ts'

const MAX_NAME_CHARACTERS = 100
const MAX_PATH_CHARACTERS = 2_000
const MAX_QUERY_CHARACTERS = 4_000

/** Browsers remove some control characters from an address, and so open another page than the one that is shown. */
const CONTROL = String.raw`\u0000-\u001f\u007f-\u009f`
const CONTROLS = new RegExp(`[${CONTROL}]`)
const hasControl = (text: string): boolean => CONTROLS.test(text)

/** A part of a path that browsers resolve, also an escaped one. */
const hasDotSegment = (path: string): boolean => path.split('/').some((part) => /^(?:\.|%2e){1,2}$/i.test(part))

const Text = z
  .string()
  .refine((text) => text.isWellFormed() && !hasControl(text), 'must be well-formed text without control characters')

export const Name = Text.meta({ pattern: `^[^${CONTROL}]*$`, minLength: 1, maxLength: MAX_NAME_CHARACTERS })

export const Path = Text.refine((path) => !hasDotSegment(path), 'must not have the part "." or ".."').meta({
  maxLength: MAX_PATH_CHARACTERS,
  pattern: String.raw`^/(?!/)(?!(?:.*/)?(?:\.|%2[eE]){1,2}(?:/|$))[^?#\\${CONTROL}]*$`,
  description: 'The path of a page of the web app, without the parts `.` and `..`.',
})

export const Query = Text.meta({
  maxLength: MAX_QUERY_CHARACTERS,
  pattern: `^(?!\\?)[^#${CONTROL}]*$`,
  description: 'The query of the page, without a question mark.',
})

const checkLength = (field: string, text: string, max: number): void => {
  if ([...text].length > max) throw new Refused('bad_request', `${field} must have at most ${max} characters`)
}

/** Refuses: bad_request (empty, too long). */
export const checkedName = (text: string): string => {
  const name = text.trim()
  if (name === '') throw new Refused('bad_request', 'name must not be empty')
  checkLength('name', name, MAX_NAME_CHARACTERS)
  return name
}

/** Browsers read `//host` and `/\host` as addresses of other sites. Refuses: bad_request (no path of a page, too long). */
export const checkedPath = (path: string): string => {
  if (!/^\/(?![/\\])[^?#\\]*$/.test(path))
    throw new Refused('bad_request', 'path must be the path of a page: it starts with one slash, and has no query')
  checkLength('path', path, MAX_PATH_CHARACTERS)
  return path
}

/** Refuses: bad_request (no query, too long). */
export const checkedQuery = (query: string): string => {
  if (query.startsWith('?') || query.includes('#'))
    throw new Refused('bad_request', 'query must be the text after the question mark of an address')
  checkLength('query', query, MAX_QUERY_CHARACTERS)
  return query
}

/** Finds a saved view of the viewer's own. Refuses: not_found. */
export const readView = async (reader: Services['reader'], viewer: Viewer, id: string): Promise<SavedView> =>
  mustExist(await reader.read(findOwnView(viewer, id)), 'saved view')

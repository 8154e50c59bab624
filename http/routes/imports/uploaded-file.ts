import { Refused } from '../../../commands/refused.ts'
import type { ImportQuery } from './import-query.ts'

/** The file of an import, and the map of its table if there is one. */
export type UploadedFile = { readonly name: string; readonly bytes: Uint8Array; readonly map: string | null }

const UNNAMED = 'upload'
const MAX_MAP_BYTES = 256 * 1024

/**
 * Reads the body of an import: the file itself (`application/octet-stream`), or a form with the parts `file` and `map`.
 * Refuses: bad_request (another type, no file, an unreadable form), unsupported_encoding (a database).
 */
export const uploadedFile = async (
  type: string | undefined,
  body: Uint8Array,
  query: ImportQuery,
): Promise<UploadedFile> => {
  const kind = type?.split(';', 1)[0]?.trim().toLowerCase()
  if (kind === 'application/octet-stream') return checked(query.name ?? UNNAMED, body, query.map ?? null)
  if (kind !== 'multipart/form-data')
    throw new Refused(
      'bad_request',
      `Content-Type ${JSON.stringify((type ?? '').slice(0, 80))} is not application/octet-stream or multipart/form-data`,
    )
  const form = await formOf(type ?? '', body)
  const file = form.get('file')
  if (!(file instanceof File)) throw new Refused('bad_request', 'the form has no file in its part "file"')
  const map = form.get('map')
  const text = map instanceof File ? await map.text() : map
  if (text !== null && Buffer.byteLength(text) > MAX_MAP_BYTES)
    throw new Refused('too_large', `map: larger than ${MAX_MAP_BYTES} bytes`)
  return checked(
    query.name ?? (file.name || UNNAMED),
    new Uint8Array(await file.arrayBuffer()),
    text ?? query.map ?? null,
  )
}

const checked = (name: string, bytes: Uint8Array, map: string | null): UploadedFile => {
  refuseDatabase(bytes)
  return { name, bytes, map }
}

const formOf = async (type: string, body: Uint8Array): Promise<FormData> => {
  try {
    // The platform's own parser.
    return await new Response(body as Uint8Array<ArrayBuffer>, { headers: { 'content-type': type } }).formData()
  } catch (error) {
    throw new Refused('bad_request', `the form cannot be read: ${(error as Error).message.slice(0, 200)}`)
  }
}

/** Databases are not opened in the server: SQLite would run what a stranger has put into their schema. */
const refuseDatabase = (bytes: Uint8Array): void => {
  if (Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(16, bytes.length)).equals(SQLITE_MAGIC))
    throw new Refused('unsupported_encoding', 'a database is not imported over HTTP: use the command ers import')
}

const SQLITE_MAGIC = Buffer.from('SQLite format 3\0', 'latin1')

import { createReadStream, statSync } from 'node:fs'
import { join } from 'node:path'
import { UserError } from '../../maintenance/user-error.ts'
import { MAX_ENTRIES } from '../../interchange/read/zip/zip-members.ts'
import { addToMember, closeMember, openMember, zipEnd, zipStart } from '../../interchange/exporters/zip.ts'

const READ_BYTES = 1024 * 1024

/** The bytes of a zip archive of the files of a folder, stored as they are, in the given order. Throws `UserError` for more than an import reads. */
export const zippedFolder = async function* (folder: string, names: readonly string[]): AsyncGenerator<Uint8Array> {
  if (names.length > MAX_ENTRIES)
    throw new UserError(
      `the run has ${names.length} files, and an archive of more than ${MAX_ENTRIES} cannot be imported: use --out-dir`,
    )
  let zip = zipStart()
  for (const name of names) {
    const path = join(folder, name)
    const opened = openMember(zip, name, statSync(path).size)
    zip = opened.zip
    yield opened.bytes
    for await (const chunk of createReadStream(path, { highWaterMark: READ_BYTES }) as AsyncIterable<Uint8Array>) {
      zip = addToMember(zip, chunk)
      yield chunk
    }
    const closed = closeMember(zip)
    zip = closed.zip
    yield closed.bytes
  }
  yield zipEnd(zip)
}

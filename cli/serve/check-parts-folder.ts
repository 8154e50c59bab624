import { dirname } from 'node:path'
import { UserError } from '../../maintenance/user-error.ts'
import { findLogIdentity } from '../../storage/log/head.ts'
import { readPartsIdentity } from '../../storage/objects/file-store.ts'
import { countObjectsIn } from '../../storage/objects/rows.ts'
import type { Reader } from '../../storage/storage.ts'

/**
 * Checks that the folder of large parts is there if the store has some, and that it belongs to this log. It is restored apart from the
 * database, so it may be forgotten. Throws `UserError`.
 */
export const checkPartsFolder = async ({ read }: Pick<Reader, 'read'>, folder: string): Promise<void> => {
  const found = await readPartsIdentity(folder)
  if (found === null) {
    const count = await read(countObjectsIn('files'))
    if (count === 0) return
    throw new UserError(
      `the folder ${folder} is missing, or is not whole: ${count} files of it have large parts of evidence that runs name. ` +
        `Restore it from the backup from which service.db comes, for example with "cp -rp BACKUP/parts ${dirname(folder)}/", and start again`,
    )
  }
  if (found !== (await read(findLogIdentity)))
    throw new UserError(
      `the folder ${folder} has the parts of another log: its file "store" says so. Move it away, restore the folder "parts" of the backup from which service.db comes, and start again`,
    )
}

import { mkdir } from 'node:fs/promises'
import { messageOf } from '../../domain/plain/message-of.ts'
import { UserError } from '../../maintenance/user-error.ts'

/** Creates a folder and its parents, unless they exist. Throws `UserError`. */
export const makeFolder = async (path: string): Promise<void> => {
  try {
    await mkdir(path, { recursive: true })
  } catch (error) {
    throw new UserError(`${path} cannot be created: ${messageOf(error)}`, { cause: error })
  }
}

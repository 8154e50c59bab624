import { statSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../domain/plain/error-code.ts'

/** The default state directory of every command. */
export const DEFAULT_DATA_DIR = '/data'

/**
 * The message for a folder in which a command finds no store. Usually `npm start` and the command use different folders, or the
 * folder is that of another user.
 */
export const noStoreIn = (dataDir: string, stat: (file: string) => unknown = statSync): string => {
  try {
    stat(join(dataDir, 'service.db'))
  } catch (error) {
    if (errorCode(error) === 'EACCES')
      return `${dataDir} cannot be read (EACCES): run the command as the user of the service`
  }
  return `there is no service.db in ${dataDir}. Name the state directory of the service with --data-dir or SERVICE_DATA_DIR: the default is ${DEFAULT_DATA_DIR}, and "npm start" uses ./data`
}

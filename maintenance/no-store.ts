/** The state directory that every command uses where none is named. */
export const DEFAULT_DATA_DIR = '/data'

/**
 * What to report where a folder holds no store: the usual reason is that `npm start` and the command look in different
 * places.
 */
export const noStoreIn = (dataDir: string): string =>
  `there is no service.db in ${dataDir}. Name the state directory of the service with --data-dir or SERVICE_DATA_DIR: the default is ${DEFAULT_DATA_DIR}, and "npm start" uses ./data`

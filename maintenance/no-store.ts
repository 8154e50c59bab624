/** The default state directory of every command. */
export const DEFAULT_DATA_DIR = '/data'

/**
 * The message for a folder without a store. The usual reason is that `npm start` and the command use different folders.
 */
export const noStoreIn = (dataDir: string): string =>
  `there is no service.db in ${dataDir}. Name the state directory of the service with --data-dir or SERVICE_DATA_DIR: the default is ${DEFAULT_DATA_DIR}, and "npm start" uses ./data`

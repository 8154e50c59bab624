import packageFile from '../package.json' with { type: 'json' }

/** The version of this build. */
export const VERSION: string = packageFile.version

export { connect } from './client.ts'
export type { ErsClient, Imported, Options, Uploaded } from './client.ts'
export { ErsError } from './error.ts'
export type * from './schema.ts'

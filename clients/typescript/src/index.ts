export { connect } from './client.ts'
export type { ErsClient, Options, Uploaded } from './client.ts'
export { ErsError } from './error.ts'
export type * from './schema.ts'

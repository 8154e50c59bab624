import type { ReadObject } from '../../../storage/objects/object-store.ts'

/** Reads objects where there are none. */
export const NO_OBJECTS: ReadObject = async ({ object_id }) => {
  throw new Error(`there is no object ${object_id}`)
}

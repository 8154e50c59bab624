import type { Viewer } from '../../queries/access/viewer.ts'
import { command } from '../command.ts'
import { storeLabel } from '../principal.ts'
import type { Principal } from '../principal.ts'
import { started } from './events.ts'
import type { Started } from './events.ts'

type Start = Started['data'] & { readonly instance: string; readonly principals: readonly Principal[] }

/**
 * Records that an instance started (build, schema, a configuration digest without secrets) and labels its static
 * tokens.
 */
export const recordStart = (viewer: Viewer, { instance, principals, ...data }: Start) =>
  command(viewer, { facts: {}, decide: () => [{ ...started(instance, data), statements: principals.map(storeLabel) }] })

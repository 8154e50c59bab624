import type { Viewer } from '../../queries/viewer.ts'
import { statement } from '../../storage/sql.ts'
import { command } from '../command.ts'
import { started } from './events.ts'
import type { Started } from './events.ts'

/** Who may act without an account, under the label that lists show. */
export type Principal = { readonly id: string; readonly kind: 'static'; readonly label: string }

type Start = Started['data'] & { readonly instance: string; readonly principals: readonly Principal[] }

/** Records that an instance started (build, schema, a configuration digest that holds no secret) and labels its static tokens. */
export const recordStart = (viewer: Viewer, { instance, principals, ...data }: Start) =>
  command(viewer, { facts: {}, decide: () => [{ ...started(instance, data), alongside: principals.map(label) }] })

const label = ({ id, kind, label: text }: Principal) => statement`
  INSERT INTO principals (id, kind, label) VALUES (${id}, ${kind}, ${text})
  ON CONFLICT (id) DO UPDATE SET label = excluded.label`

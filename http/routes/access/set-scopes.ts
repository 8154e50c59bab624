import { z } from 'zod'
import { isName } from '../../../domain/run/readers.ts'
import { NAME, nameParameter } from '../../requests/shared-parameters.ts'

// The event log stores the name for ever, even if no run ever has it.
const Name = z
  .string()
  .refine(isName, 'must be a name that a run can have: at most 400 bytes of UTF-8, no NUL')
  .meta(NAME)

const setScope = <const Shape extends z.ZodRawShape>(noun: 'Project' | 'Suite', path: string, shape: Shape) => ({
  path,
  noun,
  thing: `a ${noun.toLowerCase()}`,
  shape,
})

/** A whole project or one of its suites: both have the same routes. */
export const SET_SCOPES = [
  setScope('Project', '/sets/:project', { project: Name }),
  setScope('Suite', '/sets/:project/suites/:suite', { project: Name, suite: Name }),
] as const
export type SetScope = (typeof SET_SCOPES)[number]

/** The parameters of a path of a scope. A whole project has the suite null. */
export const setPath = ({ shape }: SetScope) =>
  z.object(shape).transform((given): { project: string; suite: string | null } => ({ suite: null, ...given }))

/** The parameters of the path of a grant. */
export const granteePath = ({ shape }: SetScope) =>
  z
    .object({ ...shape, user_id: nameParameter })
    .transform((given): { project: string; suite: string | null; user_id: string } => ({ suite: null, ...given }))

/** The names of a scope in the query. Without a suite, it is the whole project. */
export const SetQuery = z.strictObject({ project: Name, suite: Name.optional() })

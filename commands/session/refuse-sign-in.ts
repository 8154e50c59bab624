import type { Viewer } from '../../queries/access/viewer.ts'
import { command } from '../command.ts'
import { signInRefused, type SignInRefused } from './events.ts'

/** Records one or several refused attempts to sign in. */
export const refuseSignIn = (
  viewer: Viewer,
  { attempt_id, ...data }: SignInRefused['data'] & { readonly attempt_id: string },
) => command(viewer, { facts: {}, decide: () => [signInRefused(attempt_id, data)] })

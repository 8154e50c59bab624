import { envScopes } from '../providers/wire/rendering.ts'
import type { Scopes } from '../providers/wire/rendering.ts'
import type { GradedCase } from './grader.ts'

/** The names that templates of graded assertions see: the vars, and `env` as it is sent and as it is recorded. */
export const caseScopes = ({ vars, recorded_vars, env: variables }: GradedCase): Scopes => {
  const env = envScopes(variables)
  return {
    sent: { ...vars, env: env.sent },
    shown: { ...(recorded_vars ?? vars), env: env.shown },
    isEnvAlone: recorded_vars === undefined,
  }
}

import type { JsonObject } from '../json.ts'
import { envScopes } from '../providers/wire/rendering.ts'
import type { GradedCase } from './grader.ts'

/** The names that templates of graded assertions see: the vars, and `env`, which hides a var of that name. */
export const caseScope = ({ vars, env }: GradedCase): JsonObject => ({ ...vars, env: envScopes(env).sent })

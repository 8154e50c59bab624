import type { CommandArguments } from '../../../commands/commit.ts'

/** The arguments of a plan of `chat/smoke` that says nothing but its text. */
export const aPlan = (changes: Partial<CommandArguments<'registerPlan'>> = {}): CommandArguments<'registerPlan'> => ({
  plan_id: 'plan',
  project: 'chat',
  suite: 'smoke',
  text: 'At least nine of ten.',
  plan_sha256: null,
  config_digest: null,
  metric: null,
  comparator: null,
  threshold: null,
  case_count: null,
  ...changes,
})

import type { LinkOutcome } from './link.ts'

/** Errors of a provider that another provider may not have. */
const FALLBACK_CLASSES: ReadonlySet<string> = new Set([
  'provider_auth',
  'provider_unavailable',
  'provider_timeout',
  'provider_protocol',
  'provider_rate_limit',
  'exec_failed',
])

/** A provider that was passed over, and why: exactly one of the reasons is set. */
export type PassedOver = {
  readonly provider_id: string
  readonly empty_reason?: string
  readonly error_class?: string
}

export type ChainOutcome = {
  readonly outcome: LinkOutcome
  /** The providers before the one that answered; empty if the first one did, or none. */
  readonly passedOver: readonly PassedOver[]
  /** Of all providers that were asked, in order. */
  readonly outcomes: readonly LinkOutcome[]
}

/**
 * Asks the providers of a chain in order until one neither fails nor gives an output that asks for a fallback. If none
 * does, or a fallback has a failure that no other provider would avoid, the outcome is that of the first provider, as if
 * there were no chain. `isStopped` is asked before each fallback.
 */
export const runChain = async (
  links: ReadonlyArray<() => Promise<LinkOutcome>>,
  {
    fallbackOnEmptyReason,
    isStopped,
  }: { readonly fallbackOnEmptyReason: ReadonlySet<string>; readonly isStopped: () => boolean },
): Promise<ChainOutcome> => {
  const [first, ...fallbacks] = links
  if (first === undefined) throw new Error('a chain has at least one provider')
  const primary = await first()
  const outcomes = [primary]
  const passedOver: PassedOver[] = []
  let reason = reasonToPass(primary, fallbackOnEmptyReason)
  if (reason === null) return { outcome: primary, passedOver, outcomes }
  passedOver.push(reason)
  for (const ask of fallbacks) {
    if (isStopped()) break
    const outcome = await ask()
    outcomes.push(outcome)
    reason = reasonToPass(outcome, fallbackOnEmptyReason)
    if (reason === null) {
      if (outcome.kind === 'failed') break
      return { outcome, passedOver, outcomes }
    }
    passedOver.push(reason)
  }
  return { outcome: primary, passedOver: [], outcomes }
}

/** Why the next provider is asked; null: it is not. */
const reasonToPass = (outcome: LinkOutcome, onEmptyReason: ReadonlySet<string>): PassedOver | null => {
  const { providerId: provider_id } = outcome
  if (outcome.kind === 'failed')
    return FALLBACK_CLASSES.has(outcome.errorClass) ? { provider_id, error_class: outcome.errorClass } : null
  const { emptyReason } = outcome
  return emptyReason !== undefined && onEmptyReason.has(emptyReason) ? { provider_id, empty_reason: emptyReason } : null
}

/** Why a sign-in through an identity provider failed, and what to do. */
export type Problem = { readonly title: string; readonly advice: string }

const ASK_AN_ADMIN = 'If it fails again, ask an admin of this server: its log has the reason.'

/** The words of each code that the server adds to the address. `at` is the label of the provider. */
const PROBLEMS: ReadonlyMap<string, (at: string) => Problem> = new Map<string, (at: string) => Problem>([
  [
    'access_denied',
    (at) => ({
      title: 'Access was denied',
      advice: `The sign-in at ${at} was cancelled, or your account there may not use this service. Try again, or ask the administrators of ${at} for access.`,
    }),
  ],
  [
    'invalid_state',
    (at) => ({
      title: 'This sign-in cannot be completed',
      advice: `It took more than ten minutes, was already used, or was not the last one started in this browser. Sign-ins cannot start at the page of ${at}: start again here. This browser must accept cookies.`,
    }),
  ],
  [
    'expired',
    (at) => ({
      title: "The provider's response is out of date",
      advice: `The response of ${at} is too old, or not valid yet. Try again. If it fails again, ask an admin of this server: one of the clocks is probably wrong.`,
    }),
  ],
  [
    'email_not_allowed',
    (at) => ({
      title: 'This e-mail address may not sign in',
      advice: `The server accepts verified addresses of certain domains only. Use another account at ${at}, or ask an admin of this server.`,
    }),
  ],
  [
    'replayed',
    (at) => ({
      title: 'This sign-in was used already',
      advice: `A response of ${at} can be used only once. Start again here.`,
    }),
  ],
  [
    'account_disabled',
    (at) => ({
      title: 'Your account is disabled',
      advice: `The sign-in at ${at} worked, but your account on this server is disabled. Only an admin of this server can enable it.`,
    }),
  ],
  [
    'provider_error',
    (at) => ({
      title: 'The provider did not confirm the sign-in',
      advice: `There was no response of ${at}, or the server did not accept it. Try again in a minute. ${ASK_AN_ADMIN}`,
    }),
  ],
  [
    'internal',
    () => ({
      title: 'The server could not finish the sign-in',
      advice: `Try again in a minute. ${ASK_AN_ADMIN}`,
    }),
  ],
])

/**
 * The words for a code of the address, which may be any text: a code that is not known has general words. `label` is
 * null if the address names no provider that is configured.
 */
export const problemOf = (code: unknown, label: string | null): Problem => {
  const words = typeof code === 'string' ? PROBLEMS.get(code) : undefined
  return (
    words?.(label ?? 'the identity provider') ?? { title: 'The sign-in failed', advice: `Try again. ${ASK_AN_ADMIN}` }
  )
}

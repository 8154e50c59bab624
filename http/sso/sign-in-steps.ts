import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { networkOf } from '../../domain/network.ts'
import type { AssertedIdentity } from '../../domain/sso/roles.ts'
import { asAnonymous } from '../../queries/access/viewer.ts'
import { tokenBuckets, type TokenBuckets } from '../../runtime/token-buckets.ts'
import { Unavailable } from '../../storage/errors.ts'
import { logUnavailable } from '../answer-error.ts'
import { closeIfUnread } from '../connections/early-answers.ts'
import { ErrorBody, mustExist, TooManyAttempts } from '../errors.ts'
import { sessionCookie } from '../identity/cookies.ts'
import type { RefusedSignIns } from '../identity/refused-sign-ins.ts'
import { optionalText } from '../requests/shared-parameters.ts'
import type { Services } from '../services.ts'
import type { ProviderConfig } from './config.ts'
import { SsoRefused, type SamlAssertion, type SsoCode } from './provider.ts'
import { signInWithProvider } from './sign-in.ts'
import { providerKey, ssoTransactions } from './transactions.ts'

/**
 * How many sign-ins one address may start, and how many SAML responses it may post: at once, and then one each interval.
 * Many people can share an address.
 */
const BURST = 200
const INTERVAL_MS = 200

/** The path of a step: the name of the provider. */
export const ProviderPath = z.object({ provider: z.string().meta({ description: 'Name of the identity provider.' }) })
/** Providers add parameters of their own to the address that they send a browser to. Those are ignored. */
export const AnyParameters = z.looseObject({})
export const StartParameters = z.strictObject({
  return_to: optionalText.meta({ description: 'The path of this service to open after the sign-in.' }),
})

/** The answers of a step; a limited one may also be refused with 429. */
export const STEP_ANSWERS = {
  303: z.undefined().meta({ description: 'A redirect: `Location` is where the browser continues.' }),
  404: ErrorBody,
  503: ErrorBody,
}
export const LIMITED_ANSWERS = { ...STEP_ANSWERS, 429: ErrorBody }

/** The addresses contain what is worth a sign-in: no cache may store them, and no other site may learn them. */
const PRIVATE = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }

type Asserted = {
  readonly identity: AssertedIdentity
  readonly assertion: SamlAssertion['assertion'] | null
  readonly to: string
}

/** Where a step of a sign-in ends, and the Set-Cookie values that it leaves in the browser. */
type End = { readonly to: string; readonly cookies: readonly string[] }

const limit = (buckets: TokenBuckets, { viewer }: FastifyRequest): void => {
  const wait = buckets.take(networkOf(viewer.actor.address ?? ''))
  if (wait > 0) throw new TooManyAttempts('too many sign-ins from this address; try again later', wait)
}

/** Records why a sign-in failed, and returns the code for the sign-in page. */
const recordFailure = async (
  request: FastifyRequest,
  provider: ProviderConfig,
  error: unknown,
  { logger, refused }: Pick<Services, 'logger'> & { readonly refused: RefusedSignIns },
): Promise<SsoCode> => {
  if (!(error instanceof SsoRefused)) {
    if (error instanceof Unavailable) logUnavailable(error, request)
    else logger.error({ err: error, request_id: request.id }, 'unexpected failure')
    return 'internal'
  }
  const { code, message, user_id } = error
  const key = providerKey(provider)
  logger.info({ provider: key, code, reason: message, request_id: request.id }, 'a sign-in was refused')
  await refused.record(asAnonymous(request.viewer), { reason: code, provider: key, user_id })
  return code
}

export type SignInSteps = ReturnType<typeof signInSteps>

/** What the steps of a sign-in through an identity provider have in common. */
export const signInSteps = (services: Services, refused: RefusedSignIns) => {
  const { now, config, logger } = services
  const transactions = ssoTransactions(services)
  const signIn = signInWithProvider(services, { defaultRole: config.sso?.defaultRole ?? 'member' })
  const starts = tokenBuckets({ burst: BURST, intervalMs: INTERVAL_MS, now })
  const responses = tokenBuckets({ burst: BURST, intervalMs: INTERVAL_MS, now })

  /** Where a browser goes after a failed step: the sign-in page, with a code. The log has the reason. */
  const endOfFailure = async (request: FastifyRequest, provider: ProviderConfig, error: unknown): Promise<End> => {
    const code = await recordFailure(request, provider, error, { logger, refused }).catch(
      (failed: unknown): SsoCode => {
        logger.error({ err: failed, request_id: request.id }, 'a refused sign-in could not be recorded')
        return 'internal'
      },
    )
    return { to: `/login?${new URLSearchParams({ sso_error: code, provider: provider.name }).toString()}`, cookies: [] }
  }

  /** Runs one step, and sends the browser to where it ends. */
  const answer = async (
    request: FastifyRequest,
    reply: FastifyReply,
    provider: ProviderConfig,
    step: () => Promise<End>,
  ): Promise<FastifyReply> => {
    const end = await step().catch((error: unknown) => endOfFailure(request, provider, error))
    closeIfUnread(reply)
    void reply.code(303).headers({ ...PRIVATE, location: end.to })
    if (end.cookies.length > 0) void reply.header('set-cookie', [...end.cookies])
    return reply.send()
  }

  return {
    transactions,
    answer,
    /** Throws `TooManyAttempts`. */
    limitResponses: (request: FastifyRequest): void => limit(responses, request),
    /** Sends the browser to a provider. Throws `TooManyAttempts`. */
    answerStart: (
      request: FastifyRequest<{ Querystring: z.infer<typeof StartParameters> }>,
      reply: FastifyReply,
      provider: ProviderConfig,
      ask: Parameters<typeof transactions.begin>[3],
    ): Promise<FastifyReply> => {
      limit(starts, request)
      return answer(request, reply, provider, async () => {
        const requestedPath = request.query.return_to ?? null
        const { url, cookie } = await transactions.begin(request.viewer, provider, requestedPath, ask)
        return { to: url, cookies: [cookie] }
      })
    },
    /** Signs in what the provider asserts. The browser continues at the path `to`. */
    finish: async (
      request: FastifyRequest,
      provider: ProviderConfig,
      { identity, assertion, to }: Asserted,
    ): Promise<End> => {
      const { token } = await signIn(request.viewer, provider, identity, assertion)
      return {
        to,
        cookies: [sessionCookie(token, { secure: config.cookieSecure }), transactions.clearedCookie(provider)],
      }
    },
  }
}

/** Returns a provider by its name. Refuses: not_found. */
export const namedProvider = <T>(providers: ReadonlyMap<string, T>, name: string): T =>
  mustExist(providers.get(name), 'sso provider')

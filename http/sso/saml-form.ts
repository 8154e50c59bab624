import type { FastifyRequest } from 'fastify'
import { Refused } from '../../commands/refused.ts'
import { receive } from '../requests/body.ts'
import { SsoRefused } from './provider.ts'

/** Maximum size of a form in bytes. It holds the largest accepted response, in base64 and with its escapes. */
const MAX_FORM_BYTES = 1024 * 1024
/** Maximum number of fields. Providers send two. */
const MAX_FIELDS = 20

const FORM_TYPE = /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i

/**
 * Receives the form that the browser posts for a SAML provider (Bindings for SAML 2.0, 3.5). `relayState` is null if it
 * is absent or empty. Throws `SsoRefused`.
 */
export const receiveSamlForm = async (
  request: FastifyRequest,
): Promise<{ readonly response: string; readonly relayState: string | null }> => {
  if (!FORM_TYPE.test(request.contentType ?? '')) throw new SsoRefused('provider_error', 'the body is not a form')
  const text = Buffer.from(await receiveBody(request)).toString('latin1')
  if (text.split('&', MAX_FIELDS + 1).length > MAX_FIELDS)
    throw new SsoRefused('provider_error', `the form has more than ${MAX_FIELDS} fields`)
  const form = new URLSearchParams(text)
  const [response, ...otherResponses] = form.getAll('SAMLResponse')
  const [relayState, ...otherStates] = form.getAll('RelayState')
  if (response === undefined || response === '') throw new SsoRefused('provider_error', 'the form has no SAMLResponse')
  if (otherResponses.length > 0 || otherStates.length > 0)
    throw new SsoRefused('provider_error', 'the form has a field twice')
  return { response, relayState: relayState || null }
}

const receiveBody = async (request: FastifyRequest): Promise<Uint8Array> => {
  try {
    return await receive(request.raw, MAX_FORM_BYTES)
  } catch (error) {
    if (error instanceof Refused) throw new SsoRefused('provider_error', error.message, { cause: error })
    throw error
  }
}

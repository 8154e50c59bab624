import { unescape } from 'node:querystring'
import type { FastifyRequest } from 'fastify'
import { Refused } from '../../commands/refused.ts'
import { receive } from '../requests/body.ts'
import { byteBudget } from '../requests/byte-budget.ts'
import { SsoRefused } from './provider.ts'

/** Maximum size of a form in bytes. It holds the largest accepted response, in base64 and with its escapes. */
const MAX_FORM_BYTES = 512 * 1024
/** Maximum bytes of all forms that are being received. */
const MAX_RECEIVING_BYTES = 32 * 1024 * 1024
/** Maximum number of fields. Providers send two. */
const MAX_FIELDS = 20

const FORM_TYPE = /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i

/** The form that a SAML provider lets the browser post. `relayState` is null if it is absent or empty. */
export type SamlForm = { readonly response: string; readonly relayState: string | null }

/**
 * Returns a function that receives the form of a SAML response (Bindings for SAML 2.0, 3.5). The function throws
 * `SsoRefused`, and `Busy` if too many forms are being received.
 */
export const samlForms = (): ((request: FastifyRequest) => Promise<SamlForm>) => {
  const budget = byteBudget(MAX_RECEIVING_BYTES, 'too many sign-ins are being received')
  return async (request) => {
    if (!FORM_TYPE.test(request.contentType ?? '')) throw new SsoRefused('provider_error', 'the body is not a form')
    const reservation = budget.enter()
    try {
      return formFields(await receive(request.raw, MAX_FORM_BYTES, reservation.grow))
    } catch (error) {
      if (error instanceof Refused) throw new SsoRefused('provider_error', error.message, { cause: error })
      throw error
    } finally {
      reservation.leave()
    }
  }
}

/**
 * Reads the two fields. `URLSearchParams` is not used: with a body of escapes it takes fifty times as long, and anyone
 * can send one.
 */
const formFields = (body: Uint8Array): SamlForm => {
  // A plus sign is a space.
  const text = Buffer.from(body.map((byte) => (byte === PLUS ? SPACE : byte))).toString('latin1')
  const pairs = text.split('&', MAX_FIELDS + 1)
  if (pairs.length > MAX_FIELDS) throw new SsoRefused('provider_error', `the form has more than ${MAX_FIELDS} fields`)
  const valuesOf = (name: string): string[] =>
    pairs.flatMap((pair) => (pair.startsWith(`${name}=`) ? [unescape(pair.slice(name.length + 1))] : []))
  const [response = '', ...otherResponses] = valuesOf('SAMLResponse')
  const [relayState = '', ...otherStates] = valuesOf('RelayState')
  if (response === '') throw new SsoRefused('provider_error', 'the form has no SAMLResponse')
  if (otherResponses.length > 0 || otherStates.length > 0)
    throw new SsoRefused('provider_error', 'the form has a field twice')
  return { response, relayState: relayState === '' ? null : relayState }
}

const PLUS = 0x2b
const SPACE = 0x20

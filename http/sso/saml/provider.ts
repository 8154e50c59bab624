import { randomBytes } from 'node:crypto'
import type { IdpMetadata, SamlProviderConfig } from '../config.ts'
import { SsoRefused, type SamlAssertion, type SamlProvider } from '../provider.ts'
import { providerKey } from '../transactions.ts'
import { checkResponse, checkStatus, readAssertion } from './assertion.ts'
import { decodeResponse } from './document.ts'
import { openIdpSource, type IdpMetadataSource, type SourceParts } from './idp-source.ts'
import { metadataOf, requestUrl } from './messages.ts'
import { verifiedAssertion } from './signatures.ts'
import { signersOf } from './signers.ts'
import { checkStructure, type SignedResponse } from './structure.ts'
import { parseXml } from './xml.ts'

export type SamlParts = Omit<SourceParts, 'provider'> & {
  /** The public URL of the service, without a slash at its end. */
  readonly publicUrl: string
  readonly clockSkewSecs: number
}

/**
 * Opens one SAML provider. It waits for the first attempt to fetch its metadata. Throws `UnusableMetadata` if there is a
 * URL that returns something else.
 */
export const createSamlProvider = async (config: SamlProviderConfig, parts: SamlParts): Promise<SamlProvider> => {
  const acsUrl = `${parts.publicUrl}/api/v1/auth/saml/${config.name}/acs`
  const service = { entityId: config.spEntityId, acsUrl }
  const source = await openIdpSource(config.idp, { ...parts, provider: providerKey(config) })
  return {
    metadata: () => metadataOf(service),

    start: async ({ relayState }) => {
      const requestId = `_${randomBytes(20).toString('hex')}`
      const request = { id: requestId, relayState, issuedAt: parts.now() }
      return { url: await requestUrl(service, await source.current(), request), requestId }
    },

    finish: async ({ response: field, requestId }): Promise<SamlAssertion> => {
      if (requestId === null && !config.allowIdpInitiated)
        throw new SsoRefused('invalid_state', 'a response came without a request')
      const xml = decodeResponse(field)
      const response = parseXml(xml)
      checkStatus(response)
      const signed = checkStructure(response)
      const { signers, idp } = await findSigners(signed, source)
      const expected = {
        ...config,
        issuer: idp.entityId,
        acsUrl,
        requestId,
        clockSkewMs: parts.clockSkewSecs * 1_000,
        at: parts.now(),
      }
      checkResponse(response, signed.responseSigned, expected)
      // The checks come first, because the library takes much longer. A response that was used before goes no further.
      readAssertion(signed.assertion, expected)
      // What counts is the element that the library verified, not that of the document.
      return readAssertion(parseXml(await verifiedAssertion(xml, signed, signers)), expected)
    },
  }
}

/**
 * The certificates that made the signatures of a response, and the metadata that has them. A signature that does not
 * verify may mean that the provider has a new key, so its metadata is read again.
 */
const findSigners = async (
  signed: SignedResponse,
  source: IdpMetadataSource,
): Promise<{ readonly signers: string[]; readonly idp: IdpMetadata }> => {
  const idp = await source.current()
  const signers = signersOf(signed, idp.certificates)
  if (signers !== null) return { signers, idp }
  const newer = await source.newerThan(idp)
  const second = newer && signersOf(signed, newer.certificates)
  if (!newer || !second) throw new SsoRefused('provider_error', 'a signature of the response does not verify')
  return { signers: second, idp: newer }
}

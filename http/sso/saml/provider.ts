import { randomBytes } from 'node:crypto'
import type { IdpMetadata, SamlProviderConfig } from '../config.ts'
import { SsoRefused } from '../provider.ts'
import type { SamlAssertion, SamlProvider } from '../provider.ts'
import { checkResponse, checkStatus, readAssertion } from './assertion.ts'
import { decodeResponse } from './document.ts'
import { openIdpSource } from './idp-source.ts'
import type { IdpMetadataSource, SourceParts } from './idp-source.ts'
import { metadataOf, requestUrl } from './messages.ts'
import { verifiedAssertion } from './signatures.ts'
import { checkStructure } from './structure.ts'
import type { SignedResponse } from './structure.ts'
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
  const source = await openIdpSource(config.idp, { ...parts, provider: config.name })
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
      const { assertion, idp } = await verified(xml, signed, source)
      const expected = {
        ...config,
        issuer: idp.entityId,
        acsUrl,
        requestId,
        clockSkewMs: parts.clockSkewSecs * 1_000,
        at: parts.now(),
      }
      checkResponse(response, signed.responseSigned, expected)
      // The element that is read is the one that the signature covers, not that of the document.
      return readAssertion(parseXml(assertion), expected)
    },
  }
}

/** The assertion that the signatures cover, and the metadata whose certificates verified them. */
const verified = async (
  xml: string,
  signed: SignedResponse,
  source: IdpMetadataSource,
): Promise<{ readonly assertion: string; readonly idp: IdpMetadata }> => {
  const idp = await source.current()
  const assertion = await verifiedAssertion(xml, signed, idp)
  if (assertion !== null) return { assertion, idp }
  const newer = await source.newerThan(idp)
  const second = newer && (await verifiedAssertion(xml, signed, newer))
  if (!newer || second === null) throw new SsoRefused('provider_error', 'a signature of the response does not verify')
  return { assertion: second, idp: newer }
}

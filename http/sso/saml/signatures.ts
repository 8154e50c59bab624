import { SAML, ValidateInResponseTo } from '@node-saml/node-saml'
import type { IdpMetadata } from '../config.ts'
import { acceptOnlySha2 } from './algorithms.ts'
import type { SignedResponse } from './structure.ts'

acceptOnlySha2()

/** The library keeps request ids here if it checks them. It does not: the transactions of the sign-in do. */
const noCache = {
  saveAsync: () => Promise.resolve(null),
  getAsync: () => Promise.resolve(null),
  removeAsync: () => Promise.resolve(null),
}

/**
 * Returns the XML of the assertion as the signature covers it, from a document that passed `decodeResponse` and
 * `checkStructure`; null if a signature of it does not verify with a certificate of the provider. Every signature that is
 * there must verify. Only signatures are checked here: times, audience and the rest are checked in `assertion.ts`,
 * with the clock of the service and with a reason for each refusal.
 */
export const verifiedAssertion = async (
  xml: string,
  { responseSigned, assertionSigned }: Pick<SignedResponse, 'responseSigned' | 'assertionSigned'>,
  idp: IdpMetadata,
): Promise<string | null> => {
  const saml = new SAML({
    idpCert: [...idp.certificates],
    // Required by the library, and used in requests alone, which it does not make here.
    callbackUrl: 'unused:',
    issuer: 'unused:',
    wantAuthnResponseSigned: responseSigned,
    wantAssertionsSigned: assertionSigned,
    audience: false,
    acceptedClockSkewMs: -1,
    validateInResponseTo: ValidateInResponseTo.never,
    cacheProvider: noCache,
  })
  try {
    const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: Buffer.from(xml).toString('base64') })
    return profile?.getAssertionXml?.() ?? null
  } catch {
    // The library throws plain errors, whose messages quote digests and values of the document.
    return null
  }
}

import { SAML, ValidateInResponseTo } from '@node-saml/node-saml'
import { SsoRefused } from '../provider.ts'
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
 * Returns the XML of the assertion as the signatures cover it, from a document that passed `decodeResponse` and
 * `checkStructure`. `signers` are the certificates of its signatures, and every signature that is there must verify with
 * one of them. Only signatures are checked here: times, audience and the rest are checked in `assertion.ts`, with the
 * clock of the service and with a reason for each refusal. Throws `SsoRefused` if the library refuses the document.
 */
export const verifiedAssertion = async (
  xml: string,
  { responseSigned, assertionSigned }: Pick<SignedResponse, 'responseSigned' | 'assertionSigned'>,
  signers: string[],
): Promise<string> => {
  const saml = new SAML({
    idpCert: signers,
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
  const verified = await saml
    .validatePostResponseAsync({ SAMLResponse: Buffer.from(xml).toString('base64') })
    // The library throws plain errors, whose messages quote digests and values of the document.
    .catch(() => null)
  const assertion = verified?.profile?.getAssertionXml?.()
  if (assertion === undefined) throw new SsoRefused('provider_error', 'the SAML library refuses the response')
  return assertion
}

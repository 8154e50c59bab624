import { expect, it } from 'vitest'
import { rsaKey } from '../../../support/sso/certificate.ts'
import { encodeResponse, signResponse, unsignedResponse } from '../../../support/sso/saml/saml-idp.ts'
import { configFor, FIELDS, openAt, REQUEST_ID } from '../../../support/sso/saml/saml-service.ts'
import { MORE_WRAPPING, WRAPPING } from '../../../support/sso/saml/saml-wrapping.ts'

const KEY = rsaKey()
const provider = await openAt(configFor(KEY))
const STRUCTURE =
  /^the response (?:has a Response in it|has more than one Assertion|has an id twice|has a Signature (?:in another place|of another element than its parent)|has a (?:Signature|SignedInfo) with other parts than it must have|has two Signatures of one element)$/

const attacks = (['response', 'assertion', 'both'] as const).flatMap((sign) =>
  [...Object.entries(WRAPPING), ...Object.entries(MORE_WRAPPING)].map(([name, attack]) => ({ sign, name, attack })),
)

it.each(attacks)(
  'signature wrapping is refused by the document structure, before any cryptography $sign signed: $name',
  async ({ sign, attack }) => {
    for (const prefixes of [
      ['saml', 'samlp'],
      ['', 'samlp'],
    ] as const) {
      const good = signResponse(unsignedResponse({ ...FIELDS, prefixes }), { key: KEY, sign })
      const response = encodeResponse(attack(good))
      const refused = provider.finish({ response, requestId: REQUEST_ID })
      await expect(refused).rejects.toMatchObject({
        code: 'provider_error',
        message: expect.stringMatching(STRUCTURE) as unknown,
      })
    }
  },
)

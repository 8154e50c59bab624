import { describe, expect, it } from 'vitest'
import { ecKey, rsaKey, type SigningKey } from '../../../support/sso/certificate.ts'
import { encodeResponse, samlResponse, signResponse, unsignedResponse } from '../../../support/sso/saml/saml-idp.ts'
import { AT, CLOCK_SKEW_SECS, configFor, FIELDS, openAt, REQUEST_ID } from '../../../support/sso/saml/saml-service.ts'

const KEYS = { RSA: rsaKey(), 'P-256': ecKey('P-256'), 'P-384': ecKey('P-384'), 'P-521': ecKey('P-521') } as const
const KEY = KEYS.RSA
const ADA = {
  subject: 'ada@example.com',
  email: 'ada@example.com',
  groups: [],
  assertion: { id: '_assertion-1', until: AT + 300_000 + CLOCK_SKEW_SECS * 1_000 },
}

const finish = async (response: string, key: SigningKey = KEY) =>
  (await openAt(configFor(key))).finish({ response, requestId: REQUEST_ID })

describe('a good response is accepted', () => {
  it.each(['response', 'assertion', 'both'] as const)('with a signature of %s', async (sign) =>
    expect(await finish(samlResponse(FIELDS, { key: KEY, sign }))).toEqual(ADA),
  )

  it.each(
    (['RSA', 'P-256', 'P-384', 'P-521'] as const).flatMap((name) =>
      (['sha256', 'sha384', 'sha512'] as const).map((hash) => [name, hash] as const),
    ),
  )('with a key of %s and %s', async (name, hash) =>
    expect(await finish(samlResponse(FIELDS, { key: KEYS[name], sign: 'both', hash }), KEYS[name])).toEqual(ADA),
  )

  it.each(['sha256', 'sha384', 'sha512'] as const)('with the digest %s under another hash', async (digest) =>
    expect(await finish(samlResponse(FIELDS, { key: KEY, sign: 'both', hash: 'sha256', digest }))).toEqual(ADA),
  )

  it.each([[['saml', 'samlp']], [['saml2', 'saml2p']], [['', 'samlp']], [['saml', '']], [['', '']]] as ReadonlyArray<
    [[string, string]]
  >)('with the prefixes %j', async (prefixes) => {
    for (const sign of ['response', 'assertion', 'both'] as const)
      for (const pretty of [false, true])
        expect(await finish(samlResponse({ ...FIELDS, prefixes, pretty }, { key: KEY, sign }))).toEqual(ADA)
  })

  it('with CRLF line ends', async () => {
    const signed = signResponse(unsignedResponse({ ...FIELDS, pretty: true }), { key: KEY, sign: 'both' })
    expect(await finish(encodeResponse(signed.replaceAll('\n', '\r\n')))).toEqual(ADA)
  })

  it('with carriage returns as references in the signature, as some signers write them', async () => {
    const signed = signResponse(unsignedResponse(FIELDS), { key: KEY, sign: 'assertion' })
    const broken = signed.replaceAll(/(<ds:(?:SignatureValue|X509Certificate)>.{60})/g, '$1&#13;\n')
    expect(broken).not.toBe(signed)
    expect(await finish(encodeResponse(broken))).toEqual(ADA)
  })

  it.each(['response', 'assertion'] as const)('with a list of prefixes in the signature of the %s', async (sign) => {
    // `xs` is declared around the signed elements, and used in a value alone, where a canonicalization does not see it.
    const xml = unsignedResponse(FIELDS).replace('<samlp:Response', '$& xmlns:xs="http://www.w3.org/2001/XMLSchema"')
    const signed = signResponse(xml, { key: KEY, sign, prefixList: ['xs'] })
    expect(signed).toContain('PrefixList="xs"')
    expect(await finish(encodeResponse(signed))).toEqual(ADA)
  })

  it('signed by two keys of the provider', async () => {
    const inner = signResponse(unsignedResponse(FIELDS), { key: KEYS['P-256'], sign: 'assertion' })
    const response = encodeResponse(signResponse(inner, { key: KEY, sign: 'response' }))
    const provider = await openAt(configFor(KEYS['P-256'], KEY))
    expect(await provider.finish({ response, requestId: REQUEST_ID })).toEqual(ADA)
  })

  it('with an XML declaration, a byte order mark and line ends in the base64', async () => {
    const signed = signResponse(unsignedResponse(FIELDS), { key: KEY, sign: 'both' })
    const field = encodeResponse(`\uFEFF<?xml version="1.0" encoding="UTF-8"?>\r\n${signed}\n`)
    expect(await finish(field.replaceAll(/.{76}/g, '$&\r\n'))).toEqual(ADA)
  })

  it('signed with the second certificate of the provider', async () => {
    const provider = await openAt(configFor(KEYS['P-256'], KEY))
    const response = samlResponse(FIELDS, { key: KEY, sign: 'both' })
    expect(await provider.finish({ response, requestId: REQUEST_ID })).toEqual(ADA)
  })

  it('without a request, if the provider may start sign-ins', async () => {
    const provider = await openAt({ ...configFor(KEY), allowIdpInitiated: true })
    const response = samlResponse({ ...FIELDS, requestId: null }, { key: KEY, sign: 'both' })
    expect(await provider.finish({ response, requestId: null })).toEqual(ADA)
  })

  it('with names of many scripts, and characters that XML escapes', async () => {
    const nameId = `Ada & <Łukasz> "名前" 'O’Brien' \u{1F600}`
    const response = samlResponse({ ...FIELDS, nameId, nameIdFormat: null }, { key: KEY, sign: 'both' })
    expect(await finish(response)).toMatchObject({ subject: nameId, email: null })
  })
})

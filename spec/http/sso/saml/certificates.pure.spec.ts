import { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readCertificates, UnusableCertificate, validUntil } from '../../../../http/sso/saml/certificates.ts'
import { CERTIFICATES, pemOf } from '../../../support/sso/saml/idp-certificates.ts'

describe('the certificates of an identity provider', () => {
  it.each([
    ['in PEM', pemOf('RSA'), [pemOf('RSA')]],
    ['in base64', CERTIFICATES.RSA, [pemOf('RSA')]],
    ['in base64 on several lines', ` ${CERTIFICATES.RSA.replaceAll(/.{76}/g, '$&\r\n')}\n`, [pemOf('RSA')]],
    ['in PEM on one line', pemOf('RSA').replaceAll('\n', ' '), [pemOf('RSA')]],
    ['in PEM with Windows line ends', pemOf('P256').replaceAll('\n', '\r\n'), [pemOf('P256')]],
    ['in several blocks', `\n${pemOf('RSA')}${pemOf('P384')}\n${pemOf('RSA')}`, [pemOf('RSA'), pemOf('P384')]],
  ])('are read %s', (_, text, read) => expect(readCertificates(text)).toEqual(read))

  const KEY = pemOf('RSA').replaceAll('CERTIFICATE', 'PRIVATE KEY')
  it.each([
    ['an empty text', '', 'is not a certificate'],
    ['a word', 'not-a-certificate', 'is not a certificate'],
    ['base64 of something else', 'c2VjcmV0', 'is not an X.509 certificate'],
    ['a cut certificate', CERTIFICATES.RSA.slice(0, 400), 'is not an X.509 certificate'],
    ['an empty block', '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----', 'is not a certificate'],
    ['a path', '/etc/ers/idp.pem', 'is not a certificate'],
    ['a PEM that is cut off', pemOf('RSA').slice(0, 400), 'is not a certificate'],
    [
      'escaped line ends',
      pemOf('RSA').replaceAll('\n', String.raw`\n`),
      String.raw`contains \n as two characters: use real line breaks, or the base64 alone on one line`,
    ],
    ['a private key', KEY, 'is not a certificate'],
    ['a private key after it', pemOf('RSA') + KEY, 'is surrounded by something that is not a certificate'],
    ['a short key', pemOf('RSA') + pemOf('RSA_SHORT'), 'has an RSA key of 1024 bits; at least 2048 are required'],
    ['another curve', CERTIFICATES.SECP256K1, 'has an EC key of another curve than P-256, P-384 and P-521'],
    ['another kind of key', CERTIFICATES.ED25519, 'has a key that is neither RSA nor EC'],
  ])('are refused with %s', (_, text, reason) =>
    expect(() => readCertificates(text)).toThrow(new UnusableCertificate(reason)),
  )

  it('have an end', () => {
    expect(validUntil(pemOf('P256'))).toBe(Date.parse(new X509Certificate(pemOf('P256')).validTo))
    expect(new Date(validUntil(pemOf('P256'))).getUTCFullYear()).toBe(2126)
  })
})

import type { ServerResponse } from 'node:http'
import { inspect } from 'node:util'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { SsoRefused } from '../../../../http/sso/provider.ts'
import { ISSUED_AT, startHostileOidc, type Claims } from '../../../support/sso/oidc/hostile-oidc.ts'
import { ecKey, edKey, hmacJwt, jwt, publicJwk, rsaKey } from '../../../support/sso/oidc/jwt.ts'
import { openForSpec, refusal, transactionOf } from '../../../support/sso/oidc/oidc-sign-in.ts'

const TRANSACTION = transactionOf('ID tokens')
const { state, nonce } = TRANSACTION
const ADA = { subject: 'the-subject', email: 'ada@example.com', groups: ['staff'] }
afterAll(() => hostile.close())
beforeEach(() => void Object.assign(hostile.behaviour, usual))

/** A sign-in in which the provider sends an ID token with these claims, at a time in epoch seconds. */
const finish = (atSecs = ISSUED_AT, config = {}) =>
  openForSpec(hostile, config, { now: () => atSecs * 1000 }).provider.finish({
    ...TRANSACTION,
    query: new URLSearchParams({ code: 'the-code', state }),
  })

/** The ID token is correct but for these claims. Undefined removes one. */
const send = (changes: Claims): void => {
  hostile.behaviour.idToken = (claims) =>
    jwt({ alg: 'RS256', kid: hostile.key.kid }, { ...claims, nonce, ...changes }, hostile.key)
}

/** The code of the refusal. Checks that the refusal contains nothing that must not be logged. */
const refusedWith = async (attempt: Promise<unknown>): Promise<string> => {
  const refused = await refusal(attempt)
  expect(inspect(refused, { depth: null })).not.toMatch(
    new RegExp(
      `the-(?:code|subject|access-token|client-secret)|ada@|eyJ|${TRANSACTION.codeVerifier}|${nonce}|${state}`,
    ),
  )
  return refused.code
}
const hostile = await startHostileOidc()
const usual = { ...hostile.behaviour }

describe('an ID token is accepted', () => {
  it('if it is signed by the provider and has the nonce', async () => {
    send({})
    expect(await finish()).toEqual(ADA)
  })

  it.each([
    ['RS256', rsaKey('rs')],
    ['PS256', rsaKey('ps')],
    ['ES256', ecKey('es')],
    ['EdDSA', edKey('ed')],
  ])('if it is signed with %s', async (alg, key) => {
    hostile.behaviour.keys = () => ({ keys: [publicJwk(hostile.key), publicJwk(key)] })
    hostile.behaviour.idToken = (claims) => jwt({ alg, kid: key.kid }, { ...claims, nonce }, key)
    expect(await finish()).toEqual(ADA)
  })

  it.each<[string, Claims]>([
    ['for several audiences, issued to this client', { aud: ['the-client', 'other'], azp: 'the-client' }],
    ['for an audience in a list', { aud: ['the-client'] }],
  ])('%s', async (_, claims) => {
    send(claims)
    expect(await finish()).toEqual(ADA)
  })

  it('with a subject of 255 characters', async () => {
    send({ sub: 's'.repeat(255) })
    expect(await finish()).toEqual({ ...ADA, subject: 's'.repeat(255) })
  })
})

describe('an ID token is refused', () => {
  it.each<[string, Claims]>([
    ['another issuer', { iss: 'https://other.example' }],
    ['no issuer', { iss: undefined }],
    ['another audience', { aud: 'other' }],
    ['no audience', { aud: undefined }],
    ['an audience that contains the client id', { aud: 'the-client-2' }],
    ['several audiences, issued to none', { aud: ['the-client', 'other'] }],
    ['several audiences, issued to another client', { aud: ['the-client', 'other'], azp: 'other' }],
    ['one audience, issued to another client', { azp: 'other' }],
    ['another nonce', { nonce: 'other' }],
    ['no nonce', { nonce: undefined }],
    ['a nonce in a list', { nonce: [nonce] }],
    ['no subject', { sub: undefined }],
    ['a number as the subject', { sub: 7 }],
    ['null as the subject', { sub: null }],
    ['an empty subject', { sub: '' }],
    ['a subject of 256 characters', { sub: 's'.repeat(256) }],
    ['a subject with NUL', { sub: 'the-\0subject' }],
    ['a subject with half a character', { sub: 'the-subject\ud800' }],
    ['no expiry', { exp: undefined }],
    ['a text as the expiry', { exp: String(ISSUED_AT + 300) }],
    ['no time of issue', { iat: undefined }],
    ['a text as the time of issue', { iat: 'yesterday' }],
    ['a text as the start of its validity', { nbf: 'now' }],
  ])('with %s', async (_, claims) => {
    send(claims)
    expect(await refusedWith(finish())).toBe('provider_error')
  })

  const signed: ReadonlyArray<[string, (claims: Claims) => string | undefined]> = [
    ['by another key with the same id', (claims) => jwt({ alg: 'RS256', kid: 'first' }, claims, rsaKey('first'))],
    ['by a key with an unknown id', (claims) => jwt({ alg: 'RS256', kid: 'other' }, claims, rsaKey('other'))],
    [
      'by a key in its header',
      (claims) => {
        const own = rsaKey('own')
        return jwt({ alg: 'RS256', jwk: publicJwk(own) }, claims, own)
      },
    ],
    ['with the algorithm none', (claims) => jwt({ alg: 'none' }, claims, hostile.key)],
    [
      'with the algorithm none and the id of a key',
      (claims) => jwt({ alg: 'none', kid: 'first' }, claims, hostile.key),
    ],
    ['with the algorithm nOnE', (claims) => jwt({ alg: 'nOnE', kid: 'first' }, claims, hostile.key)],
    ['without an algorithm', (claims) => jwt({ kid: 'first' }, claims, hostile.key)],
    ['with a list as the algorithm', (claims) => jwt({ alg: ['RS256'], kid: 'first' }, claims, hostile.key)],
    [
      'with a critical extension',
      (claims) => jwt({ alg: 'RS256', kid: 'first', crit: ['x'], x: 1 }, claims, hostile.key),
    ],
    [
      'with HS256 and the public key as PEM',
      (claims) =>
        hmacJwt(
          { alg: 'HS256', kid: 'first' },
          claims,
          hostile.key.publicKey.export({ format: 'pem', type: 'spki' }).toString(),
        ),
    ],
    ['with HS256 and the client secret', (claims) => hmacJwt({ alg: 'HS256' }, claims, 'the-client-secret')],
    [
      'for other claims',
      (claims) => {
        const [header, , signature] = jwt({ alg: 'RS256', kid: 'first' }, claims, hostile.key).split('.')
        const forged = Buffer.from(JSON.stringify({ ...claims, sub: 'root' })).toString('base64url')
        return `${header}.${forged}.${signature}`
      },
    ],
    [
      'with an empty signature',
      (claims) => {
        const token = jwt({ alg: 'RS256', kid: 'first' }, claims, hostile.key)
        return token.slice(0, token.lastIndexOf('.') + 1)
      },
    ],
  ]
  it.each(signed)('signed %s', async (_, idToken) => {
    hostile.behaviour.idToken = (claims) => idToken({ ...claims, nonce })
    expect(await refusedWith(finish())).toBe('provider_error')
  })

  it.each<[string, string | undefined]>([
    ['is missing', undefined],
    ['is empty', ''],
    ['is no JWT', 'the-token'],
    ['is encrypted', 'eyJhbGciOiJSU0EtT0FFUCJ9.eyJ.eyJ.eyJ.eyJ'],
    ['has no JSON', 'e30.bm8.bm8'],
  ])('if it %s', async (_, idToken) => {
    hostile.behaviour.idToken = () => idToken
    expect(await refusedWith(finish())).toBe('provider_error')
  })

  it.each<[string, () => unknown]>([
    ['is for encryption', () => ({ ...publicJwk(hostile.key), use: 'enc' })],
    ['is for another algorithm', () => ({ ...publicJwk(hostile.key), alg: 'PS256' })],
    ['has no modulus', () => ({ kty: 'RSA', kid: 'first', e: 'AQAB' })],
    ['is a shared secret', () => ({ kty: 'oct', kid: 'first', k: 'AAAA' })],
    ['is a text', () => 'key'],
  ])('if the key of the provider %s', async (_, key) => {
    send({})
    hostile.behaviour.keys = () => ({ keys: [key()] })
    expect(await refusedWith(finish())).toBe('provider_error')
  })

  it('if the key of the provider is an RSA key of 1024 bits', async () => {
    const weak = rsaKey('weak', 1024)
    hostile.behaviour.keys = () => ({ keys: [publicJwk(weak)] })
    hostile.behaviour.idToken = (claims) => jwt({ alg: 'RS256', kid: 'weak' }, { ...claims, nonce }, weak)
    expect(await refusedWith(finish())).toBe('provider_error')
  })
})

describe('the times of an ID token', () => {
  const outcome = async (claims: Claims, atSecs: number): Promise<string> => {
    send(claims)
    try {
      await finish(atSecs)
      return 'accepted'
    } catch (error) {
      if (error instanceof SsoRefused) return error.code
      throw error
    }
  }
  // The skew is 60 seconds.
  it.each<[string, Claims, number, string]>([
    ['a second before the end of the tolerance', {}, ISSUED_AT + 359, 'accepted'],
    ['at the end of the tolerance', {}, ISSUED_AT + 360, 'expired'],
    ['long after the expiry', {}, ISSUED_AT + 86_400, 'expired'],
    ['before the time of issue, within the tolerance', {}, ISSUED_AT - 60, 'accepted'],
    ['before the time of issue and the tolerance', {}, ISSUED_AT - 61, 'expired'],
    ['before the start of its validity, within the tolerance', { nbf: ISSUED_AT + 60 }, ISSUED_AT, 'accepted'],
    ['before the start of its validity and the tolerance', { nbf: ISSUED_AT + 61 }, ISSUED_AT, 'expired'],
    ['with a time of issue without end', { iat: 1e300 }, ISSUED_AT, 'expired'],
  ])('%s', async (_, claims, atSecs, expected) => expect(await outcome(claims, atSecs)).toBe(expected))

  it('count only after the signature', async () => {
    hostile.behaviour.idToken = (claims) =>
      jwt({ alg: 'RS256', kid: 'first' }, { ...claims, nonce, exp: 1 }, rsaKey('first'))
    expect(await refusedWith(finish())).toBe('provider_error')
  })
})

describe('an ID token that cannot be verified', () => {
  it('leads to one more read of metadata and keys, and the code is redeemed once', async () => {
    hostile.behaviour.idToken = (claims) => jwt({ alg: 'RS256', kid: 'other' }, { ...claims, nonce }, rsaKey('other'))
    const before = hostile.requests.length
    expect(await refusedWith(finish())).toBe('provider_error')
    expect(hostile.requests.slice(before)).toEqual(['metadata', 'tokens', 'keys', 'metadata', 'keys'])
  })

  it('leads to no read if a claim has the wrong value', async () => {
    send({ aud: 'other' })
    const before = hostile.requests.length
    expect(await refusedWith(finish())).toBe('provider_error')
    expect(hostile.requests.slice(before)).toEqual(['metadata', 'tokens'])
  })

  it('leads to one read for concurrent sign-ins', async () => {
    const { provider } = openForSpec(hostile, {}, { now: () => ISSUED_AT * 1000 })
    const query = new URLSearchParams({ code: 'the-code', state })
    send({})
    await provider.finish({ ...TRANSACTION, query })
    const next = rsaKey('next')
    hostile.behaviour.keys = () => ({ keys: [publicJwk(next)] })
    hostile.behaviour.idToken = (claims) => jwt({ alg: 'RS256', kid: 'next' }, { ...claims, nonce }, next)
    const before = hostile.requests.length
    const results = await Promise.all([1, 2, 3, 4].map(() => provider.finish({ ...TRANSACTION, query })))
    expect(results).toEqual([ADA, ADA, ADA, ADA])
    expect(hostile.requests.slice(before).filter((endpoint) => endpoint === 'metadata')).toHaveLength(1)
  })

  it('leads to no read if another sign-in has read both since', async () => {
    const { provider } = openForSpec(hostile, {}, { now: () => ISSUED_AT * 1000 })
    const finishOnce = () =>
      provider.finish({ ...TRANSACTION, query: new URLSearchParams({ code: 'the-code', state }) })
    send({})
    await finishOnce()
    const next = rsaKey('next')
    hostile.behaviour.keys = () => ({ keys: [publicJwk(next)] })
    hostile.behaviour.idToken = (claims) => jwt({ alg: 'RS256', kid: 'next' }, { ...claims, nonce }, next)
    // The slow one waits for its tokens while the fast one notices that the keys were replaced.
    const asked = Promise.withResolvers<ServerResponse>()
    hostile.behaviour.respond = { tokens: asked.resolve }
    const slow = finishOnce()
    const response = await asked.promise
    hostile.behaviour.respond = {}
    expect(await finishOnce()).toEqual(ADA)
    const before = hostile.requests.length
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(hostile.tokens()))
    expect(await slow).toEqual(ADA)
    expect(hostile.requests.length).toBe(before)
  })

  it('because its keys could not be read makes the next sign-in read the keys', async () => {
    const { provider } = openForSpec(hostile, {}, { now: () => ISSUED_AT * 1000 })
    const finishOnce = () =>
      provider.finish({ ...TRANSACTION, query: new URLSearchParams({ code: 'the-code', state }) })
    send({})
    hostile.behaviour.respond = { keys: (response) => void response.writeHead(503).end() }
    expect(await refusedWith(finishOnce())).toBe('provider_error')
    hostile.behaviour.respond = {}
    const before = hostile.requests.length
    expect(await finishOnce()).toEqual(ADA)
    expect(hostile.requests.slice(before)).toEqual(['tokens', 'keys'])
  })
})

describe('the message of a refusal', () => {
  it.each<[string, Claims]>([
    ['the ID token cannot be accepted: OAUTH_JWT_CLAIM_COMPARISON_FAILED (aud)', { aud: 'other' }],
    ['the ID token cannot be accepted: OAUTH_JWT_CLAIM_COMPARISON_FAILED (nonce)', { nonce: 'other' }],
    ['the ID token cannot be verified: OAUTH_INVALID_RESPONSE', { exp: undefined }],
    ['the ID token was issued to another client', { azp: 'other' }],
    ['the ID token has no valid subject', { sub: '' }],
  ])('%s', async (message, claims) => {
    send(claims)
    expect((await refusal(finish())).message).toBe(message)
  })

  it('names the signature', async () => {
    hostile.behaviour.idToken = (claims) => jwt({ alg: 'RS256', kid: 'first' }, { ...claims, nonce }, rsaKey('first'))
    const { message } = await refusal(finish())
    expect(message).toBe('the ID token cannot be verified: OAUTH_INVALID_RESPONSE (signature)')
  })
})

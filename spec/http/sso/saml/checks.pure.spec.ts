import { describe, expect, it } from 'vitest'
import { rsaKey } from '../../../support/sso/certificate.ts'
import { samlResponse, type ResponseFields, type Signed } from '../../../support/sso/saml/saml-idp.ts'
import {
  ACS,
  AT,
  CLOCK_SKEW_SECS,
  configFor,
  FIELDS,
  openAt,
  PUBLIC_URL,
  REQUEST_ID,
} from '../../../support/sso/saml/saml-service.ts'

const KEY = rsaKey()
const config = configFor(KEY)
const SKEW_MS = CLOCK_SKEW_SECS * 1_000
const at = (ms: number): string => new Date(AT + ms).toISOString()

type Fields = Partial<ResponseFields>
const SIGNS = ['response', 'assertion', 'both'] as const

/** The outcome of a response that is ordinary but for some fields: whom it names, or the refusal. */
const outcomeOf = async (
  fields: Fields,
  {
    sign = 'both',
    requestId = REQUEST_ID,
    ...more
  }: { sign?: Signed['sign']; requestId?: string | null } & Partial<typeof config> = {},
): Promise<unknown> => {
  const provider = await openAt({ ...config, ...more })
  const response = samlResponse({ ...FIELDS, ...fields }, { key: KEY, sign })
  return provider.finish({ response, requestId }).catch((error: unknown) => error)
}
const refusal = (code: string, reason: RegExp) => ({ code, message: expect.stringMatching(reason) as unknown })
const ACCEPTED = { subject: 'ada@example.com' }

type Case = readonly [name: string, fields: Fields, reason: RegExp]

describe.each(SIGNS)('%s signed: an assertion for another place is refused:', (sign) => {
  const OTHER = `${PUBLIC_URL}/api/v1/auth/saml/other/acs`
  it.each<Case>([
    ['another audience', { audience: 'https://other.example' }, /another audience/],
    ['no audience', { audience: null }, /another audience/],
    ['the audience in other case', { audience: FIELDS.audience?.toUpperCase() ?? '' }, /another audience/],
    [
      'a second restriction to another audience',
      { moreConditions: '<saml:AudienceRestriction><saml:Audience>x</saml:Audience></saml:AudienceRestriction>' },
      /another audience/,
    ],
    ['an empty restriction', { moreConditions: '<saml:AudienceRestriction/>' }, /another audience/],
    ['another recipient', { recipient: 'https://other.example/acs' }, /another recipient/],
    ['no recipient', { recipient: null }, /another recipient/],
    ['another provider of this service', { recipient: OTHER, destination: OTHER }, /another (?:destination|recipient)/],
    ['another destination', { destination: OTHER }, /another destination/],
    ['an empty destination', { destination: '' }, /another destination/],
    ['a destination that only starts the same', { destination: `${ACS}/x` }, /another destination/],
    [
      'another issuer of the assertion',
      { assertionIssuer: 'https://other.example' },
      /the issuer of the Assertion is not the entity id of the provider/,
    ],
    [
      'another issuer of the response',
      { responseIssuer: 'https://other.example' },
      /the issuer of the Response is not the entity id of the provider/,
    ],
    ['version 1.1', { version: '1.1' }, /is not of version 2\.0/],
    [
      'a confirmation for the holder of a key alone',
      { method: 'urn:oasis:names:tc:SAML:2.0:cm:holder-of-key' },
      /exactly one SubjectConfirmation/,
    ],
    ['a condition that is not known', { moreConditions: '<x:Rule xmlns:x="urn:x"/>' }, /a condition that is not known/],
    ['no AuthnStatement', { statements: '<saml:AuthzDecisionStatement/>' }, /has no AuthnStatement/],
  ])('%s', async (_, fields, reason) =>
    expect(await outcomeOf(fields, { sign })).toMatchObject(refusal('provider_error', reason)),
  )
})

it('a response for another provider with the same keys is refused', async () => {
  const response = samlResponse(FIELDS, { key: KEY, sign: 'both' })
  const other = await openAt({ ...config, name: 'other' })
  await expect(other.finish({ response, requestId: REQUEST_ID })).rejects.toMatchObject(
    refusal('provider_error', /another destination/),
  )
})

describe('a destination', () => {
  it.each(['response', 'both'] as const)('is required if the response is signed (%s)', async (sign) =>
    expect(await outcomeOf({ destination: null }, { sign })).toMatchObject(
      refusal('provider_error', /another destination/),
    ),
  )
  it('may be absent if the assertion alone is signed', async () =>
    expect(await outcomeOf({ destination: null }, { sign: 'assertion' })).toMatchObject(ACCEPTED))
})

it('an issuer may be absent from the response, not from the assertion', async () => {
  const sign = 'assertion'
  expect(await outcomeOf({ responseIssuer: null }, { sign })).toMatchObject(ACCEPTED)
  const missing = await outcomeOf({ assertionIssuer: null }, { sign: 'response' })
  expect(missing).toMatchObject(refusal('provider_error', /must have exactly one Issuer/))
})

describe.each(SIGNS)('%s signed: the request', (sign) => {
  it.each<readonly [string, Fields]>([
    ['another request', { requestId: '_request-2' }],
    ['no request', { requestId: null }],
    ['another request in the Response', { responseInResponseTo: '_request-2' }],
    ['no request in the Response', { responseInResponseTo: null }],
    ['another request in the Subject', { subjectInResponseTo: '_request-2' }],
    ['no request in the Subject', { subjectInResponseTo: null }],
  ])('%s', async (_, fields) =>
    expect(await outcomeOf(fields, { sign })).toMatchObject(refusal('invalid_state', /answers another request/)),
  )

  it('a response without a request is refused unless the provider may start sign-ins', async () => {
    const fields = { requestId: null }
    expect(await outcomeOf(fields, { sign, requestId: null })).toMatchObject(
      refusal('invalid_state', /without a request/),
    )
    expect(await outcomeOf(fields, { sign, requestId: null, allowIdpInitiated: true })).toMatchObject(ACCEPTED)
  })

  it('a response to a request is not taken for one without', async () =>
    expect(await outcomeOf({}, { sign, requestId: null, allowIdpInitiated: true })).toMatchObject(
      refusal('invalid_state', /answers another request/),
    ))
})

describe.each(SIGNS)('%s signed: the time', (sign) => {
  it.each<Case>([
    ['expired conditions', { notOnOrAfter: at(-SKEW_MS) }, /the Conditions is too old/],
    ['an expired confirmation', { subjectNotOnOrAfter: at(-SKEW_MS) }, /the SubjectConfirmationData is too old/],
    ['an expired session', { sessionNotOnOrAfter: at(-SKEW_MS) }, /the AuthnStatement is too old/],
    ['conditions not valid yet', { notBefore: at(SKEW_MS + 1) }, /the Conditions is not valid yet/],
    ['an issue in the future', { issueInstant: at(SKEW_MS + 1) }, /the Response is not valid yet/],
    [
      'a sign-in in the future',
      { statements: `<saml:AuthnStatement AuthnInstant="${at(SKEW_MS + 1)}"/>` },
      /the AuthnStatement is not valid yet/,
    ],
    ['years later', { at: AT - 3 * 365 * 86_400_000 }, /is too old/],
  ])('%s', async (_, fields, reason) =>
    expect(await outcomeOf(fields, { sign })).toMatchObject(refusal('expired', reason)),
  )

  it.each<readonly [string, Fields]>([
    [
      'the last millisecond',
      { notOnOrAfter: at(1 - SKEW_MS), subjectNotOnOrAfter: at(1 - SKEW_MS), sessionNotOnOrAfter: at(1 - SKEW_MS) },
    ],
    ['the first millisecond', { notBefore: at(SKEW_MS), issueInstant: at(SKEW_MS) }],
    ['conditions without a window', { notBefore: null, notOnOrAfter: null }],
    ['another zone', { notOnOrAfter: '2026-11-23T14:00:00.123456789+02:00' }],
  ])('is right with %s', async (_, fields) => expect(await outcomeOf(fields, { sign })).toMatchObject(ACCEPTED))

  it.each<Case>([
    ['no end of the confirmation', { subjectNotOnOrAfter: null }, /has no NotOnOrAfter/],
    ['a local time', { notOnOrAfter: '2026-11-23T14:00:00' }, /is not an instant/],
    ['a date alone', { notOnOrAfter: '2026-11-24' }, /is not an instant/],
    ['a day that does not exist', { notOnOrAfter: '2027-02-30T00:00:00Z' }, /is not an instant/],
    ['an hour that does not exist', { notBefore: '2026-11-23T25:00:00Z' }, /is not an instant/],
    ['words', { subjectNotOnOrAfter: 'tomorrow' }, /is not an instant/],
    ['an empty text', { notOnOrAfter: '' }, /is not an instant/],
  ])('is not guessed from %s', async (_, fields, reason) =>
    expect(await outcomeOf(fields, { sign })).toMatchObject(refusal('provider_error', reason)),
  )
})

it('a missing IssueInstant is refused', async () =>
  expect(await outcomeOf({ issueInstant: '' })).toMatchObject(
    refusal('provider_error', /IssueInstant of the Response is not an instant/),
  ))

it('the end of the assertion that a second use is compared with has the clock skew', async () =>
  expect(await outcomeOf({ subjectNotOnOrAfter: at(1_000), assertionId: '_unique' })).toMatchObject({
    assertion: { id: '_unique', until: AT + 1_000 + SKEW_MS },
  }))

describe('the name', () => {
  const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'
  it.each<Case>([
    ['transient', { nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' }, /is transient/],
    ['empty', { nameId: '' }, /is empty/],
    ['of spaces', { nameId: '  ' }, /is empty/],
    ['too long', { nameId: 'x'.repeat(1_025) }, /more than 1024 characters/],
    ['of two lines', { nameId: 'ada\nadmin' }, /has control characters/],
    ['of two lines by a separator', { nameId: 'ada\u0085admin' }, /has control characters|does not verify/],
  ])('is refused if it is %s', async (_, fields, reason) =>
    expect(await outcomeOf(fields)).toMatchObject(refusal('provider_error', reason)),
  )

  it.each([['ada'], [' ada '], ['ADA'], ['x'.repeat(1_024)], ['__proto__'], ['Ada\u00A0']])(
    '%j stays as it is',
    async (nameId) =>
      expect(await outcomeOf({ nameId, nameIdFormat: PERSISTENT })).toMatchObject({ subject: nameId, email: null }),
  )
})

describe('the e-mail address', () => {
  const attributes = [
    { name: 'urn:oid:0.9.2342.19200300.100.1.3', friendlyName: 'mail', values: ['by-friendly-name@example.com'] },
    { name: 'mail', values: ['by-mail@example.com'] },
    { name: 'Email', values: ['by-other-case@example.com'] },
    { name: 'work', values: ['', 'by-work@example.com', 'second@example.com'] },
    { name: 'work', values: ['third@example.com'] },
  ]
  const email = { name: 'email', values: ['by-email@example.com'] }
  const none = { nameIdFormat: null, nameId: 'ada' }
  it.each<readonly [string, Fields, string | null, string | null]>([
    ['the NameID of that format', { attributes: [...attributes, email] }, null, 'ada@example.com'],
    ['the attribute email', { ...none, attributes: [...attributes, email] }, null, 'by-email@example.com'],
    ['the attribute mail', { ...none, attributes }, null, 'by-mail@example.com'],
    [
      'the attribute with that friendly name',
      { ...none, attributes: attributes.slice(0, 1) },
      null,
      'by-friendly-name@example.com',
    ],
    ['the first value of the configured attribute', { attributes }, 'work', 'by-work@example.com'],
    ['nothing without attributes', { ...none }, null, null],
    ['nothing without the configured attribute', { attributes }, 'upn', null],
  ])('is %s', async (_, fields, emailAttr, expected) =>
    expect(await outcomeOf(fields, { emailAttr })).toMatchObject({ email: expected }),
  )
  it('has no control characters', async () =>
    expect(await outcomeOf({ ...none, attributes: [{ name: 'email', values: ['a\nb@example.com'] }] })).toMatchObject(
      refusal('provider_error', /e-mail address has control characters/),
    ))
})

describe('the groups', () => {
  it('are all values of the attribute, by name and by friendly name', async () =>
    expect(
      await outcomeOf({
        attributes: [
          { name: 'groups', values: ['a', 'b'] },
          { name: 'urn:x:groups', friendlyName: 'groups', values: ['c', ''] },
          { name: 'groups', values: ['A'] },
          { name: 'Groups', values: ['not this'] },
        ],
      }),
    ).toMatchObject({ groups: ['a', 'b', 'A', 'c'] }))
  it('have another attribute if it is configured', async () =>
    expect(
      await outcomeOf(
        {
          attributes: [
            { name: 'memberOf', values: ['a'] },
            { name: 'groups', values: ['b'] },
          ],
        },
        { groupsAttr: 'memberOf' },
      ),
    ).toMatchObject({ groups: ['a'] }))
  it('may be in an attribute whose name is that of a property of every object', async () =>
    expect(
      await outcomeOf({ attributes: [{ name: '__proto__', values: ['a'] }] }, { groupsAttr: '__proto__' }),
    ).toMatchObject({ groups: ['a'] }))
})

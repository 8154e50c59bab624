import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ecKey, rsaKey } from '../../../support/sso/certificate.ts'
import { encodeResponse, signResponse, unsignedResponse } from '../../../support/sso/saml/saml-idp.ts'
import type { ResponseFields, Signed } from '../../../support/sso/saml/saml-idp.ts'
import { configFor, FIELDS, openAt, REQUEST_ID } from '../../../support/sso/saml/saml-service.ts'

const KEY = rsaKey()
const EC_KEY = ecKey('P-256')
const OTHER_KEY = rsaKey()
const provider = await openAt(configFor(KEY, EC_KEY))

const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#'
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature'
const INCLUSIVE = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315'

type Fields = Partial<ResponseFields>
const unsigned = (fields: Fields = {}): string => unsignedResponse({ ...FIELDS, ...fields })
const signed = (options: Partial<Signed> = {}, fields: Fields = {}): string =>
  signResponse(unsigned(fields), { key: KEY, sign: 'both', ...options })
const GOOD = signed()

/** What a terminal would show. The parsers print their complaints there, with parts of the document. */
const printed = vi.fn<(...values: unknown[]) => void>()
beforeEach(() => {
  for (const level of ['log', 'info', 'warn', 'error', 'debug'] as const)
    vi.spyOn(console, level).mockImplementation(printed)
})
afterEach(() => {
  vi.restoreAllMocks()
  expect(printed).not.toHaveBeenCalled()
})

const expectRefused = async (field: string, reason: RegExp): Promise<void> => {
  const outcome: unknown = await provider
    .finish({ response: field, requestId: REQUEST_ID })
    .catch((error: unknown) => error)
  expect(outcome).toMatchObject({ code: 'provider_error', message: expect.stringMatching(reason) as unknown })
  // The message is for the log: nothing of a person in it.
  expect(String(outcome)).not.toMatch(/ada|example\.com|_assertion-1/i)
}

type Attack = readonly [name: string, xml: () => string, reason: RegExp]
const refuses = (attacks: readonly Attack[]): void => {
  it.each(attacks)('%s', async (_, xml, reason) => {
    const attack = xml()
    expect(attack).not.toBe(GOOD)
    await expectRefused(encodeResponse(attack), reason)
  })
}

it('the response that the attacks change is a good one', async () =>
  expect(await provider.finish({ response: encodeResponse(GOOD), requestId: REQUEST_ID })).toMatchObject({
    subject: 'ada@example.com',
  }))

it.each<readonly [string, string, RegExp]>([
  ['empty', '', /is not base64/],
  ['not base64', '<samlp:Response/>', /is not base64/],
  ['base64 for URLs', 'PHg-_w==', /is not base64/],
  ['base64 that is cut off', encodeResponse(GOOD).slice(0, -3), /is not base64/],
  ['not XML', encodeResponse('hello'), /is not XML/],
  ['spaces alone', encodeResponse('  \n'), /is not XML/],
  ['JSON', encodeResponse('{"Response":{}}'), /is not XML/],
  ['deflated', deflateRawSync(GOOD).toString('base64'), /is not (?:UTF-8|XML)/],
  ['deflated with a header', deflateSync(GOOD).toString('base64'), /is not UTF-8/],
  ['compressed', gzipSync(GOOD).toString('base64'), /is not UTF-8/],
  ['a deflate bomb', deflateRawSync(Buffer.alloc(50_000_000, 0x20)).toString('base64'), /is not (?:UTF-8|XML)/],
  ['UTF-16', Buffer.from(`\uFEFF${GOOD}`, 'utf16le').toString('base64'), /is not UTF-8/],
  ['a DOCTYPE in UTF-16', Buffer.from(`\uFEFF<!docType x>${GOOD}`, 'utf16le').toString('base64'), /is not UTF-8/],
  ['UTF-16 without a mark', Buffer.from(GOOD, 'utf16le').toString('base64'), /is not XML/],
  [
    'a document of 10 MB',
    encodeResponse(GOOD.replace('</samlp:Response>', `${' '.repeat(10_000_000)}$&`)),
    /is too large/,
  ],
  ['a field of 10 MB of spaces', `${' '.repeat(10_000_000)}${encodeResponse(GOOD)}`, /is too large/],
  ['one byte too many', encodeResponse(' '.repeat(262_145)), /is too large/],
])('a field that is no document is refused %s', (_, field, reason) => expectRefused(field, reason))

describe('a document that parsers could read in two ways is refused', () => {
  const withDoctype = (doctype: string): string => `<?xml version="1.0"?>${doctype}${GOOD}`
  refuses([
    ['a DOCTYPE', () => withDoctype('<!DOCTYPE Response>'), /has a DOCTYPE/],
    ['a DOCTYPE in lower case', () => withDoctype('<!doctype Response>'), /has a DOCTYPE/],
    ['a DOCTYPE in odd case', () => withDoctype('<!DocTypE Response []>'), /has a DOCTYPE/],
    ['a DOCTYPE after a line end', () => withDoctype('\n\n<!DOCTYPE\nResponse>'), /has a DOCTYPE/],
    [
      'an external entity',
      () => withDoctype('<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>').replace('ada@', '&x;'),
      /has a DOCTYPE/,
    ],
    [
      'entities that grow',
      () => withDoctype('<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>').replace('ada@', '&b;'),
      /has a DOCTYPE/,
    ],
    ['a parameter entity', () => withDoctype('<!DOCTYPE r [<!ENTITY % p SYSTEM "http://x"> %p;]>'), /has a DOCTYPE/],
    ['a DOCTYPE in the assertion', () => GOOD.replace('<saml:Subject>', '<!DOCTYPE x>$&'), /has a DOCTYPE/],
    ['an ENTITY without a DOCTYPE', () => `<!ENTITY x "y">${GOOD}`, /has a comment, a CDATA section or a declaration/],
    ['an entity of HTML', () => GOOD.replace('ada@', 'ada&nbsp;@'), /refers to an entity/],
    ['an entity that is not declared', () => GOOD.replace('ada@', '&ada;@'), /refers to an entity/],
    ['an ampersand alone', () => GOOD.replace('ada@', 'a&b@'), /refers to an entity/],
    ['a reference to NUL', () => GOOD.replace('ada@', 'ada&#0;@'), /refers to a character/],
    ['a reference to half a character', () => GOOD.replace('ada@', 'ada&#xD800;@'), /refers to a character/],
    ['a reference past the end of Unicode', () => GOOD.replace('ada@', 'ada&#x110000;@'), /refers to a character/],
    [
      'a line separator that becomes a line end when the signed text is parsed',
      () =>
        signResponse(unsigned().replace('>ada@', '>ada&#x2028;@'), { key: KEY, sign: 'assertion' }).replace(
          '\u2028',
          '&#x2028;',
        ),
      /the NameID has control characters/,
    ],
    [
      'a carriage return in the NameID',
      () => signResponse(unsigned().replace('>ada@', '>ada&#13;@'), { key: KEY, sign: 'both' }),
      /the NameID has control characters/,
    ],
    [
      'a comment in the NameID',
      () => GOOD.replace('ada@example.com<', 'ada@example.com<!---->.evil.example<'),
      /has a comment/,
    ],
    [
      'a comment in the NameID, before it was signed',
      () => signed({}, { nameId: 'X' }).replace('>X<', '>X<!-- -->Y<'),
      /has a comment/,
    ],
    ['a comment at the start', () => `<!-- -->${GOOD}`, /has a comment/],
    ['a comment at the end', () => `${GOOD}<!-- -->`, /has a comment/],
    ['a comment in the DigestValue', () => GOOD.replace('<ds:DigestValue>', '$&<!--x-->'), /has a comment/],
    ['a CDATA section', () => GOOD.replace('ada@example.com', '<![CDATA[ada@example.com]]>'), /a CDATA section/],
    ['the end of a CDATA section', () => GOOD.replace('ada@', 'ada]]>@'), /is not XML/],
    ['a processing instruction', () => GOOD.replace('ada@', 'ada<?x y?>@'), /has a processing instruction/],
    ['a stylesheet', () => `<?xml-stylesheet href="x"?>${GOOD}`, /has a processing instruction/],
    ['two declarations', () => `<?xml version="1.0"?><?xml version="1.0"?>${GOOD}`, /has a processing instruction/],
    ['two roots', () => `${GOOD}${GOOD}`, /has something after its root/],
    ['text after the root', () => `${GOOD}x`, /has something after its root/],
    ['text before the root', () => `x${GOOD}`, /is not XML/],
    ['an element that is not closed', () => GOOD.replace('</samlp:Response>', ''), /is not XML/],
    ['elements that overlap', () => GOOD.replace('</saml:Subject>', '</saml:Subjekt>'), /is not XML/],
    ['an attribute without quotes', () => GOOD.replace('Version="2.0"', 'Version=2.0'), /is not XML/],
    ['an attribute twice', () => GOOD.replace('Version="2.0"', '$& $&'), /has an attribute twice/],
    ['an attribute with a tag in it', () => GOOD.replace('Version="2.0"', 'Version="<2.0"'), /is not XML/],
    ['a control character', () => GOOD.replace('ada@', 'ada\u0001@'), /is not XML/],
    ['NUL', () => GOOD.replace('ada@', 'ada\u0000@'), /is not XML/],
    [
      'an attribute twice by its namespace',
      () => GOOD.replace('<saml:Subject>', '<saml:Subject xmlns:a="u:x" xmlns:b="u:x" a:y="1" b:y="2">'),
      /has an attribute twice/,
    ],
    [
      'a prefix without a namespace',
      () => GOOD.replace('<saml:Subject>', '<saml:Subject z:y="1">'),
      /prefix without a namespace/,
    ],
    ['an element with such a prefix', () => GOOD.replace('</saml:Subject>', '<z:y/>$&'), /prefix without a namespace/],
    [
      'a prefix of every object',
      () => GOOD.replace('</saml:Subject>', '<constructor:y/>$&'),
      /prefix without a namespace/,
    ],
    [
      'a namespace taken back',
      () => GOOD.replace('<saml:Subject>', '<saml:Subject xmlns:q="">'),
      /must not be declared/,
    ],
    [
      'a namespace for xml',
      () => GOOD.replace('<saml:Subject>', '<saml:Subject xmlns:xml="u:x">'),
      /must not be declared/,
    ],
    [
      'a namespace that would be an attribute after canonicalization',
      () => GOOD.replace('<saml:Subject>', '<saml:Subject xmlns:q="u&quot; a=&quot;b">'),
      /must be escaped/,
    ],
    [
      'an attribute that is almost a namespace',
      () => GOOD.replace('<saml:Subject>', '<saml:Subject xmlnsx="1">'),
      /almost a namespace/,
    ],
  ])
})

describe('a document that costs much work is refused', () => {
  const withMore = (more: string): string => GOOD.replace('</samlp:Response>', `${more}$&`)
  const many = (count: number, part: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => part(index)).join('')
  refuses([
    ['deep nesting', () => withMore('<a>'.repeat(20_000) + '</a>'.repeat(20_000)), /is nested too deeply/],
    ['many elements', () => withMore('<a/>'.repeat(30_000)), /has too many elements/],
    [
      'many attributes of one element',
      () => withMore(`<a ${many(51, (index) => ` a${index}=""`)}/>`),
      /has too many attributes/,
    ],
    [
      'many attributes of many elements',
      () => withMore(`<a ${many(40, (index) => ` a${index}=""`)}/>`.repeat(200)),
      /has too many attributes/,
    ],
    ['many prefixes', () => withMore(many(100, (index) => `<a xmlns:a${index}="u:x"/>`)), /has too many prefixes/],
    ['many ids', () => withMore(many(100, (index) => `<a ID="a${index}"/>`)), /has too many ids/],
    ['a long name of an element', () => withMore(`<${'a'.repeat(10_000)}/>`), /has a name that is too long/],
    ['a long name of an attribute', () => withMore(`<a ${'a'.repeat(10_000)}=""/>`), /has a name that is too long/],
    [
      'a long list of prefixes',
      () =>
        GOOD.replace(
          /(<ds:Transform Algorithm="[^"]*exc-c14n#")\s*\/>/,
          `$1><a PrefixList="${'a '.repeat(10_000)}"/></ds:Transform>`,
        ),
      /has a list of prefixes that is too long/,
    ],
  ])
})

describe('a signature that is missing or weak is refused', () => {
  const SIGNATURE = /<ds:Signature .*?<\/ds:Signature>/g
  refuses([
    ['no signature', () => unsigned(), /is not signed/],
    ['signatures removed', () => GOOD.replaceAll(SIGNATURE, ''), /is not signed/],
    [
      'half signed: the response, changed',
      () => GOOD.replace('Version="2.0"', 'Version="2.0" x="1"'),
      /does not verify/,
    ],
    [
      'half signed: a good assertion in a response with a broken signature',
      () => signResponse(signed({ sign: 'assertion' }), { key: OTHER_KEY, sign: 'response' }),
      /does not verify/,
    ],
    [
      'half signed: a broken assertion in a signed response',
      () => signResponse(signed({ sign: 'assertion', key: OTHER_KEY }), { key: KEY, sign: 'response' }),
      /does not verify/,
    ],
    ...(['response', 'assertion', 'both'] as const).flatMap((sign): Attack[] => [
      [`a changed name, ${sign} signed`, () => signed({ sign }).replace('ada@', 'eve@'), /does not verify/],
      [`another key, ${sign} signed`, () => signed({ sign, key: OTHER_KEY }), /does not verify/],
      [
        `another key with the right certificate in KeyInfo, ${sign} signed`,
        () => signed({ sign, key: OTHER_KEY, keyInfo: KEY.certificate }),
        /does not verify/,
      ],
      [`SHA-1, ${sign} signed`, () => signed({ sign, hash: 'sha1' }), /does not verify/],
      [
        `SHA-1 in the signature alone, ${sign} signed`,
        () => signed({ sign, hash: 'sha1', digest: 'sha256' }),
        /does not verify/,
      ],
      [
        `SHA-1 in the digest alone, ${sign} signed`,
        () => signed({ sign, hash: 'sha256', digest: 'sha1' }),
        /does not verify/,
      ],
      [
        `SHA-1 with ECDSA, ${sign} signed`,
        () => signed({ sign, key: EC_KEY, hash: 'sha1', digest: 'sha256' }),
        /does not verify/,
      ],
      [
        `HMAC with the certificate, ${sign} signed`,
        () => signed({ sign, hmacSecret: KEY.certificate }),
        /does not verify/,
      ],
      [
        `HMAC with SHA-1 and the certificate, ${sign} signed`,
        () => signed({ sign, hash: 'sha1', hmacSecret: KEY.certificate }),
        /does not verify/,
      ],
    ]),
    [
      'the algorithm of another kind of key',
      () => signed({ key: KEY }).replaceAll('xmldsig-more#rsa-sha256', 'xmldsig-more#ecdsa-sha256'),
      /does not verify/,
    ],
    [
      'an algorithm that every object has',
      () => GOOD.replaceAll('http://www.w3.org/2001/04/xmldsig-more#rsa-sha256', 'constructor'),
      /does not verify/,
    ],
    ['an empty SignatureValue', () => GOOD.replaceAll(/(<ds:SignatureValue>)[^<]*/g, '$1'), /does not verify/],
    [
      'an ECDSA signature of zeros',
      () =>
        signed({ key: EC_KEY }).replaceAll(/(<ds:SignatureValue>)[^<]*/g, `$1${Buffer.alloc(64).toString('base64')}`),
      /does not verify/,
    ],
  ])
})

describe('a signature that covers something else, or in another form, is refused', () => {
  refuses([
    [
      'no transform but the canonicalization',
      () => signed({ transforms: [EXCLUSIVE] }),
      /a Transforms with other parts/,
    ],
    ['no canonicalization', () => signed({ transforms: [ENVELOPED] }), /a Transforms with other parts/],
    ['transforms in another order', () => signed({ transforms: [EXCLUSIVE, ENVELOPED] }), /with other transforms/],
    [
      'a third transform',
      () => signed({ transforms: [ENVELOPED, EXCLUSIVE, EXCLUSIVE] }),
      /a Transforms with other parts/,
    ],
    [
      'inclusive canonicalization as a transform',
      () => signed({ transforms: [ENVELOPED, INCLUSIVE] }),
      /with other transforms/,
    ],
    [
      'canonicalization with comments',
      () => signed({ transforms: [ENVELOPED, `${EXCLUSIVE}WithComments`] }),
      /with other transforms/,
    ],
    [
      'inclusive canonicalization of the SignedInfo',
      () => signed({ canonicalization: INCLUSIVE }),
      /with another canonicalization/,
    ],
    ...[
      'http://www.w3.org/TR/1999/REC-xpath-19991116',
      'http://www.w3.org/2002/06/xmldsig-filter2',
      'http://www.w3.org/TR/1999/REC-xslt-19991116',
      'http://www.w3.org/2000/09/xmldsig#base64',
    ].map((transform): Attack => [
      `the transform ${transform}`,
      () => GOOD.replaceAll(ENVELOPED, transform),
      /with other transforms/,
    ]),
    [
      'no Transforms',
      () => GOOD.replaceAll(/<ds:Transforms>.*?<\/ds:Transforms>/g, ''),
      /a Reference with other parts/,
    ],
    ['an empty URI', () => signed({ emptyUri: true }), /of another element than its parent/],
    ['no URI', () => GOOD.replaceAll(/ URI="#[^"]*"/g, ''), /of another element than its parent/],
    ['a URI without a hash', () => GOOD.replaceAll(' URI="#', ' URI="'), /of another element than its parent/],
    [
      'a URI of another document',
      () => GOOD.replaceAll(' URI="#', ' URI="https://evil.example/#'),
      /of another element than its parent/,
    ],
    [
      'an XPointer',
      () => GOOD.replaceAll(/ URI="#([^"]*)"/g, ` URI="#xpointer(id('$1'))"`),
      /of another element than its parent/,
    ],
    [
      'a signature of the assertion in the place of that of the response',
      () => signed({ sign: 'assertion' }).replace('_assertion-1" IssueInstant', '_other" IssueInstant'),
      /of another element than its parent/,
    ],
    ['an id with a quote', () => signed({ sign: 'assertion' }, { assertionId: "a'b" }), /without a usable ID/],
    [
      'a Signature in Extensions, of these',
      () => {
        const good = signed({ sign: 'assertion' })
        const copy = (/<ds:Signature .*<\/ds:Signature>/.exec(good)?.[0] ?? '').replace('#_assertion-1', '#_extensions')
        return good.replace('</samlp:Response>', `<samlp:Extensions ID="_extensions">${copy}</samlp:Extensions>$&`)
      },
      /has a Signature in another place/,
    ],
    [
      'a Signature in another namespace',
      () => GOOD.replaceAll('http://www.w3.org/2000/09/xmldsig#"', 'urn:x"'),
      /in another namespace/,
    ],
    [
      'a Manifest',
      () => GOOD.replace('</ds:Signature>', '<ds:Object><ds:Manifest/></ds:Object>$&'),
      /with other parts/,
    ],
    [
      'an element of another namespace in the SignedInfo',
      () => GOOD.replace('<ds:SignedInfo>', '$&<x/>'),
      /with other parts/,
    ],
  ])
})

describe('a response with other elements than one assertion is refused', () => {
  const ENCRYPTED = '<saml:EncryptedAssertion><x/></saml:EncryptedAssertion>'
  refuses([
    [
      'a Response in the Response',
      () => GOOD.replace('</samlp:Response>', '<samlp:Response/>$&'),
      /has a Response in it/,
    ],
    [
      'two assertions, response signed',
      () =>
        signResponse(unsigned({ moreInResponse: '<saml:Assertion ID="_2" Version="2.0"/>' }), {
          key: KEY,
          sign: 'response',
        }),
      /more than one Assertion/,
    ],
    [
      'no assertion',
      () =>
        signResponse(unsigned().replace(/<saml:Assertion .*<\/saml:Assertion>/, ''), { key: KEY, sign: 'response' }),
      /has no Assertion/,
    ],
    [
      'an encrypted assertion',
      () =>
        signResponse(unsigned().replace(/<saml:Assertion .*<\/saml:Assertion>/, ENCRYPTED), {
          key: KEY,
          sign: 'response',
        }),
      /is encrypted/,
    ],
    [
      'an encrypted assertion next to the other',
      () => signed({ sign: 'assertion' }, { moreInResponse: ENCRYPTED }),
      /is encrypted/,
    ],
    [
      'an encrypted name',
      () => signResponse(unsigned().replaceAll('saml:NameID', 'saml:EncryptedID'), { key: KEY, sign: 'both' }),
      /is encrypted/,
    ],
    [
      'an assertion in Extensions',
      () =>
        signResponse(
          unsigned().replace(/(<saml:Assertion .*<\/saml:Assertion>)/, '<samlp:Extensions>$1</samlp:Extensions>'),
          { key: KEY, sign: 'response' },
        ),
      /its Assertion in another place/,
    ],
    [
      'an assertion of SAML 1.1',
      () =>
        signResponse(
          unsigned().replace(
            /<saml:Assertion xmlns:saml="[^"]*"/,
            '<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:1.0:assertion"',
          ),
          { key: KEY, sign: 'response' },
        ),
      /its Assertion in another place/,
    ],
    [
      'a Response of another namespace',
      () => GOOD.replaceAll('urn:oasis:names:tc:SAML:2.0:protocol', 'urn:x'),
      /is not a Response of SAML 2.0/,
    ],
    [
      'an assertion alone',
      () => /<saml:Assertion .*<\/saml:Assertion>/.exec(signed({ sign: 'assertion' }))?.[0] ?? '',
      /is not a Response of SAML 2.0/,
    ],
    [
      'a LogoutResponse',
      () => GOOD.replaceAll('samlp:Response', 'samlp:LogoutResponse'),
      /is not a Response of SAML 2.0/,
    ],
    [
      'a failure with a good assertion',
      () => signed({}, { status: 'urn:oasis:names:tc:SAML:2.0:status:Responder' }),
      /reports a failure: Responder/,
    ],
    [
      'a failure without an assertion',
      () =>
        unsigned({ status: 'urn:oasis:names:tc:SAML:2.0:status:Requester' }).replace(
          /<saml:Assertion .*<\/saml:Assertion>/,
          '',
        ),
      /reports a failure: Requester/,
    ],
    [
      'a failure of its own words',
      () => signed({}, { status: 'ada@example.com failed' }),
      /with a status that is not of the standard/,
    ],
    [
      'an assertion without an id',
      () => signResponse(unsigned().replace(' ID="_assertion-1"', ''), { key: KEY, sign: 'response' }),
      /the assertion has no ID/,
    ],
    [
      'an assertion with an empty id',
      () => signResponse(unsigned({ assertionId: '' }), { key: KEY, sign: 'response' }),
      /the assertion has no ID/,
    ],
    [
      'no IssueInstant',
      () => signResponse(unsigned().replaceAll(/ IssueInstant="[^"]*"/g, ''), { key: KEY, sign: 'both' }),
      /the Response has no IssueInstant/,
    ],
    [
      'an assertion without an IssueInstant',
      () =>
        signResponse(unsigned().replace(/(<saml:Assertion [^>]*) IssueInstant="[^"]*"/, '$1'), {
          key: KEY,
          sign: 'both',
        }),
      /the Assertion has no IssueInstant/,
    ],
    [
      'a name with an element in it',
      () => signResponse(unsigned().replace('>ada@', '><x/>ada@'), { key: KEY, sign: 'both' }),
      /the NameID must have text alone/,
    ],
    [
      'two names',
      () => signResponse(unsigned().replace(/<saml:NameID .*<\/saml:NameID>/, '$&$&'), { key: KEY, sign: 'both' }),
      /must have exactly one NameID/,
    ],
    [
      'two Conditions',
      () =>
        signResponse(unsigned().replace(/<saml:Conditions .*<\/saml:Conditions>/, '$&$&'), { key: KEY, sign: 'both' }),
      /must have exactly one Conditions/,
    ],
    [
      'two confirmations for bearers',
      () =>
        signResponse(unsigned().replace(/<saml:SubjectConfirmation .*<\/saml:SubjectConfirmation>/, '$&$&'), {
          key: KEY,
          sign: 'both',
        }),
      /must have exactly one SubjectConfirmation/,
    ],
    [
      'no status',
      () => signResponse(unsigned().replace(/<samlp:Status>.*<\/samlp:Status>/, ''), { key: KEY, sign: 'both' }),
      /must have exactly one Status/,
    ],
    [
      'two statuses',
      () => signResponse(unsigned().replace(/<samlp:Status>.*<\/samlp:Status>/, '$&$&'), { key: KEY, sign: 'both' }),
      /must have exactly one Status/,
    ],
  ])
})

import fc from 'fast-check'
import { it } from 'vitest'
import { SsoRefused } from '../../../../http/sso/provider.ts'
import { ecKey } from '../../../support/sso/certificate.ts'
import { encodeResponse, signResponse, unsignedResponse } from '../../../support/sso/saml/saml-idp.ts'
import { configFor, FIELDS, openAt, REQUEST_ID } from '../../../support/sso/saml/saml-service.ts'

const KEY = ecKey('P-256')
const provider = await openAt(configFor(KEY))
const ADA = { ...FIELDS, attributes: [{ name: 'groups', values: ['staff'] }] }
/** What the provider signed for another person of the same organization: a source of parts for a forger. */
const EVE = {
  ...ADA,
  nameId: 'eve@example.com',
  assertionId: '_assertion-2',
  responseId: '_response-2',
  attributes: [],
}
const SIGNS = ['response', 'assertion', 'both'] as const
const signed = (fields: typeof ADA): string[] =>
  SIGNS.map((sign) => signResponse(unsignedResponse(fields), { key: KEY, sign }))

/** The tags and texts of a document. */
const partsOf = (xml: string): string[] => xml.split(/(?=<)|(?<=>)/)
const EVES = signed(EVE).map(partsOf)
const ADAS = signed(ADA).map(partsOf)
const SPELLED = [
  '<x/>',
  ' ',
  'admin',
  '<!---->',
  '&#65;',
  '<ds:Object>',
  '</ds:Object>',
  '<saml:AttributeValue>',
  '\r\n',
]

const part = fc.nat({ max: 200 })
const change = fc.oneof(
  fc.record({ kind: fc.constant('delete' as const), at: part, count: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ kind: fc.constant('repeat' as const), at: part, count: fc.integer({ min: 1, max: 30 }), to: part }),
  fc.record({ kind: fc.constant('move' as const), at: part, count: fc.integer({ min: 1, max: 30 }), to: part }),
  fc.record({ kind: fc.constant('insert' as const), at: part, text: fc.constantFrom(...SPELLED) }),
  fc.record({
    kind: fc.constant('steal' as const),
    at: part,
    count: fc.integer({ min: 1, max: 40 }),
    from: part,
    whose: fc.nat({ max: 2 }),
  }),
)
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

const apply = (parts: readonly string[], edit: Change): string[] => {
  const at = edit.at % (parts.length + 1)
  if (edit.kind === 'delete') return parts.toSpliced(at, edit.count)
  if (edit.kind === 'insert') return parts.toSpliced(at, 0, edit.text)
  if (edit.kind === 'steal') {
    const stolen = EVES[edit.whose] ?? []
    const from = edit.from % stolen.length
    return parts.toSpliced(at, 0, ...stolen.slice(from, from + edit.count))
  }
  const taken = parts.slice(at, at + edit.count)
  const rest = edit.kind === 'move' ? parts.toSpliced(at, edit.count) : [...parts]
  return rest.toSpliced(edit.to % (rest.length + 1), 0, ...taken)
}

it('a changed response of one person is refused or still names this person', () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...ADAS),
      fc.array(change, { minLength: 1, maxLength: 4 }),
      async (parts, changes) => {
        const xml = changes.reduce<readonly string[]>(apply, parts).join('')
        const outcome: unknown = await provider
          .finish({ response: encodeResponse(xml), requestId: REQUEST_ID })
          .catch((error: unknown) => error)
        if (outcome instanceof SsoRefused) return
        const { subject, groups } = outcome as { subject: string; groups: string[] }
        if (subject !== ADA.nameId || groups.join() !== 'staff') throw new Error(`accepted: ${JSON.stringify(outcome)}`)
      },
    ),
    { numRuns: 2_000 },
  ))

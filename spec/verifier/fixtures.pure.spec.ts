import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { browserCrypto } from '../../webapp/check-receipt/browser-crypto.ts'
import {
  CHECK_CHECKPOINT,
  CHECK_RECEIPT,
  POLICY_W1,
  fixtureCases,
  sizedCases,
} from '../support/verifier/fixture-cases.ts'
import { pageCodes } from '../support/verifier/page.ts'
import { systemPythonCodes } from '../support/verifier/python.ts'
import { sha256 } from '../support/verifier/written-log.ts'
import { typescriptCodes } from '../support/verifier/typescript.ts'
import type { ProofCase } from '../support/verifier/cases.ts'

const cases = [...fixtureCases(), ...sizedCases()]
const label = ({ command, name, code }: ProofCase, got: number | undefined = code): string =>
  `${command}, ${name}: ${got}`
const expected = cases.map((each) => label(each))
const withCodes = (codes: readonly number[]): string[] => cases.map((each, index) => label(each, codes[index] ?? -1))

describe('the fixtures of proofs', () => {
  it.each([
    ['check-value.tlog-proof', CHECK_RECEIPT],
    ['check-value.checkpoint', CHECK_CHECKPOINT],
    ['check-value.policy', POLICY_W1],
  ])('have the check value in %s', (name, text) =>
    expect(readFileSync(new URL(`../fixtures/proof/${name}`, import.meta.url), 'utf8')).toBe(text),
  )

  it('have the receipt of the check value', () => {
    const receipt = readFileSync(new URL('../fixtures/proof/check-value.tlog-proof', import.meta.url))
    expect(receipt).toHaveLength(1062)
    expect(sha256(receipt).toString('hex')).toBe('143be799d7933ba5a625413d3ea6c9fcb49b350a3c506e1ccb9e8f6e832354fa')
  })

  it('get their exit codes from the service', async () =>
    expect(withCodes(await typescriptCodes(cases))).toEqual(expected))

  it.each(['WebCrypto', 'script'])('get their exit codes in a browser with %s', async (kind) => {
    const crypto = await browserCrypto(kind === 'script' ? undefined : globalThis.crypto.subtle)
    expect(withCodes(await typescriptCodes(cases, crypto))).toEqual(expected)
  })

  it('get their exit codes from the page, which cannot read damaged gzip', async () => {
    // The page says how many keys it has before anything else.
    const some = cases.filter(
      ({ command, keys, policy }) => command === 'receipt' && (keys.length > 0 || policy !== null),
    )
    const codes = await pageCodes(some, await browserCrypto(globalThis.crypto.subtle))
    const isUnread = (at: number): boolean => codes[at] === 2 && /gzip|compressed/.test(some[at]?.name ?? '')
    expect(some.map((each, at) => label(each, isUnread(at) ? each.code : codes[at]))).toEqual(
      some.map((each) => label(each)),
    )
  })

  it('get their exit codes from the Python of the machine, if there is one', () => {
    const codes = systemPythonCodes(cases)
    expect(codes === null ? expected : withCodes(codes)).toEqual(expected)
  })
})

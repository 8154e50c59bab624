import { describe, expect, it } from 'vitest'
import { browserCrypto } from '../../webapp/check-receipt/browser-crypto.ts'
import { asBytes, type ProofCase } from '../support/verifier/cases.ts'
import { mutatedCases } from '../support/verifier/mutated-cases.ts'
import { pageCodes } from '../support/verifier/page.ts'
import { pyodideCodes, systemPythonCodes } from '../support/verifier/python.ts'
import { typescriptCodes } from '../support/verifier/typescript.ts'

/** By the Python of this machine, which is ten times as fast; in WebAssembly where there is none. */
const pythonCodes = async (cases: readonly ProofCase[]): Promise<number[]> =>
  systemPythonCodes(cases) ?? (await pyodideCodes(cases))

const inWords = ({ command, name, files, policy }: ProofCase, ...codes: readonly (number | undefined)[]): string =>
  [command, name, codes.join(' and '), ...files.map((file) => asBytes(file).toString()), policy].join('\n')

describe('mutations of receipts, checkpoints, consistency proofs and policies', () => {
  const { clean, cases } = mutatedCases()

  it('are all refused, with the same code by the service and by the Python verifier', async () => {
    const ours = await typescriptCodes(cases)
    const theirs = await pythonCodes(cases)
    const wrong = cases.flatMap((each, at) =>
      ours[at] === theirs[at] && each.allowed.includes(ours[at] ?? 0) ? [] : [inWords(each, ours[at], theirs[at])],
    )
    expect(wrong).toEqual([])
    expect([...new Set(ours)].sort()).toEqual([10, 14, 15, 20])
  })

  it.each(['WebCrypto', 'script'])('get the same codes on the page with %s', async (kind) => {
    const crypto = await browserCrypto(kind === 'script' ? undefined : globalThis.crypto.subtle)
    const receipts = [...clean, ...cases].filter(({ command }) => command === 'receipt')
    // Each check takes milliseconds in script.
    const some = receipts.filter((_, at) => at % (kind === 'script' ? 20 : 4) === 0)
    expect(await pageCodes(some, crypto)).toEqual(await typescriptCodes(some))
  })

  it('raise no alarm where nothing was changed', async () => {
    const alarms = async (codes: Promise<number[]>) => (await codes).filter((code) => code !== 0)
    expect(await alarms(typescriptCodes(clean))).toEqual([])
    expect(await alarms(pythonCodes(clean))).toEqual([])
  })
})

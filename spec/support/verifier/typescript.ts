import { Readable } from 'node:stream'
import * as z from 'zod'
import { digestOfContent } from '../../../cli/proof/document-digest.ts'
import { fromBase64 } from '../../../domain/proof/base64.ts'
import { equal, fromUtf8 } from '../../../domain/proof/bytes.ts'
import { checkCheckpoint, checkReceipt, type ReadDocument, type Trust } from '../../../domain/proof/check.ts'
import type { ProofCrypto } from '../../../domain/proof/crypto.ts'
import { isSignedBy } from '../../../domain/proof/ed25519.ts'
import { ProofFailed } from '../../../domain/proof/failed.ts'
import { parseVkey } from '../../../domain/proof/keys.ts'
import { isConsistent } from '../../../domain/proof/merkle.ts'
import { parsePolicy } from '../../../domain/proof/policy.ts'
import { nodeCrypto } from '../../../storage/log/proof-crypto.ts'
import { asBytes, type ProofCase } from './cases.ts'

const trusts = new Map<string, Promise<Trust>>()

const trustOf = ({ keys, policy }: ProofCase): Promise<Trust> => {
  const name = JSON.stringify([keys, policy])
  const made =
    trusts.get(name) ??
    (async () => ({
      keys: await Promise.all(keys.map((key) => parseVkey(key, nodeCrypto))),
      policy: policy === null ? null : await parsePolicy(asBytes(policy), nodeCrypto),
    }))()
  if (!trusts.has(name)) trusts.set(name, made)
  return made
}

const textOf = (bytes: Uint8Array | undefined): string => {
  const text = bytes === undefined ? null : fromUtf8(bytes)
  if (text === null) throw new ProofFailed(20, 'not UTF-8')
  return text
}

const Answer = z.object({
  from: z.number(),
  to: z.number(),
  from_root: z.string(),
  to_root: z.string(),
  proof: z.array(z.string()),
})

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null // No answer has this form.
  }
}

/** The answer of GET /consistency, and two checkpoints. */
const checkConsistency = async (
  [answer, from, to]: readonly Buffer[],
  trust: Trust,
  crypto: ProofCrypto,
): Promise<void> => {
  const older = await checkCheckpoint(textOf(from), trust, crypto)
  const newer = await checkCheckpoint(textOf(to), trust, crypto)
  const { data } = Answer.safeParse(jsonOf(textOf(answer)))
  if (data === undefined) throw new ProofFailed(20, 'not an answer')
  const [from_root, to_root, ...proof] = [data.from_root, data.to_root, ...data.proof].map((text) => {
    const hash = fromBase64(text)
    if (hash?.length !== 32) throw new ProofFailed(20, 'not a hash')
    return hash
  })
  if (from_root === undefined || to_root === undefined) throw new Error('two roots are needed')
  const isOfThese =
    older.origin === newer.origin &&
    data.from === older.size &&
    data.to === newer.size &&
    equal(from_root, older.root) &&
    equal(to_root, newer.root)
  if (!isOfThese || !(await isConsistent({ from: data.from, to: data.to, from_root, to_root, proof }, crypto.sha256)))
    throw new ProofFailed(10, 'not consistent')
}

const documentOf =
  (bytes: Buffer): ReadDocument =>
  (maxBytes) =>
    digestOfContent(Readable.from([bytes]), 'the document', maxBytes)

const check = async (each: ProofCase, crypto: ProofCrypto): Promise<void> => {
  const files = each.files.map(asBytes)
  const [first, second, third] = files
  if (each.command === 'ed25519') {
    if (first === undefined || second === undefined || third === undefined) throw new Error('three values are needed')
    if (!(await isSignedBy(first, second, third, crypto))) throw new ProofFailed(14, 'the signature is wrong')
    return
  }
  const trust = await trustOf(each)
  if (each.command === 'checkpoint') await checkCheckpoint(textOf(first), trust, crypto)
  else if (each.command === 'consistency') await checkConsistency(files, trust, crypto)
  else
    await checkReceipt(textOf(first), second === undefined ? trust : { ...trust, document: documentOf(second) }, crypto)
}

/** The exit codes that the verification of the service gives, by Node or with the functions of a browser. */
export const typescriptCodes = async (
  cases: readonly ProofCase[],
  crypto: ProofCrypto = nodeCrypto,
): Promise<number[]> => {
  const codes: number[] = []
  for (const each of cases)
    try {
      await check(each, crypto)
      codes.push(0)
    } catch (error) {
      if (!(error instanceof ProofFailed)) throw error
      codes.push(error.code)
    }
  return codes
}

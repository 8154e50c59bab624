import { createHash } from 'node:crypto'
import { afterAll, expect, it } from 'vitest'
import { toBase64 } from '../../../domain/proof/base64.ts'
import { checkpointText } from '../../../domain/proof/checkpoint.ts'
import { signedNote, signatureLine } from '../../../domain/proof/note.ts'
import { nodeHash } from '../../../storage/log/merkle.ts'
import { exampleKey, ORIGIN } from '../../support/proof/opened-signer.ts'
import { startStubWitness } from '../../support/proof/stub-witness.ts'

// The specs of witnesses are worth what this one answers: the dialogue of c2sp.org/tlog-witness.

afterAll(() => witness.close())

const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map((text) => createHash('sha256').update(text).digest()) as [
  Buffer,
  Buffer,
  Buffer,
  Buffer,
  Buffer,
]
const ab = nodeHash(a, b)
const abcd = nodeHash(ab, nodeHash(c, d))
const ROOTS = { 1: a, 3: nodeHash(ab, c), 5: nodeHash(abcd, e) } as const

/** Sends a checkpoint, and returns status and text of the answer. */
const send = async (
  old: number,
  proof: readonly Buffer[],
  size: keyof typeof ROOTS,
  key = exampleKey(),
): Promise<[number, string]> => {
  const text = checkpointText({ origin: ORIGIN, size, root: ROOTS[size] })
  const note = signedNote(text, [signatureLine(key.name, key.id, key.sign(text))])
  const body = `old ${old}\n${proof.map((hash) => `${toBase64(hash)}\n`).join('')}\n${note}`
  const answer = await fetch(`${witness.url}add-checkpoint`, { method: 'POST', body })
  return [answer.status, await answer.text()]
}
const witness = await startStubWitness(exampleKey().vkey)

it('the witness of the specs answers as a witness does', async () => {
  const cosigned = [200, expect.stringMatching(/^— witness\.example\/w1 [A-Za-z0-9+/]{100,}=*\n$/)]
  expect(await send(0, [], 1)).toEqual(cosigned)
  expect(await send(1, [b, c], 3)).toEqual(cosigned)
  expect(await send(3, [c, d, ab, e], 5, exampleKey(2))).toEqual([403, ''])
  expect(await send(1, [b, c], 3)).toEqual([409, '3\n'])
  expect(await send(3, [c, d, ab, d], 5)).toEqual([422, ''])
  expect(await send(3, [c, d, ab, e], 5)).toEqual(cosigned)
})

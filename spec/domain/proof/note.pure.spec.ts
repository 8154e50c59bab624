import { createPrivateKey, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { fromBase64 } from '../../../domain/proof/base64.ts'
import { toHex } from '../../../domain/proof/bytes.ts'
import { checkCheckpoint } from '../../../domain/proof/check.ts'
import { checkpointText, parseCheckpoint } from '../../../domain/proof/checkpoint.ts'
import { verifySignature } from '../../../domain/proof/cosignature.ts'
import { parseVkey } from '../../../domain/proof/keys.ts'
import { signedNote, parseNote, signatureLine } from '../../../domain/proof/note.ts'
import { nodeCrypto } from '../../../storage/log/proof-crypto.ts'
import { naiveLeaf, naiveRoot } from '../../support/proof/naive-tree.ts'

const TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
const LINE =
  '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM='
const VKEY = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'

const verified = async (note: string, vkeyText: string) => {
  const vkey = await parseVkey(vkeyText, nodeCrypto)
  const parsed = parseNote(note)
  const [signature] = parsed.signatures
  if (!signature) throw new Error('no signature')
  expect([signature.name, signature.id]).toEqual([vkey.name, vkey.id])
  return verifySignature(vkey, parsed, signature, nodeCrypto)
}

describe('a signed note', () => {
  it('of the Go implementation is verified, and signed again byte by byte', async () => {
    const note = signedNote(TEXT, [LINE])
    expect(await verified(note, VKEY)).toEqual({ valid: true, seconds: null })
    const seed = fromBase64('AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz')?.subarray(1) ?? Buffer.of()
    const key = createPrivateKey({
      key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]),
      format: 'der',
      type: 'pkcs8',
    })
    expect(signatureLine('PeterNeumann', 'c74f20a3', sign(null, Buffer.from(TEXT), key))).toBe(LINE)
  })

  it('of the specification is verified', async () => {
    const note =
      'This is an example message.\n\n— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n'
    const vkey = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k'
    expect(await verified(note, vkey)).toEqual({ valid: true, seconds: null })
    expect(await verified(note.replace('example message', 'example massage'), vkey)).toMatchObject({ valid: false })
  })

  it('has its signatures behind the last empty line', () => {
    const { text, signatures } = parseNote(`a\n\nb\n\n${LINE}\n${LINE}\n`)
    expect(text).toBe('a\n\nb\n')
    expect(signatures.map(({ name, id, bytes, line }) => [name, id, toHex(bytes).length, line])).toEqual([
      ['PeterNeumann', 'c74f20a3', 128, LINE],
      ['PeterNeumann', 'c74f20a3', 128, LINE],
    ])
  })

  it.each([
    ['no empty line', `${TEXT}${LINE}\n`],
    ['no signature', `${TEXT}\n`],
    ['two line ends behind', `${signedNote(TEXT, [LINE])}\n`],
    ['no line end behind', signedNote(TEXT, [LINE]).slice(0, -1)],
    ['a carriage return', signedNote(TEXT, [`${LINE}\r`])],
    ['carriage returns', signedNote(TEXT, [LINE]).replaceAll('\n', '\r\n')],
    ['a tab', signedNote('a\tb\n', [LINE])],
    ['a NUL', signedNote('a\0b\n', [LINE])],
    ['a lone surrogate', signedNote('a\ud800b\n', [LINE])],
    ['a hyphen for the dash', signedNote(TEXT, [LINE.replace('—', '-')])],
    ['no dash', signedNote(TEXT, [LINE.slice(2)])],
    ['two spaces', signedNote(TEXT, [LINE.replace('PeterNeumann ', 'PeterNeumann  ')])],
    ['a space behind', signedNote(TEXT, [`${LINE} `])],
    ['a name with a plus', signedNote(TEXT, [LINE.replace('PeterNeumann', 'Peter+Neumann')])],
    ['a name with a space that is not ASCII', signedNote(TEXT, [LINE.replace('PeterNeumann', 'Peter\u00a0Neumann')])],
    ['no name', signedNote(TEXT, [LINE.replace('PeterNeumann', '')])],
    ['base64 that is not canonical', signedNote(TEXT, [LINE.replace('nAM=', 'nAN=')])],
    ['base64 without padding', signedNote(TEXT, [LINE.replace('nAM=', 'nAM')])],
    ['a signature of no bytes', signedNote(TEXT, ['— PeterNeumann x08gow=='])],
    [
      '65 signatures',
      signedNote(
        TEXT,
        Array.from({ length: 65 }, () => LINE),
      ),
    ],
  ])('is refused with %s', (_, note) => {
    expect(() => parseNote(note)).toThrow(expect.objectContaining({ name: 'ProofFailed', code: 20 }))
  })

  it('may have 64 signatures', () => {
    const lines = Array.from({ length: 64 }, () => LINE)
    expect(parseNote(signedNote(TEXT, lines)).signatures).toHaveLength(64)
  })

  it('may have 16 signatures of post-quantum size', () => {
    const large = signatureLine('log.example', '00000001', new Uint8Array(5000))
    expect(
      parseNote(
        signedNote(
          TEXT,
          Array.from({ length: 16 }, () => large),
        ),
      ).signatures,
    ).toHaveLength(16)
  })
})

describe('a checkpoint', () => {
  const root = naiveRoot([])

  it('is written and parsed', () => {
    const checkpoint = { origin: 'log.example', size: 9_007_199_254_740_991, root }
    expect(checkpointText(checkpoint)).toBe(
      'log.example\n9007199254740991\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n',
    )
    expect(parseCheckpoint(checkpointText(checkpoint))).toEqual({ ...checkpoint, root: Uint8Array.from(root) })
  })

  it('may have extension lines, which mean nothing', () =>
    expect(parseCheckpoint(`${checkpointText({ origin: 'a', size: 0, root })}more\n`)).toMatchObject({ size: 0 }))

  it.each([
    ['two lines', 'a\n1\n'],
    ['an empty line', `a\n1\n${root.toString('base64')}\n\nb\n`],
    ['no origin', `\n1\n${root.toString('base64')}\n`],
    ['a leading zero', `a\n01\n${root.toString('base64')}\n`],
    ['a sign', `a\n+1\n${root.toString('base64')}\n`],
    ['a negative size', `a\n-1\n${root.toString('base64')}\n`],
    ['a size beyond 2^53', `a\n9007199254740992\n${root.toString('base64')}\n`],
    ['a short root', `a\n1\n${root.subarray(1).toString('base64')}\n`],
    ['a root without padding', `a\n1\n${root.toString('base64').slice(0, -1)}\n`],
    ['no line end', `a\n1\n${root.toString('base64')}`],
  ])('is refused with %s', (_, text) => {
    expect(() => parseCheckpoint(text)).toThrow(expect.objectContaining({ code: 20 }))
  })

  it('of the test log of Tessera is verified', async () => {
    const words = 'one two three four five six seven eit nain ten ileven twelf threeten fourten fivten'.split(' ')
    const leaves = words.map((word) => naiveLeaf(Buffer.from(word)))
    expect(naiveRoot(leaves.slice(0, 10)).toString('base64')).toBe('y8/gZsZCtitsMan09tY+k8I7Qpr7Y5fbO2tLi9GQnfU=')
    const text = checkpointText({ origin: 'example.com/log/testdata', size: 15, root: naiveRoot(leaves) })
    expect(text).toBe('example.com/log/testdata\n15\nrKbDipCvhuX1GZ7g5BBe8sA6BbJ7ja/1nk427v383cs=\n')
    const line =
      '— example.com/log/testdata M9e0luh4jTG+UMBqOUo9/q+yAEvx1ilBEniMvjf1zfcBOhg+CKubMt53MvIt/uEWP6zdkdIQzd/fmwlM/dlPWF74ewI='
    const vkey = await parseVkey(
      'example.com/log/testdata+33d7b496+AeHTu4Q3hEIMHNqc6fASMsq3rKNx280NI+oO5xCFkkSx',
      nodeCrypto,
    )
    expect(await checkCheckpoint(signedNote(text, [line]), { keys: [vkey], policy: null }, nodeCrypto)).toMatchObject({
      size: 15,
      signed_by: [vkey.text],
    })
  })
})

import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../domain/proof/bytes.ts'
import { openingText, parseOpening } from '../../../domain/proof/opening.ts'
import { parseProof, proofText } from '../../../domain/proof/tlog-proof.ts'
import { COSIGNED_NOTE, OPENING } from '../../support/proof/check-value.ts'

const HASH = Buffer.alloc(32, 7)
const GOOD = proofText({ extra: utf8('x'), index: 10, path: [HASH], checkpoint: COSIGNED_NOTE })
const refusal = expect.objectContaining({ name: 'ProofFailed', code: 20 }) as Error

describe('a tlog-proof', () => {
  it('is written and parsed, with and without extra data', () => {
    expect(parseProof(GOOD)).toEqual({
      extra: utf8('x'),
      index: 10,
      path: [Uint8Array.from(HASH)],
      checkpoint: COSIGNED_NOTE,
    })
    const bare = { extra: null, index: 0, path: [], checkpoint: COSIGNED_NOTE }
    expect(proofText(bare)).toBe(`c2sp.org/tlog-proof@v1\nindex 0\n\n${COSIGNED_NOTE}`)
    expect(parseProof(proofText(bare))).toEqual(bare)
  })

  it.each([
    ['another first line', GOOD.replace('@v1', '@v2')],
    ['a byte order mark', `\ufeff${GOOD}`],
    ['an empty line before', `\n${GOOD}`],
    ['extra data that is not base64', GOOD.replace('extra eA==', 'extra e.==')],
    ['extra data that is not canonical', GOOD.replace('extra eA==', 'extra eB==')],
    ['empty extra data', GOOD.replace('extra eA==', 'extra ')],
    ['extra data twice', GOOD.replace('extra eA==', 'extra eA==\nextra eA==')],
    ['no index', GOOD.replace('index 10\n', '')],
    ['an index that is no number', GOOD.replace('index 10', 'index x')],
    ['an index of 32 bits in hexadecimal digits', GOOD.replace('index 10', 'index 0x10')],
    ['a negative index', GOOD.replace('index 10', 'index -1')],
    ['a leading zero', GOOD.replace('index 10', 'index 010')],
    ['an index beyond 2^53', GOOD.replace('index 10', 'index 9007199254740992')],
    ['a space behind the index', GOOD.replace('index 10', 'index 10 ')],
    ['the index before the extra data', GOOD.replace('extra eA==\nindex 10', 'index 10\nextra eA==')],
    ['a hash of 64 bytes', GOOD.replace(HASH.toString('base64'), Buffer.alloc(64).toString('base64'))],
    ['a hash that is not base64', GOOD.replace(HASH.toString('base64'), '-'.repeat(44))],
    ['a hash that is not canonical', GOOD.replace('Bwc=\n', 'Bwd=\n')],
    ['64 hashes', proofText({ extra: null, index: 0, path: Array.from({ length: 64 }, () => HASH), checkpoint: 'a' })],
    ['a carriage return', GOOD.replace('index 10', 'index 10\r')],
    ['no checkpoint', GOOD.slice(0, GOOD.indexOf('\n\n') + 1)],
    ['a line that is too long', GOOD.replace('extra eA==', `extra ${'AAAA'.repeat(65_536)}`)],
    ['more bytes than characters', GOOD.replace('results', 'é'.repeat(130_900))],
  ])('is refused with %s', (_, text) => {
    expect(text).not.toBe(GOOD)
    expect(() => parseProof(text)).toThrow(refusal)
  })

  it('may have 63 hashes', () => {
    const path = Array.from({ length: 63 }, () => HASH)
    expect(parseProof(proofText({ extra: null, index: 0, path, checkpoint: 'a' })).path).toHaveLength(63)
  })
})

describe('an opening', () => {
  it('is canonical JSON, written and parsed', () => {
    const opening = { ...OPENING, body: '{"é":"\\u0001\\"\n"}' }
    expect(openingText(opening)).toBe(
      String.raw`{"body":"{\"é\":\"\\u0001\\\"\n\"}","recorded_at":1777885244000,"salt":"000102030405060708090a0b0c0d0e0f","type":"RunIngested","v":1}`,
    )
    expect(parseOpening(utf8(openingText(opening)))).toEqual(opening)
  })

  const text = openingText(OPENING)
  it.each([
    ['not JSON', text.slice(1)],
    ['not an object', '"a"'],
    ['null', 'null'],
    ['another version', text.replace('"v":1', '"v":2')],
    ['a version as text', text.replace('"v":1', '"v":"1"')],
    ['no version', text.replace(',"v":1', '')],
    ['one member more', text.replace(',"v":1', ',"v":1,"w":1')],
    ['a member twice', text.replace(',"v":1', ',"v":1,"v":1')],
    ['another order', text.replace(/(,"type":"RunIngested")(,"v":1)/, '$2$1')],
    ['white space', text.replace(',"v"', ', "v"')],
    ['a line end', `${text}\n`],
    ['a salt in capitals', text.replace('0a0b', '0A0b')],
    ['a short salt', text.replace('0a0b', '0a')],
    ['a time that is no integer', text.replace('1777885244000', '1777885244000.5')],
    ['a time with an exponent', text.replace('1777885244000', '1777885244e3')],
    ['a negative time', text.replace('1777885244000', '-1')],
    ['a time as text', text.replace('1777885244000', '"1777885244000"')],
    ['needless escapes', text.replace('RunIngested', String.raw`\u0052unIngested`)],
    ['a lone surrogate', text.replace('RunIngested', String.raw`\ud800`)],
    ['a body that is no text', text.replace(/"body":"(?:[^"\\]|\\.)*"/, '"body":{}')],
  ])('is refused: %s', (_, changed) => {
    expect(changed).not.toBe(text)
    expect(() => parseOpening(utf8(changed))).toThrow(refusal)
  })

  it('is refused if it is not UTF-8', () => expect(() => parseOpening(Uint8Array.of(0xff))).toThrow(refusal))
})

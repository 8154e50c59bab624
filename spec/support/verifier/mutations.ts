import { asBytes, asText, type ProofCase } from './cases.ts'
import { SEEDS, noteKey, sha256, signatureLine } from './written-log.ts'

/** Draws a whole number from 0 to below the bound. */
export type Draw = (below: number) => number

/** The same numbers in each run (mulberry32). */
export const drawFrom = (seed: number): Draw => {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) % below
  }
}

type Mutation = (text: string, draw: Draw) => string | Buffer

const flip: Mutation = (text, draw) => {
  const bytes = Buffer.from(text)
  const at = draw(bytes.length)
  bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << draw(8)), at)
  return bytes
}

const withoutByte: Mutation = (text, draw) => {
  const bytes = Buffer.from(text)
  const at = draw(bytes.length - 1)
  return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)])
}

const cut: Mutation = (text, draw) => text.slice(0, draw(text.length - 1))

const ofLines =
  (edit: (lines: string[], at: number, draw: Draw) => void): Mutation =>
  (text, draw) => {
    const lines = text.split('\n')
    edit(lines, draw(lines.length - 1), draw)
    return lines.join('\n')
  }

const aHash = (draw: Draw): string => sha256(Buffer.of(draw(256), draw(256))).toString('base64')
const lineLeftOut = ofLines((lines, at) => lines.splice(at, 1))
const lineTwice = ofLines((lines, at) => lines.splice(at, 0, lines[at] ?? ''))
const emptyLine = ofLines((lines, at) => lines.splice(at, 0, ''))
const hashLine = ofLines((lines, at, draw) => lines.splice(at, 0, aHash(draw)))
const noise = ofLines((lines, at, draw) => lines.splice(at, 0, `x${draw(1000)}`))
const carriageReturn = ofLines((lines, at) => lines.splice(at, 1, `${lines[at] ?? ''}\r`))
const carriageReturns: Mutation = (text) => text.replaceAll('\n', '\r\n')

/** Edits one of the matches. Texts without a match come back as they were: another mutation is then drawn. */
const ofMatches =
  (pattern: RegExp, edit: (match: string, draw: Draw) => string): Mutation =>
  (text, draw) => {
    const matches = [...text.matchAll(pattern)]
    const match = matches[draw(Math.max(1, matches.length))]
    if (match === undefined) return text
    return text.slice(0, match.index) + edit(match[0], draw) + text.slice(match.index + match[0].length)
  }

const otherNumber = ofMatches(/(?<=^(?:index )?)\d+$/gm, (digits, draw) => {
  const value = Number(digits)
  return String([value + 1, Math.max(0, value - 1), value ^ 2, value * 2, value >> 1, draw(1000)][draw(6)])
})
const otherSpelling = ofMatches(/(?<=^(?:index )?)\d+$/gm, (digits, draw) =>
  String([`0${digits}`, `+${digits}`, `${digits} `, ` ${digits}`, `${digits}.0`, `${digits}e0`, `-${digits}`][draw(7)]),
)
const unpadded = (data: string): string => data.replaceAll('=', '')
/** Base64 of a hash, of a signature, of an opening, or at the end of a vkey. */
const otherBase64 = ofMatches(/[^ \n]{27,}/g, (data, draw) =>
  String(
    [
      unpadded(data),
      `${data}=`,
      `${data}====`,
      `${unpadded(data).slice(0, -1)}${next(unpadded(data).slice(-1))}${data.slice(unpadded(data).length)}`,
      `${data.slice(0, 9)} ${data.slice(9)}`,
      data.replaceAll('+', '-').replaceAll('/', '_'),
      `${data.slice(0, -4)}\t${data.slice(-4)}`,
    ][draw(7)],
  ),
)
/** The next character of the alphabet: in the last one before the padding only spare bits change. */
const next = (character: string): string => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  return alphabet[(alphabet.indexOf(character) + 1) % 64] ?? ''
}
const otherHash = ofMatches(/^[A-Za-z0-9+/]{43}=$/gm, (_, draw) => aHash(draw))
/** A true signature of the same text by another key, under the name and id of the one that signed. */
const foreignSignature: Mutation = (text, draw) => {
  const end = text.lastIndexOf('\n\n')
  const begin = text.lastIndexOf('\n\n', end - 1)
  const signed = text.slice(begin < 0 ? 0 : begin + 2, end + 1)
  const lines = text.slice(end + 2).split('\n')
  const at = draw(lines.length)
  const [, name, data] = lines[at]?.split(' ') ?? []
  if (name === undefined || data === undefined) return text
  const foreign = Buffer.from(noteKey(name, SEEDS.rfc3, 1).line(signed).trim().split(' ')[2] ?? '', 'base64')
  const bytes = Buffer.concat([Buffer.from(data, 'base64').subarray(0, -64), foreign.subarray(-64)])
  lines.splice(at, 1, signatureLine(name, bytes).trim())
  return text.slice(0, end + 2) + lines.join('\n')
}
/** A known name with the id of an unknown key. */
const otherKeyId = ofMatches(/— [^\n]+\n/g, (line, draw) => {
  const [, name = '', data = ''] = line.trim().split(' ')
  return signatureLine(name, Buffer.concat([Buffer.of(draw(256), 1, 2, 3), Buffer.from(data, 'base64').subarray(4)]))
})

/** White space of Unicode, and an old line end, next to a space or a line end. */
const UNICODE_SPACES = '\u0085\u00a0\u1680\u2000\u2003\u2028\u202f\u205f\u3000'
const unicodeSpace = ofMatches(/[ \n]/g, (match, draw) => {
  const space = UNICODE_SPACES.charAt(draw(UNICODE_SPACES.length))
  return draw(2) === 0 ? space + match : match + space
})

/** The codes that some kinds of change of a note or a receipt must give. */
const CODES_OF_NOTES: ReadonlyMap<Mutation, readonly number[]> = new Map([
  [emptyLine, [20]],
  [carriageReturn, [20]],
  [carriageReturns, [20]],
  [otherSpelling, [20]],
  [otherBase64, [20]],
  // The index or a hash of the path, or what is signed.
  [otherNumber, [10, 14]],
  [otherHash, [10, 14]],
  [foreignSignature, [14]],
  // The log's own line, or that of a witness.
  [otherKeyId, [14, 15]],
  // In the text that is signed, or elsewhere.
  [unicodeSpace, [14, 20]],
])
const CODES_OF_POLICIES: ReadonlyMap<Mutation, readonly number[]> = new Map([
  [lineTwice, [20]],
  [noise, [20]],
  [hashLine, [20]],
  [carriageReturn, [20]],
  [carriageReturns, [20]],
  [otherBase64, [20]],
  [unicodeSpace, [20]],
])
const ANY_CODE = [10, 14, 15, 20]

const OF_NOTES: readonly Mutation[] = [
  flip,
  flip,
  flip,
  withoutByte,
  cut,
  lineLeftOut,
  emptyLine,
  hashLine,
  noise,
  carriageReturn,
  carriageReturns,
  otherNumber,
  otherSpelling,
  otherBase64,
  otherHash,
  foreignSignature,
  otherKeyId,
  unicodeSpace,
]
const OF_POLICIES: readonly Mutation[] = [
  flip,
  flip,
  withoutByte,
  lineLeftOut,
  lineTwice,
  noise,
  hashLine,
  carriageReturn,
  carriageReturns,
  otherBase64,
  unicodeSpace,
]

/** White space means nothing in JSON, so that lines are not added. */
const OF_JSON: readonly Mutation[] = [flip, withoutByte, cut]

/** A changed case, and the codes that the kind of its change allows. */
export type MutatedCase = ProofCase & { readonly allowed: readonly number[] }

const allowedCodes = ({ command }: ProofCase, at: number, mutation: Mutation): readonly number[] => {
  if (at < 0) return CODES_OF_POLICIES.get(mutation) ?? ANY_CODE
  // A document is another one, whatever was changed.
  if (command === 'receipt' && at === 1) return [10]
  if (command === 'consistency' && at === 0) return [10, 20]
  return CODES_OF_NOTES.get(mutation) ?? ANY_CODE
}

/**
 * A case with one of its files changed. `at` is the file, −1 the policy. The policy must require every line of the note,
 * or a change of a line may rightly be accepted. Returns the same text never.
 */
export const mutated = (of: ProofCase, at: number, draw: Draw): MutatedCase => {
  const text = at < 0 ? of.policy : of.files[at]
  if (text === null || text === undefined) throw new Error('there is no such file')
  const mutations = at < 0 ? OF_POLICIES : of.command === 'consistency' && at === 0 ? OF_JSON : OF_NOTES
  for (;;) {
    const mutation = mutations[draw(mutations.length)] ?? flip
    const changed = mutation(asBytes(text).toString(), draw)
    const bytes = Buffer.from(changed)
    if (bytes.equals(asBytes(text))) continue
    const encoded = asText(bytes)
    const allowed = allowedCodes(of, at, mutation)
    return at < 0
      ? { ...of, allowed, policy: encoded }
      : { ...of, allowed, files: of.files.map((file, n) => (n === at ? encoded : file)) }
  }
}

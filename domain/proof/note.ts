import { fromBase64, toBase64 } from './base64.ts'
import { concat, fromHex, toHex } from './bytes.ts'
import { ProofFailed } from './failed.ts'
import { isKeyName } from './keys.ts'

/** One signature line of a note. `id` has 8 hexadecimal digits; `bytes` is the signature without the id. */
export type NoteSignature = {
  readonly name: string
  readonly id: string
  readonly bytes: Uint8Array
  /** The line as it is written, without its line end. */
  readonly line: string
}

/** A signed note of C2SP signed-note. `text` is what is signed and ends with a line end. */
export type Note = { readonly text: string; readonly signatures: readonly NoteSignature[] }

/**
 * Readers may limit the signatures of a note, but must accept 16 (C2SP signed-note). 32 witnesses of a policy and 4 keys of
 * a log must fit.
 */
const MAX_SIGNATURES = 64

const CONTROLS = /[\u0000-\u0009\u000b-\u001f]/

/** A signature line without its line end: em dash, name, base64(id ‖ signature). */
export const signatureLine = (name: string, id: string, bytes: Uint8Array): string =>
  `— ${name} ${toBase64(concat(fromHex(id) ?? Uint8Array.of(), bytes))}`

/** A note of a text, which must end with a line end, and of signature lines. */
export const signedNote = (text: string, lines: readonly string[]): string =>
  `${text}\n${lines.map((line) => `${line}\n`).join('')}`

/** Parses a note. Throws `ProofFailed` 20 unless it has exactly the form of C2SP signed-note. */
export const parseNote = (note: string): Note => {
  if (!note.isWellFormed()) throw new ProofFailed(20, 'the note is not UTF-8 text')
  if (CONTROLS.test(note)) throw new ProofFailed(20, 'the note has control characters')
  const end = note.lastIndexOf('\n\n')
  if (end < 0) throw new ProofFailed(20, 'the note has no empty line before its signatures')
  const lines = note.slice(end + 2).split('\n')
  if (lines.pop() !== '' || lines.length === 0) throw new ProofFailed(20, 'the note does not end with signature lines')
  if (lines.length > MAX_SIGNATURES) throw new ProofFailed(20, `the note has more than ${MAX_SIGNATURES} signatures`)
  return { text: note.slice(0, end + 1), signatures: lines.map(parseLine) }
}

const parseLine = (line: string): NoteSignature => {
  const [dash, name = '', encoded = '', ...rest] = line.split(' ')
  const bytes = fromBase64(encoded)
  // Four bytes are the id; a signature of no bytes is none.
  if (dash !== '—' || rest.length > 0 || !isKeyName(name) || bytes === null || bytes.length < 5)
    throw new ProofFailed(20, `${JSON.stringify(line.slice(0, 100))} is not a signature line`)
  return { name, id: toHex(bytes.subarray(0, 4)), bytes: bytes.slice(4), line }
}

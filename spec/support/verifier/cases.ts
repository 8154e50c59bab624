/**
 * An input of a verifier with the exit code that it must have. A text that begins with `base64:` is bytes, any other one is
 * UTF-8. `files` are those of the command in its order; of `ed25519` key, message and signature.
 */
export type ProofCase = {
  readonly name: string
  readonly command: 'receipt' | 'checkpoint' | 'consistency' | 'ed25519'
  readonly code: number
  readonly files: readonly string[]
  readonly keys: readonly string[]
  readonly policy: string | null
}

/** Bytes as a case has them. */
export const asText = (bytes: Uint8Array): string => `base64:${Buffer.from(bytes).toString('base64')}`

/** The bytes of a text of a case. */
export const asBytes = (text: string): Buffer =>
  text.startsWith('base64:') ? Buffer.from(text.slice(7), 'base64') : Buffer.from(text)

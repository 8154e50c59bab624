import { _SHA256 } from '@noble/hashes/sha2.js'

/** A SHA-256 that is not finished, as plain data. The hash of Node cannot be moved to another thread. */
export type Sha256State = {
  readonly words: readonly number[]
  readonly length: number
  readonly pending: Uint8Array
}

class ResumableSha256 extends _SHA256 {
  state(): Sha256State {
    return { words: this.get(), length: this.length, pending: this.buffer.slice(0, this.pos) }
  }

  resume({ words, length, pending }: Sha256State): this {
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = words
    this.set(a, b, c, d, e, f, g, h)
    this.buffer.set(pending)
    this.pos = pending.length
    this.length = length
    return this
  }
}

/** Of no bytes. */
export const sha256Start = (): Sha256State => new ResumableSha256().state()

/** The state after further bytes. */
export const sha256Add = (state: Sha256State, bytes: Uint8Array): Sha256State =>
  new ResumableSha256().resume(state).update(bytes).state()

/** The digest in hexadecimal. */
export const sha256End = (state: Sha256State): string =>
  Buffer.from(new ResumableSha256().resume(state).digest()).toString('hex')

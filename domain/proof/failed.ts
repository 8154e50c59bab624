/**
 * Why a proof is refused. 10: what it shows is not what was recorded. 14: no trusted key signed it, or a signature of a
 * trusted key is wrong. 15: the witness policy is not met. 20: it cannot be read. They are the exit codes of the commands
 * that check proofs.
 */
export type ProofCode = 10 | 14 | 15 | 20

/** Thrown if a proof, or a part of it, is refused. The message is one sentence without a full stop, for people. */
export class ProofFailed extends Error {
  override readonly name = 'ProofFailed'
  readonly code: ProofCode

  constructor(code: ProofCode, message: string) {
    super(message)
    this.code = code
  }
}

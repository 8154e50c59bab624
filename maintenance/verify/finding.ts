/** The first thing that is not as it was recorded. */
export type Finding = {
  readonly kind: 'altered' | 'rolled_back' | 'missing' | 'differs' | 'unreadable'
  readonly message: string
}

/** Ends a check with what it found. */
export class VerificationFailed extends Error {
  readonly finding: Finding
  constructor(kind: Finding['kind'], message: string) {
    super(message)
    this.finding = { kind, message }
  }
}

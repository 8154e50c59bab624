/** The first problem that a verification found. */
export type Finding = {
  readonly kind: 'altered' | 'rolled_back' | 'missing' | 'differs' | 'signature' | 'policy' | 'unreadable'
  readonly message: string
}

/** Ends a verification with its finding. */
export class VerificationFailed extends Error {
  readonly finding: Finding
  constructor(kind: Finding['kind'], message: string) {
    super(message)
    this.finding = { kind, message }
  }
}

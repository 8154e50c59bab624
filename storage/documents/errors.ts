/** The log names a run whose document does not exist. */
export class DocumentMissing extends Error {
  override readonly name = 'DocumentMissing'
}

/** A document differs from what the log says about it. */
export class DocumentDamaged extends Error {
  override readonly name = 'DocumentDamaged'
}

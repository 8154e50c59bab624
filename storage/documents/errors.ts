/** A run that the log says is there has no document. */
export class DocumentMissing extends Error {
  override readonly name = 'DocumentMissing'
}

/** A document is not what the log says it is. */
export class DocumentDamaged extends Error {
  override readonly name = 'DocumentAltered'
}

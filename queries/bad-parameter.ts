/** A parameter that only the stored data shows to be wrong. `http/` answers it with 400 and this text. */
export class BadParameter extends Error {
  override readonly name = 'BadParameter'
}

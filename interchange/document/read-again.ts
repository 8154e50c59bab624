/**
 * Thrown at the end of the cases of a run whose names or results depend on all of them, if those that were read are wrong.
 * They are right when the cases are read again.
 */
export class ReadAgain extends Error {
  override readonly name = 'ReadAgain'
}

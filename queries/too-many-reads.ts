/** One caller has too many long reads waiting. Only this caller is rejected: the service itself is not overloaded. */
export class TooManyReads extends Error {
  override readonly name = 'TooManyReads'
}

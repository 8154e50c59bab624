/** One caller has too many long reads waiting: only this caller has to come back later, the service itself is well. */
export class TooManyReads extends Error {
  override readonly name = 'TooManyReads'
}

/** A source, or a run of it, cannot be imported. The message says why and, where that helps, what to do. */
export class SourceRefused extends Error {
  override readonly name = 'SourceRefused'
}

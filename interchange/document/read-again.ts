/**
 * Thrown at the end of the cases of a run if the last cases changed the names or results of earlier ones. Reading the cases
 * a second time gives the right ones.
 */
export class ReadAgain extends Error {
  override readonly name = 'ReadAgain'
}

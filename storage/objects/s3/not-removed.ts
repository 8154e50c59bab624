import { ObjectsUnavailable } from '../../errors.ts'

/** A bucket does not remove some objects. All others that it was asked for are removed. */
export class NotRemoved extends ObjectsUnavailable {
  readonly ids: ReadonlySet<string>
  constructor(message: string, ids: readonly string[]) {
    super(message)
    this.ids = new Set(ids)
  }
}

/** The store is full, busy or unreachable: the caller may try again. */
export class Unavailable extends Error {
  override readonly name: string = 'Unavailable'
}

/**
 * Unavailable with nothing wrong: clients ask for more than there is room for, or the service is not ready yet. No
 * error for the log.
 */
export class Busy extends Unavailable {}

/** What was prepared no longer holds: prepare again, then commit again. Thrown by `decide`. */
export class Stale extends Error {
  override readonly name = 'Stale'
}

/** Another instance took the state directory over: this one must end without another write. */
export class Fenced extends Error {
  override readonly name = 'Fenced'
}

/** Another build took the database over: this one must end without another write. */
export class Superseded extends Unavailable {
  override readonly name = 'Superseded'
}

/** The store is of another build, or cannot be migrated as it is. */
export class SchemaMismatch extends Error {
  override readonly name = 'Misfit'
}

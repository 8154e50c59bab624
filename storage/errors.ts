/** The store is full, busy or unreachable: the caller may try again. */
export class Unavailable extends Error {
  override readonly name: string = 'Unavailable'
}

/** Unavailable because the disk of the store is full. Its message is for the caller, who can free space. */
export class DiskFull extends Unavailable {
  constructor(options?: ErrorOptions) {
    super('the disk of the store is full: free space on it, or delete runs or cache entries', options)
  }
}

/** The store of large parts cannot be reached, or refuses what is asked. Everything else goes on. The message has no secret. */
export class ObjectsUnavailable extends Unavailable {}

/** A read needs an object of a bucket, for which its thread does not wait. */
export class ObjectInBucket extends Error {
  override readonly name = 'ObjectInBucket'
}

/** Unavailable without a fault: the service has no capacity left, or is not ready yet. Not logged as an error. */
export class Busy extends Unavailable {}

/** A read takes more time or memory than is allowed. Another attempt would take as much. */
export class OverBudget extends Busy {}

/** A read model that is needed was never built in this store, and is being built now. */
export class BeingBuilt extends Busy {}

/** What was prepared is outdated: prepare and commit again. Thrown by `decide`. */
export class Stale extends Error {
  override readonly name = 'Stale'
}

/** Another instance has taken over the state directory. This process must exit without another write. */
export class Fenced extends Error {
  override readonly name = 'Fenced'
}

/** Another build has taken over the database. This process must exit without another write. */
export class Superseded extends Unavailable {
  override readonly name = 'Superseded'
}

/** The store belongs to another build, or cannot be migrated in its present state. */
export class SchemaMismatch extends Error {
  override readonly name = 'SchemaMismatch'
}

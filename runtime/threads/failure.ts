import { Refused, type Reason } from '../../commands/refused.ts'
import { BadParameter } from '../../queries/bad-parameter.ts'
import { BeingBuilt, Busy, DiskFull, ObjectInBucket, ObjectsUnavailable, Unavailable } from '../../storage/errors.ts'

/** An error as a message to another thread, which makes the error of the same class again. */
export type Failure =
  | {
      readonly kind: 'refused'
      readonly reason: Reason
      readonly message: string
      readonly extra: Readonly<Record<string, string>>
    }
  | { readonly kind: 'disk_full' }
  | { readonly kind: 'object_in_bucket'; readonly message: string }
  | { readonly kind: 'objects_unavailable'; readonly message: string }
  | { readonly kind: 'unavailable'; readonly message: string }
  | { readonly kind: 'busy'; readonly message: string }
  | { readonly kind: 'being_built'; readonly message: string }
  | { readonly kind: 'error'; readonly message: string; readonly stack: string | undefined }

export const asFailure = (error: unknown): Failure => {
  if (error instanceof Refused)
    return { kind: 'refused', reason: error.reason, message: error.message, extra: error.extra }
  if (error instanceof BadParameter)
    return { kind: 'refused', reason: 'bad_request', message: error.message, extra: {} }
  if (error instanceof BeingBuilt) return { kind: 'being_built', message: error.message }
  if (error instanceof Busy) return { kind: 'busy', message: error.message }
  if (error instanceof DiskFull) return { kind: 'disk_full' }
  if (error instanceof ObjectInBucket) return { kind: 'object_in_bucket', message: error.message }
  if (error instanceof ObjectsUnavailable) return { kind: 'objects_unavailable', message: error.message }
  if (error instanceof Unavailable) return { kind: 'unavailable', message: error.message }
  const { message, stack, cause } = error instanceof Error ? error : new Error(String(error))
  return { kind: 'error', message, stack: cause instanceof Error ? `${stack}\ncaused by ${cause.stack}` : stack }
}

export const asError = (failure: Failure): Error => {
  if (failure.kind === 'refused') return new Refused(failure.reason, failure.message, failure.extra)
  if (failure.kind === 'being_built') return new BeingBuilt(failure.message)
  if (failure.kind === 'busy') return new Busy(failure.message)
  if (failure.kind === 'disk_full') return new DiskFull()
  if (failure.kind === 'object_in_bucket') return new ObjectInBucket(failure.message)
  if (failure.kind === 'objects_unavailable') return new ObjectsUnavailable(failure.message)
  if (failure.kind === 'unavailable') return new Unavailable(failure.message)
  const error = new Error(failure.message)
  if (failure.stack !== undefined) error.stack = failure.stack
  return error
}

import { isObject, withoutEmpty, type Row } from '../../read/row.ts'
import type { CaseDraft } from './case-draft.ts'

/**
 * Takes the member of a source that describes a failed task: a text, or an object such as `{message, code, stack}`. Other
 * members of the object stay in the row. Returns null if nothing failed: null, an empty text or object, and false.
 */
export const takeFailure = (row: Row, key = 'error'): NonNullable<CaseDraft['failure']> | null => {
  const error = row.peek(key)
  if (withoutEmpty(error ?? null) === undefined || error === '' || error === false) return null
  const inner = isObject(error) ? row.row(key) : null
  if (inner === null) {
    const text = row.take(key)
    return { message: typeof text === 'string' ? text : JSON.stringify(text) }
  }
  const whole = JSON.stringify(error)
  const first = (...keys: readonly string[]) =>
    keys.find((name) => typeof inner.peek(name) === 'string' && inner.peek(name) !== '')
  const [message, trace, kind] = [first(...MESSAGE), first(...TRACE), first(...KIND)]
  return {
    message: message === undefined ? whole : inner.text(message)!,
    ...(trace !== undefined && { trace: inner.text(trace) }),
    ...(kind !== undefined && { class: inner.text(kind) }),
  }
}

const MESSAGE = ['message', 'error_message', 'msg', 'detail', 'error', 'description'] as const
const TRACE = ['traceback', 'stack', 'trace', 'stacktrace'] as const
const KIND = ['type', 'code', 'name', 'error_code'] as const
